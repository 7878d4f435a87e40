"""The guide for authors, as it stands: its lines are typed in an empty folder, and do what it says."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

GUIDE = Path(__file__).parents[2] / "docs" / "authoring.md"


def guide_lines() -> list[str]:
    blocks = re.findall(r"^```\n(.*?)^```", GUIDE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    lines = [line for block in blocks for line in block.splitlines()]
    return [re.split(r"\s{3,}", line)[0] for line in lines if line.startswith(("breakfix", "cd ", "sed "))]


def typed(lines: list[str], folder: Path) -> subprocess.CompletedProcess[str]:
    program = Path(sys.executable).with_name("breakfix")
    script = "\n".join(["set -e", f"breakfix() {{ '{program}' \"$@\"; }}", *lines])
    return subprocess.run(
        ["bash", "-c", script],
        cwd=folder,
        env={"PATH": "/usr/bin:/bin", "BREAKFIX_HOME": str(folder / "home"), "HOME": str(folder)},
        input="",
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )


def test_the_guide_leads_to_a_proved_drill_in_a_pack(tmp_path: Path) -> None:
    by_hand = ("breakfix shell --site our-site.yaml --fault", "breakfix author record", "breakfix author check our-fan")
    lines = [line for line in guide_lines() if not line.startswith((*by_hand, "breakfix drill"))]
    assert "breakfix author prove --seeds 2 our-fan.yaml" in lines and len(lines) > 10
    result = typed([line for line in lines if line != "breakfix author prove our-fan.yaml"], tmp_path)
    assert result.returncode == 0, result.stderr
    assert "our-site: 5 nodes, 4 switches, no mistakes found" in result.stdout
    assert "our-fan: proved over 2 seeds" in result.stdout and "evidence that no line showed: none" in result.stdout
    assert "breakfix drill our-cluster/our-fan" in result.stdout
    played = typed(["echo ':submit' | breakfix drill our-cluster/our-fan --seed 1 --script -"], tmp_path)
    assert "0 / 100   not passed" in played.stdout, played.stderr


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("breakfix author new site x --like dgx-h100-5", "dgx-h100-4"),
        ("breakfix author new pack Our_Pack", "is no id"),
        ("breakfix author new pack a && breakfix author new pack a", "is there already"),
        ("breakfix author new site a && sed -i s/leaf-01/leef-01/ a.yaml && breakfix author check a.yaml", "a.yaml:"),
        ("breakfix author preview nothing-of-that-name", "unknown"),
    ],
)
def test_what_cannot_be_is_said(line: str, says: str, tmp_path: Path) -> None:
    result = typed([line], tmp_path)
    assert result.returncode != 0 and says in result.stderr and "Traceback" not in result.stderr
