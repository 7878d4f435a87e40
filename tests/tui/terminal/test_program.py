"""Full-screen programs."""

import asyncio

from tui.terminal.program import Program


class Screen:
    """Shows the keys that it was given; `q` ends it, `!` breaks it."""

    def __init__(self) -> None:
        self.keys: list[str] = []
        self.drawn = 0

    def render(self, columns: int, rows: int) -> list[str]:
        self.drawn += 1
        return [f"{columns}x{rows}", f"\x1b[7m{self.keys}\x1b[27m\x1b]0;x\x07", *["~"] * 50]

    async def key(self, name: str) -> int | None:
        await asyncio.sleep(0)
        if name == "!":
            raise ValueError("broken")
        self.keys.append(name)
        return 7 if name == "q" else None


def test_keys_in_order_until_it_ends() -> None:
    async def scene() -> None:
        screen = Screen()
        changes: list[int] = []
        program = Program(screen, None, lambda: 0, lambda: changes.append(1))
        for key in ("a", "ctrl+c", "q", "never"):
            program.press(key)
        assert await program.run() == 7
        assert screen.keys == ["a", "ctrl+c", "q"] and len(changes) == 2

    asyncio.run(scene())


def test_its_picture_is_drawn_when_something_changes() -> None:
    async def scene() -> None:
        now, screen = [0], Screen()
        program = Program(screen, 10, lambda: now[0], lambda: None)
        rows = program.picture(20, 5)
        assert len(rows) == 5 and rows[0] == "20x5" and "\x1b]" not in rows[1]
        program.picture(20, 5)
        now[0] = 9
        program.look()
        program.picture(20, 5)
        assert screen.drawn == 1
        now[0] = 10
        program.look()
        program.picture(20, 5)
        assert screen.drawn == 2
        program.picture(10, 3)
        assert screen.drawn == 3

    asyncio.run(scene())


def test_a_broken_program_ends() -> None:
    async def scene() -> None:
        program = Program(Screen(), None, lambda: 0, lambda: None)
        program.press("!")
        assert await program.run() == 1 and isinstance(program.trouble, ValueError)

    asyncio.run(scene())


def test_a_program_that_cannot_draw_ends() -> None:
    class Blind(Screen):
        def render(self, columns: int, rows: int) -> list[str]:
            raise ValueError("blind")

    async def scene() -> None:
        program = Program(Blind(), None, lambda: 0, lambda: None)
        assert program.picture(10, 3) == []
        assert await program.run() == 1

    asyncio.run(scene())


def test_it_ends_with_its_terminal() -> None:
    async def scene() -> None:
        program = Program(Screen(), None, lambda: 0, lambda: None)
        program.close()
        assert await program.run() is None and program.trouble is None

    asyncio.run(scene())
