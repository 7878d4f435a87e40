"""Connections that break while the terminal waits for a line."""

from types import SimpleNamespace

from tests.support.conversation import Desk, FakeSeat, echo, run


def test_a_connection_that_breaks_at_the_prompt_leaves_the_prompt_below_it() -> None:
    async def scene() -> None:
        desk = Desk(echo)
        desk.type("half")
        desk.seat.prompt = "below$ "
        desk.seat.login = SimpleNamespace(idle=True)
        desk.talk.print(b"Broken pipe\n")
        await desk.settle()
        assert desk.shown == ["Broken pipe", "below$ half"] and desk.watcher.prompts == 2
        desk.type("\n")
        await desk.settle()
        assert desk.seat.ran == ["half"]

    run(scene)


def test_below_a_broken_connection_a_line_ends_before_its_prompt_shows() -> None:
    async def scene() -> None:
        desk = Desk(echo)
        desk.type("ha")
        desk.seat.login = SimpleNamespace(idle=False)
        desk.talk.print(b"Broken pipe\n")
        await desk.settle()
        desk.type("lf")
        assert desk.talk.running and desk.shown == ["Broken pipe", ""]
        desk.seat.prompt = "below$ "
        desk.seat.login.idle = True
        await desk.settle()
        assert desk.shown == ["Broken pipe", "below$ half"] and not desk.talk.running

    run(scene)


def test_a_line_that_ends_while_a_connection_breaks_waits_for_the_login_below() -> None:
    async def breaking(seat: FakeSeat, text: str) -> None:
        seat.login = SimpleNamespace(idle=False)

    async def scene() -> None:
        desk = Desk(breaking)
        desk.type(":wait\n")
        await desk.settle()
        assert desk.talk.running
        desk.seat.closed = desk.seat.login.idle = True
        await desk.settle()
        assert desk.watcher.ended == 1

    run(scene)


def test_what_a_background_job_prints_leaves_the_line_as_it_is() -> None:
    async def scene() -> None:
        desk = Desk(echo)
        desk.type("half")
        desk.talk.press("left", None)
        desk.talk.print(b"[1]+ done\n")
        await desk.settle()
        desk.type("X")
        assert desk.shown == ["[1]+ done", "$ halXf"] and desk.watcher.prompts == 1

    run(scene)
