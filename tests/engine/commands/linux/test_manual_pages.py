"""man, apropos, whatis: a page for every command, found by name and by word."""

from __future__ import annotations

import pytest

from engine.commands.command import commands_of, load_command
from tests.engine.commands.linux.conftest import FakeTerminal


def test_every_command_of_a_host_has_a_page(run, simulation) -> None:
    for name in commands_of(simulation.world.inventory, "dgx-01"):
        told = run(f"man {name}", host="dgx-01")
        command = load_command(name)
        head = f"{name.upper()}({command.section})"
        assert told.status == 0, name
        assert told.lines[0].startswith(head) and told.lines[0].endswith(head) and len(told.lines[0]) == 80
        assert f"{name} - {command.summary}" in " ".join(told.stdout.split())
        assert all(f"--{option.long}" in told.stdout for option in command.options if option.long)


@pytest.mark.parametrize("name", ["awk", "bash", "cd", "cut", "grep", "jobs", "jq", "sed", "sort", "test", "xargs"])
def test_the_shell_s_own_commands_have_pages(run, name: str) -> None:
    text = run(f"man {name}").stdout
    assert text.startswith(f"{name.upper()}(1)") and "SYNOPSIS\n" in text
    assert run(f"whatis {name}").stdout.startswith(f"{name} (1)".ljust(20) + " - ")


def test_lines_keep_to_the_width(run) -> None:
    assert all(len(line) <= 80 for line in run("man journalctl").lines)
    narrow = run("man journalctl", environment={"MANWIDTH": "60"}).lines
    assert all(len(line) <= 60 for line in narrow)


def test_short_options_share_a_line_with_their_text(run) -> None:
    assert "       -f LIST\n              these fields\n" in run("man cut").stdout
    assert "       -i     capitals are the same as small letters\n" in run("man grep").stdout


def test_a_terminal_gets_it_page_by_page(run) -> None:
    shown = FakeTerminal(columns=100, rows=20, keys=("space", "q"))
    assert run("man ls", terminal=shown).stdout == ""
    assert "\x1b[1mNAME\x1b[0m" in shown.pictures[0] and "Manual page ls(1)" in shown.pictures[0][-1]


@pytest.mark.parametrize(
    ("line", "words", "status"),
    [
        ("man", "What manual page do you want?\nFor example, try 'man man'.\n", 1),
        ("man nosuch", "No manual entry for nosuch\n", 16),
        ("man 5 ls", "No manual entry for ls in section 5\n", 16),
        ("man -k nosuchword", "nosuchword: nothing appropriate.\n", 16),
        ("whatis nosuch", "nosuch: nothing appropriate.\n", 16),
        ("man nvidia-smi", "No manual entry for nvidia-smi\n", 16),
    ],
)
def test_refusals(run, line: str, words: str, status: int) -> None:
    told = run(line)
    assert (told.stderr, told.status) == (words, status)


def test_words_are_needed(run) -> None:
    assert (run("whatis").stdout, run("apropos").stdout) == ("whatis what?\n", "apropos what?\n")


def test_finding_by_word(run) -> None:
    found = run("apropos journal").lines
    assert any(line.startswith("journalctl (1)") for line in found) and found == sorted(found)
    assert run("man -k journal").lines == found
    both = run("apropos -a journal write").lines
    assert both and set(both) < set(found)
    assert run("apropos -s 8 kernel").stdout.count("(1)") == 0
    assert run("man -w ls").stdout == "/usr/share/man/man1/ls.1.gz\n"
