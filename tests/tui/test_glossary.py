"""The glossary: every term says what it means and what shows it, and is found by what people type."""

from __future__ import annotations

import pytest

from engine.commands.command import command_modules
from tui.cli import main
from tui.glossary import fitting, terms

ELSEWHERE = (
    "the ", "facility", "its ", "NCCL", "a profiler", "BMC", "Redfish", "show ", "nv ", "vtysh", "sharp_hello",
    "setpci", "cat ",
    "ibdmchk", "gdscheck", "lfs", "bridge", "nvidia-persistenced", "opensm.conf", "gres.conf", "systemd-cgls", "curl",
    "perfquery", "lsmod",
)  # fmt: skip
"""What shows a term and is no command of ours: logs, plans, files, switches, the interpreter's own commands."""


def test_every_term_is_told_once_and_whole() -> None:
    names = [name.lower() for term in terms() for name in term.names]
    assert len(names) == len(set(names))
    assert [term.names[0].lower() for term in terms()] == sorted(term.names[0].lower() for term in terms())
    for term in terms():
        assert term.means.endswith(".") and len(term.means) < 260 and term.shown_by, term.title


def test_what_shows_a_term_is_a_command_of_ours_or_no_command_at_all() -> None:
    for term in terms():
        for part in term.shown_by.split(";"):
            known = part.split()[0] in command_modules() or part.strip().startswith(ELSEWHERE)
            assert known, (term.title, part)


@pytest.mark.parametrize(
    ("typed", "first"),
    [("xid", "Xid"), ("Bit error rate", "BER"), ("pfc", "PFC"), ("spare next reset", "row remapping")],
)
def test_terms_are_found_by_any_of_their_names_and_by_words(typed: str, first: str) -> None:
    assert fitting(typed)[0].names[0] == first


def test_a_name_itself_counts_more_than_where_it_is_mentioned() -> None:
    assert [term.names[0] for term in fitting("GID")] == ["GID"] and not fitting("no such thing")


def test_the_command_line_tells_them_too(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.argv", ["breakfix", "glossary", "credit", "loop"])
    assert main() == 0 and "ibdmchk" in capsys.readouterr().out
    monkeypatch.setattr("sys.argv", ["breakfix", "glossary", "zzz"])
    assert main() == 1 and "nothing fits 'zzz'" in capsys.readouterr().err
