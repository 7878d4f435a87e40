"""The full reports of an H100 name every field that the real ones do, in their order.

data/report_fields.txt are the labels of `nvidia-smi -q` of an idle H100 under driver 590.48.01, data/xml_elements.txt
the elements of `-q -x` of one under 580.105.08, both indented as they nest; tables of clocks and processes left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from xml.etree import ElementTree

from engine.simulation import open_site
from tests.support.run import run_command

DATA = Path(__file__).parent / "data"
LONG = ("supported_clocks", "processes")


def _labels(report: str) -> Iterator[str]:
    """The labels of a report from its first GPU on, with their indents."""
    lines = report[report.index("\nGPU 0") + 1 :].splitlines()[1:]
    for line in lines:
        found = re.match(r"( *)(.*?) *(:|$)", line)
        if found and line.strip():
            yield found.group(1) + found.group(2)


def _elements(parent: ElementTree.Element, depth: int = 0) -> Iterator[str]:
    for element in parent:
        yield "  " * depth + element.tag
        if element.tag not in LONG:
            yield from _elements(element, depth + 1)


def test_the_text_report_has_the_fields_of_the_capture_in_their_order(smi) -> None:
    expected = (DATA / "report_fields.txt").read_text().splitlines()
    assert list(_labels(smi("-q -i 0").stdout)) == expected


def test_the_xml_report_has_the_elements_of_the_capture_in_their_order() -> None:
    simulation = open_site("dgx-h100-4", overrides={"software.driver": "580.105.08"})
    root = ElementTree.fromstring(run_command(simulation, "dgx-04", "alex", "nvidia-smi -q -x -i 0").stdout)
    gpu = root.find("gpu")
    assert gpu is not None
    assert list(_elements(gpu)) == (DATA / "xml_elements.txt").read_text().splitlines()
