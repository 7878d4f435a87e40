"""Lines as a real ib_write_bw -R -q 4 over RoCE printed them (an older release: fewer lines in the box)."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from engine.simulation import open_site
from tests.support.two_ends import both

CAPTURE = Path(__file__).parents[5] / "shared" / "corpus" / "perftest" / "ib-write-bw-oci-roce-4qp.txt"
OWN_OF_THE_RUN = r"mlx5_\w+|0x[0-9a-f]+|\d+\.\d+|:\d\d\d?(?=:|$)|(?<= )\d+(?=\b)|(?<=: )\d+"


def masked(text: str) -> set[str]:
    """The kinds of lines: numbers and names replaced, white space at ends and between figures as one space."""
    return {re.sub(r"\s+", " ", re.sub(OWN_OF_THE_RUN, "N", line)).strip() for line in text.splitlines()}


@pytest.mark.skipif(not CAPTURE.exists(), reason="the captures are not here")
def test_the_lines_of_a_capture() -> None:
    words = "ib_write_bw -R -q 4 -T 41 -d mlx5_2 --report_gbits"
    site = open_site("dgx-h100-4")
    output = both(site, ("dgx-03", words), ("dgx-04", f"{words} dgx-03-inband"))[1].output.decode()
    # Keys and addresses are in newer releases' lines also with rdma_cm.
    ours = masked(re.sub(r" RKey \S+ VAddr \S+", "", output))
    assert masked(CAPTURE.read_text()) - ours == set()
