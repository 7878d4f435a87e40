"""Sessions on disk: killed at any moment, a drill goes on where it was."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from engine.kernel.errors import BreakfixError
from tui import store
from tui.store import JournalFile, delete_session, new_journal, open_journal, read_journal, saved_sessions

BREAKFIX = Path(sys.executable).with_name("breakfix")


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("BREAKFIX_HOME", str(tmp_path))
    return tmp_path


def drill(*words: str, home: Path) -> subprocess.Popen[bytes]:
    """A drill under way, line by line."""
    environment = {**os.environ, "BREAKFIX_HOME": str(home), "TERM": "dumb"}
    pipe = subprocess.PIPE
    return subprocess.Popen(
        [BREAKFIX, "drill", *words], env=environment, stdin=pipe, stdout=pipe, stderr=subprocess.STDOUT
    )


def say(process: subprocess.Popen[bytes], *lines: str) -> None:
    assert process.stdin
    process.stdin.write("".join(f"{line}\n" for line in lines).encode())
    process.stdin.flush()


def wait_for(folder: Path, text: str) -> None:
    """Until the journal holds `text`."""
    for _ in range(300):
        if any(text in path.read_text("utf-8") for path in folder.glob("sessions/*.jsonl")):
            return
        time.sleep(0.1)
    raise AssertionError(f"the journal never held {text}")


def test_a_killed_drill_is_taken_up_again(home: Path) -> None:
    process = drill("gpu-off-the-bus", "--seed", "3", home=home)
    say(process, "X=5; cd /tmp; echo mine > f1", "ssh dgx-02", "cd /etc; Y=6", "echo before the kill", ":note looking")
    wait_for(home, '"kind":"note"')
    process.send_signal(signal.SIGKILL)
    process.wait()

    again = drill("--resume", home=home)
    output = again.communicate(b"pwd; echo $Y; hostname\nexit\npwd; echo $X; cat f1\n:quit\n", timeout=60)[0].decode()
    before, _, after = output.rpartition("before the kill\n")
    assert "echo mine > f1" in before and "A training run that stopped" in before
    shown = re.sub(r"alex@\S+\$ ", "", after)
    assert "/etc\n6\ndgx-02\n" in shown and "/tmp\n5\nmine\n" in shown
    assert len(saved_sessions("drill")) == 1


def test_a_drill_that_was_handed_in_is_not_kept(home: Path) -> None:
    process = drill("all-quiet", "--seed", "2", home=home)
    output = process.communicate(b":submit\n", timeout=60)[0].decode()
    assert "Evidence" in output and process.returncode == 1
    assert saved_sessions("drill") == []


def test_a_cut_off_record_is_dropped_and_written_over(home: Path) -> None:
    journal = new_journal("x", {"kind": "drill", "scenario": "x"})
    journal.write({"line": "a"})
    journal.close()
    with journal.path.open("ab") as file:
        file.write(b'{"line": "cut o')
    assert list(read_journal(journal.path))[1:] == [{"line": "a"}]
    again = open_journal(journal.path)
    again.write({"line": "b"})
    again.close()
    assert [record.get("line") for record in read_journal(journal.path)] == [None, "a", "b"]


def test_a_damaged_record_names_file_and_line(home: Path) -> None:
    journal = new_journal("x", {"kind": "drill"})
    journal.close()
    with journal.path.open("ab") as file:
        file.write(b"garbage\n{}\n")
    with pytest.raises(BreakfixError, match=r"x-1\.jsonl:2: damaged"):
        list(read_journal(journal.path))


def test_journals_of_others_are_left_alone(home: Path) -> None:
    (home / "sessions").mkdir()
    (home / "sessions" / "a.jsonl").write_text(json.dumps({"breakfix": 99, "kind": "drill"}) + "\n")
    (home / "sessions" / "b.jsonl").write_bytes(b"\xff\xfe\n")
    (home / "sessions" / "c.jsonl").write_bytes(b"")
    assert saved_sessions() == []


def test_two_new_sessions_never_share_a_file(home: Path) -> None:
    first, second = new_journal("x", {}), new_journal("x", {})
    assert first.path != second.path


def test_a_full_disk_is_told_once_and_ends_nothing(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(descriptor: int, data: bytes) -> int:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(store.os, "write", full)
    journal = JournalFile(home / "sessions" / "x.jsonl")
    journal.write({"a": 1})
    journal.write({"a": 2})
    assert journal.broken and "No space left on device" in journal.broken


@pytest.mark.parametrize(
    "change",
    [
        ('"seed":3', '"seed":null'),
        ('"seed":3', '"seed":"x"'),
        ('"seed":3', '"seed":-1'),
        ('"source":"gpu-off-the-bus"', '"source":"nosuch"'),
        ('"source":"gpu-off-the-bus",', ""),
        ('"uuid":"', '"uuid":"0'),
        ('"at":', '"at":1e300,"x":'),
        ('"at":', '"at":99999999999999999999999,"x":'),
        ('"at":', '"at":Infinity,"x":'),
        ('"snapshot":"', '"snapshot":"AAAA'),
    ],
)
def test_a_damaged_session_is_refused_in_a_sentence(change: tuple[str, str], home: Path) -> None:
    process = drill("gpu-off-the-bus", "--seed", "3", home=home)
    process.communicate(b"echo a\n:quit\n", timeout=60)
    path = next(home.glob("sessions/*.jsonl"))
    text = path.read_text("utf-8")
    assert change[0] in text
    path.write_text(text.replace(*change), "utf-8")
    again = drill("--resume", home=home)
    output = again.communicate(b"echo still\n:quit\n", timeout=60)[0].decode()
    assert "Traceback" not in output
    assert again.returncode == 2 and "breakfix: " in output
    assert path.exists()


def test_a_session_is_open_in_one_process_only(home: Path) -> None:
    first = drill("all-quiet", "--seed", "2", home=home)
    say(first, "echo first")
    wait_for(home, "echo first")
    second = drill("--resume", home=home)
    output = second.communicate(b"echo second\n", timeout=60)[0].decode()
    assert second.returncode == 2 and "is open in another breakfix" in output
    first.communicate(b":quit\n", timeout=60)


def test_a_drill_that_died_while_it_was_scored_is_scored_when_taken_up(home: Path) -> None:
    process = drill("all-quiet", "--seed", "2", home=home)
    process.communicate(b"nvidia-smi\n:quit\n", timeout=60)
    path = next(home.glob("sessions/*.jsonl"))
    now = max(int(record.get("at", 0)) for record in read_journal(path))
    handed_in = {"at": now, "entry": {"kind": "submit", "started": now, "ended": now, "user": "alex"}}
    with path.open("a") as file:
        file.write(json.dumps(handed_in) + "\n")
    again = drill("--resume", home=home)
    output = again.communicate(b"", timeout=60)[0].decode()
    assert "Evidence" in output and saved_sessions("drill") == []


def test_a_session_that_is_being_played_is_not_deleted(home: Path) -> None:
    journal = new_journal("drill", {"kind": "drill"})
    with pytest.raises(BreakfixError, match="open in another breakfix"):
        delete_session(journal.path)
    assert journal.path.exists()
    journal.close()
    delete_session(journal.path)
    assert not journal.path.exists()
    delete_session(journal.path)
