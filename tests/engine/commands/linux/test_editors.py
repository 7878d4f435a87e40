"""vi and nano on the screen: keys and what becomes of the file; vi's against the machine's own Vim."""

from __future__ import annotations

import asyncio
import shutil
import subprocess
from pathlib import Path

import pytest

from engine.commands.linux._support.nano_screen import Nano
from engine.commands.linux._support.text_buffer import Buffer
from engine.commands.linux._support.vi_screen import Vi
from tests.engine.commands.linux.conftest import FakeTerminal

TEXT = "alpha beta gamma\nsecond line, with (words)\n\n  indented line here\nfoo bar foo\nlast\n"
NAMED = {"⎋": ("escape", "\x1b"), "⏎": ("enter", "\r"), "⌫": ("backspace", "\x7f")}
KEYS = [
    "ixy⎋", "aQ⎋", "onew⎋", "jOup⎋", "A!⎋", "jjjI>⎋", "x", "3x", "jdd", "2dd", "yyjp", "yyjP", "ddp", "dw", "2dw", "wD",
    "wd$", "wwd0", "ywP", "wyw$p", "jjjdG", "jjjdgg", "J", "jJ", "~~", "rz", "wcwK⎋", "jccL⎋", "wC end⎋", "sN⎋", "wde",
    "wwdb", "dj", "jdk", "jyjGp", "$X", "STop⎋", "ia⏎b⎋", "wdl", "wdh", "WWx", "jwwBx", "jEx", "jjj^x", "jjj0x", "3wx",
    "jY2p", "wc$z⎋", "/foo⏎x", "/foo⏎nx", "/foo⏎Nx", "G?line⏎x", ":s/a/A/g⏎", ":%s/o/0⏎", ":%s/\\(foo\\)/<\\1>/g⏎",
    ":2⏎dd", ":2,3d⏎", ":2,3d⏎P", ":$⏎x", "Rzz⎋", "G5ddx", "$jx", "wjjjx", "dGiall⎋", "jjdd", "jjdw", "ia⌫b⎋", "wdW",
    "5Gdd", "jjJ",
]  # fmt: skip


def press(screen: Vi | Nano, keys: str | list[str]) -> int | None:
    async def go() -> int | None:
        status = None
        for key in keys:
            status = await screen.key(NAMED.get(key, (key, ""))[0])
            screen.render(80, 24)
        return status

    return asyncio.run(go())


def vi(keys: str, text: str = TEXT, name: str = "f") -> Vi:
    screen = Vi(None, Buffer(name, text.removesuffix("\n").split("\n"), vacant=not text), False)  # type: ignore[arg-type]
    press(screen, keys)
    return screen


@pytest.mark.skipif(shutil.which("vim") is None, reason="Vim is not installed here")
@pytest.mark.parametrize("keys", KEYS)
def test_vi_does_what_vim_does(keys: str, tmp_path: Path) -> None:
    file, script = tmp_path / "f", tmp_path / "keys"
    file.write_text(TEXT)
    script.write_text("".join(NAMED.get(key, ("", key))[1] for key in keys) + "\x1b:w\r:q!\r")
    line = [
        "vim",
        "-N",
        "-u",
        "NONE",
        "-i",
        "NONE",
        "-n",
        "--cmd",
        "set noesckeys bs=2",
        "--not-a-term",
        "-s",
        str(script),
        str(file),
    ]
    quiet = {"stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    subprocess.run(line, timeout=20, check=False, **quiet)
    assert vi(keys).buffer.data().decode() == file.read_text()


@pytest.mark.parametrize("keys", KEYS)
def test_undoing_brings_everything_back(keys: str) -> None:
    screen = vi(keys)
    press(screen, "u" * 60)
    assert screen.buffer.data().decode() == TEXT
    press(screen, ["ctrl+r"] * 60)
    assert screen.buffer.data() == vi(keys).buffer.data()


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        ("x:q⏎", "E37: No write since last change (add ! to override)"),
        (":frob⏎", "E492: Not an editor command: frob"),
        ("/nosuch⏎", "E486: Pattern not found: nosuch"),
        ("n", "E35: No previous regular expression"),
        ("G/alpha⏎", "search hit BOTTOM, continuing at TOP"),
        ("3dd", "3 fewer lines"),
        ("p", 'E353: Nothing in register "'),
        (":9,12d⏎", "E16: Invalid range"),
        (":%s/o/0/g⏎", "6 substitutions on 2 lines"),
        ("u", "Already at oldest change"),
    ],
)
def test_vi_says(keys: str, message: str) -> None:
    assert vi(keys).message == message


def test_vi_on_the_screen() -> None:
    screen = vi("jw")
    shown = screen.render(80, 10)
    assert len(shown) == 10 and shown[1] == "second \x1b[7ml\x1b[27mine, with (words)" and shown[6] == "~"
    assert shown[9].split()[-2:] == ["2,8", "All"]
    press(screen, "i")
    assert screen.render(80, 10)[9].startswith("-- INSERT --")
    wide = vi("", "x" * 200 + "\nend\n").render(80, 10)
    assert [len(line.replace("\x1b[7m", "").replace("\x1b[27m", "")) for line in wide[:3]] == [80, 80, 40]
    assert vi(":set nu⏎").render(80, 10)[1].startswith("  2 second")


def test_the_text_follows_the_cursor() -> None:
    screen = vi("", "".join(f"line {number}\n" for number in range(1, 101)))
    press(screen, "G")
    assert screen.render(80, 11)[9].replace("\x1b[7m", "").replace("\x1b[27m", "") == "line 100"
    press(screen, "gg")
    assert screen.render(80, 11)[9] == "line 10"
    press(screen, ["ctrl+f"])
    assert "line 10" in "".join(screen.render(80, 11))


def test_saving_is_a_change_of_the_host(run, simulation) -> None:
    keys = [*"ihello", "escape", *":wq", "enter"]
    shown = FakeTerminal(keys=tuple(keys))
    assert run("vi /tmp/new", terminal=shown).status == 0
    assert shown.pictures[0][-1].startswith('"/tmp/new" [New]')
    assert run("tail /tmp/new").stdout == "hello\n"
    assert any("/tmp/new" in str(entry.action) for entry in simulation.recorded)
    refused = FakeTerminal(keys=("x", *":w", "enter"))
    run("vi /etc/hostname", terminal=refused)
    assert refused.pictures[-1][-1].startswith('"/etc/hostname" E212: Can\'t open file for writing')
    assert run("tail /etc/hostname").stdout == "head-01\n"
    run("vi +3 /etc/passwd", terminal=(shown := FakeTerminal()))
    assert shown.pictures[0][-1].split()[-2] == "3,1"


def test_leaving_without_writing(run) -> None:
    assert run("vi /tmp/x", terminal=FakeTerminal(keys=("i", "a", "escape", *":q!", "enter"))).status == 0
    assert run("tail /tmp/x").status == 1
    assert run("vim -R /etc/hosts", terminal=FakeTerminal(keys=("Z", "Z"))).status == 0


@pytest.mark.parametrize(
    ("keys", "text"),
    [
        ("abc", "abcone\ntwo\nthree\n"),
        (["ctrl+k"], "two\nthree\n"),
        (["ctrl+k", "ctrl+k", "ctrl+u", "ctrl+u"], "one\ntwo\none\ntwo\nthree\n"),
        (["ctrl+k", "down", "ctrl+k", "ctrl+u"], "two\nthree\n"),
        (["ctrl+e", "enter", "x"], "one\nx\ntwo\nthree\n"),
        (["down", "backspace"], "onetwo\nthree\n"),
        (["ctrl+d", "ctrl+d", "ctrl+d", "ctrl+d"], "two\nthree\n"),
        (["x", "alt+u"], "one\ntwo\nthree\n"),
        (["ctrl+w", *"THREE", "enter", "x"], "one\ntwo\nxthree\n"),
        (["ctrl+underscore", "2", "enter", "x"], "one\nxtwo\nthree\n"),
    ],
)
def test_nano_edits(keys: str | list[str], text: str) -> None:
    screen = Nano(None, Buffer("f", ["one", "two", "three"]), False)  # type: ignore[arg-type]
    press(screen, keys)
    assert screen.buffer.data().decode() == text


def test_nano_asks_before_it_leaves(run) -> None:
    keys = ("h", "i", "ctrl+x", "y", "enter")
    shown = FakeTerminal(keys=keys)
    assert run("nano /tmp/note", terminal=shown).status == 0
    assert "GNU nano 7.2" in shown.pictures[0][0] and "[ New File ]" in shown.pictures[0][-3]
    assert "Save modified buffer?" in shown.pictures[3][-3] and "File Name to Write: /tmp/note" in shown.pictures[4][-3]
    assert run("tail /tmp/note").stdout == "hi\n"
    run("nano /tmp/other", terminal=FakeTerminal(keys=("x", "ctrl+x", "n")))
    assert run("tail /tmp/other").status == 1
    refused = FakeTerminal(keys=("x", "ctrl+o", "enter"))
    run("nano /etc/hostname", terminal=refused)
    assert "[ Error writing /etc/hostname: Permission denied ]" in refused.pictures[-1][-3]


def test_nano_searches_and_says() -> None:
    screen = Nano(None, Buffer("f", ["one", "two", "one"]), False)  # type: ignore[arg-type]
    press(screen, ["ctrl+w", *"one", "enter"])
    assert (screen.buffer.row, screen.buffer.column) == (2, 0)
    press(screen, ["alt+w"])
    assert screen.buffer.row == 0 and screen.message == "Search Wrapped"
    press(screen, ["ctrl+w", *"xyz", "enter"])
    assert screen.message == '"xyz" not found'
    press(screen, ["ctrl+c"])
    assert screen.message == "line 1/4 (25%), col 1/4 (25%), char 0/12 (0%)"
    view = Nano(None, Buffer("f", ["one"]), True)  # type: ignore[arg-type]
    press(view, "x")
    assert view.buffer.lines == ["one", ""] and view.message == "Key is invalid in view mode"


def test_bytes_that_are_no_text_survive(run, simulation) -> None:
    from engine.control.accounts import identity
    from engine.hostfs.host_tree import HostTree

    tree = HostTree(simulation, "head-01", identity(simulation.world.inventory, "alex"))
    tree.write("/tmp/bytes", b"a\xff\xfe\nlast")
    assert run("vi /tmp/bytes", terminal=FakeTerminal(keys=("j", "x", *":wq", "enter"))).status == 0
    assert tree.read("/tmp/bytes") == b"a\xff\xfe\nast\n"


def test_no_screen_no_editor(run) -> None:
    for name in ("vi", "vim", "nano"):
        told = run(f"{name} /tmp/x")
        assert (told.stderr, told.status) == (f"{name}: no full-screen terminal here; use sed -i or cat > FILE\n", 1)
        assert run(f"{name} /tmp/x", terminal=FakeTerminal(has_screen=False)).status == 1
    assert run("vi /root/x", terminal=FakeTerminal()).status in (0, 1)
