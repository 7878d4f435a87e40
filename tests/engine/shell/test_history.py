"""History expansion: what is replaced, and what is left alone."""

from __future__ import annotations

import pytest

from engine.shell.history import EventNotFound, History


def test_a_script_in_a_here_document_is_left_alone() -> None:
    history = History(["ls /tmp"])
    script = "cat > job.sh <<EOF\n#!/bin/bash\necho !$ !x\nEOF\n"
    assert history.expand(script) == script
    assert history.expand("cat <<EOF > !$\n!$\nEOF\necho !$") == "cat <<EOF > /tmp\n!$\nEOF\necho /tmp"
    with pytest.raises(EventNotFound):
        history.expand("cat <<EOF\n!x\nEOF\n!x")


def test_a_line_without_events_is_itself() -> None:
    history = History(["ls /tmp"])
    for line in ("echo a^b^c", "cat <<EOF\n^a^b^\nEOF", "echo '!x' \\!y [!a] $! ${!name}"):
        assert history.expand(line) == line
    assert history.expand("^ls^cat^") == "cat /tmp"
