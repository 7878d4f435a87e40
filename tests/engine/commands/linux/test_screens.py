"""What needs a terminal: columns of ls, the pager, top, watch, the editor; and what they do without one."""

from __future__ import annotations

from engine.commands.linux._support.pager import Pager
from tests.engine.commands.linux.conftest import FakeTerminal


def test_ls_fills_the_terminal(run) -> None:
    wide = run("ls /etc", terminal=FakeTerminal(columns=120)).lines
    narrow = run("ls /etc", terminal=FakeTerminal(columns=40)).lines
    names = run("ls /etc").lines
    assert len(wide) < len(narrow) < len(names)
    assert all(len(line) < 40 for line in narrow)
    assert sorted(" ".join(narrow).split()) == sorted(names)


def test_the_pager_moves_and_searches() -> None:
    import asyncio

    async def press(pager: Pager, *keys: str) -> int | None:
        status = None
        for key in keys:
            status = await pager.key(key)
        return status

    pager = Pager([f"line {number}" for number in range(1, 101)], title="file")
    assert pager.render(80, 11)[-1].strip("\x1b[7m").startswith("file")
    asyncio.run(press(pager, "space"))
    assert pager.render(80, 11)[0] == "line 11"
    asyncio.run(press(pager, "G"))
    assert pager.render(80, 11)[9] == "line 100"
    asyncio.run(press(pager, "g", "/", "7", "7", "enter"))
    assert "77" in pager.render(80, 11)[0]
    asyncio.run(press(pager, "/", "x", "y", "enter"))
    assert "Pattern not found" in pager.render(80, 11)[-1]
    assert asyncio.run(press(pager, "q")) == 0


def test_long_output_is_paged_on_a_terminal_only(run) -> None:
    shown = FakeTerminal(rows=10)
    assert run("journalctl -b", host="dgx-01", terminal=shown).stdout == ""
    assert len(shown.pictures[0]) == 10
    assert len(run("journalctl -b", host="dgx-01").lines) > 100
    plain = FakeTerminal(rows=10, has_screen=False)
    assert len(run("journalctl -b", host="dgx-01", terminal=plain).lines) > 100
    assert run("journalctl -n 2", terminal=FakeTerminal(rows=10)).stdout != ""


def test_less_and_more(run) -> None:
    assert run("less /etc/hostname").stdout == run("more /etc/hostname").stdout == "head-01\n"
    assert run("less", stdin=b"abc\n").stdout == "abc\n"
    assert run("less nosuch").stderr == "nosuch: No such file or directory\n"
    shown = FakeTerminal()
    run("less +2 /etc/passwd", terminal=shown)
    assert shown.pictures[0][0].startswith("daemon:")


def test_top_on_the_screen(run) -> None:
    shown = FakeTerminal(columns=100, rows=20, keys=("M", "c", "q"))
    assert run("top", host="dgx-01", terminal=shown).status == 0
    assert shown.pictures[0][0].startswith("top - 09:00:00 up")
    assert "train.py" not in "".join(shown.pictures[0]) and "train.py" in "".join(shown.pictures[-1])
    assert run("top").stderr == "top: failed tty get\n"


def test_top_without_a_full_screen_prints_screenfuls(run) -> None:
    plain = FakeTerminal(columns=90, rows=20, has_screen=False)
    two = run("top -n 2", host="dgx-01", terminal=plain).lines
    assert len(two) == 2 * 20 + 1 and max(map(len, two)) <= 90 + len("\x1b[7m\x1b[27m")
    assert [line[:14] for line in two if line.startswith("top -")] == ["top - 09:00:00", "top - 09:00:03"]
    assert len(run("top -b -n 1", host="dgx-01", terminal=plain).lines) > 500


def test_the_title_of_watch_fits_the_terminal(run) -> None:
    command = "watch stat -c %n /etc/hostname /etc/passwd /etc/group"
    now = "head-01: Mon Nov 30 09:00:00 2026"

    def title(columns: int) -> str:
        shown = FakeTerminal(columns=columns, keys=("ctrl+c",))
        run(command, terminal=shown)
        return shown.pictures[0][0]

    for columns in range(10, 130):
        assert len(title(columns)) in (0, columns) and title(columns).endswith(now if columns >= len(now) else "")
    assert title(30) == "" and title(40) == " " * 7 + now
    assert title(60) == f"Every 2.0s: stat -c %n ... {now}"
    assert title(120).startswith("Every 2.0s: stat -c %n /etc/hostname /etc/passwd /etc/group  ")
    plain = run(command, terminal=FakeTerminal(columns=60, has_screen=False), head=1).lines
    assert plain == [title(60)]


def test_watch_repeats(run) -> None:
    frames = run("watch -n 1 -t date +%S", head=5).lines
    assert frames == ["00", "", "01", "", "02"]
    titled = run("watch -n 2 date", head=3).lines
    assert titled[0].startswith("Every 2.0s: date") and titled[0].endswith("head-01: Mon Nov 30 09:00:02 2026")
    changed = run("watch -n 1 -t -g date +%S")
    assert changed.status == 0 and changed.lines == ["02", "", "03"]
    assert run("watch -e stat nosuch").status == 8
    assert run("watch -n x ls").stderr == "watch: failed to parse argument: 'x': Invalid argument\n"
    shown = FakeTerminal(rows=5, keys=("ctrl+c",))
    run("watch date", terminal=shown)
    assert shown.pictures[0][2].startswith("Mon Nov 30 09:00:0")


def test_editors_need_a_screen(run) -> None:
    told = run("vi /tmp/x")
    assert (told.stderr, told.status) == ("vi: no full-screen terminal here; use sed -i or cat > FILE\n", 1)
    keys = ("i", "h", "i", "enter", "escape", ":", "w", "q", "enter")
    assert run("vi /tmp/x", terminal=FakeTerminal(keys=keys)).status == 0
    assert run("less /tmp/x").stdout == "hi\n\n"
    run("nano /tmp/y", terminal=FakeTerminal(keys=("a", "ctrl+s", "ctrl+x")))
    assert run("less /tmp/y").stdout == "a\n"


def test_timeout_lets_quick_commands_be(run, simulation) -> None:
    assert run("timeout 5 date +%F").stdout == "2026-11-30\n"
    assert run("timeout 0 stat nosuch").status == 1
    assert run("timeout 1 nosuch").status == 127
    assert run("timeout x ls").status == 125
    assert "‘FOO’: invalid signal" in run("timeout -s FOO 1 ls").stderr
