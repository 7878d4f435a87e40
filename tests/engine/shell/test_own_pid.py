"""`$$`: the process id of the shell, wherever it is expanded, and nowhere else."""

from __future__ import annotations

import pytest

from engine.simulation import new_simulation
from tests.support.sessions import last
from tests.support.worlds import inventory


def typed(*lines: str) -> str:
    return last(new_simulation(inventory(), 1), lines, user="alex", host="head-01")


def test_it_is_the_process_that_ps_shows() -> None:
    number = typed("echo $$").strip()
    assert typed(f"ps -o pid=,cmd= -p {number}").split() == [number, "-bash"]
    assert typed("cat /proc/$$/comm") == "bash\n"


@pytest.mark.parametrize(
    ("line", "kept"),
    [("echo '$$'", "$$\n"), ("echo \\$$", "$$\n"), ("echo a | awk '{print \"$$\"}'", "$$\n")],
)
def test_quoted_it_is_text(line: str, kept: str) -> None:
    assert typed(line) == kept


def test_in_double_quotes_and_documents_it_is_expanded() -> None:
    number = typed("echo $$").strip()
    assert typed('echo "it is $$"') == f"it is {number}\n"
    assert typed("cat <<EOF\n$$\nEOF") == f"{number}\n"


def test_another_shell_has_another() -> None:
    assert typed("bash -c 'echo $$'").strip().isdecimal()
    assert typed("bash -c 'echo $$'") != typed("echo $$")
