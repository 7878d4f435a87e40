"""What is typed and printed at a seat, without a screen."""

import asyncio
from types import SimpleNamespace

from tests.support.conversation import Desk, FakeSeat, echo, run


async def forever(seat: FakeSeat, text: str) -> None:
    before = seat.interrupts
    while seat.interrupts == before:
        await asyncio.sleep(0.001)


async def question(seat: FakeSeat, text: str) -> None:
    answer = await seat.conversation.ask("sure? ", hidden=text == "sudo")
    seat.conversation.print(f"answer {answer}\n".encode())


def test_a_line_its_output_and_the_next_prompt() -> None:
    async def scene() -> None:
        desk = Desk(echo)
        desk.type("ls\n")
        await desk.settle()
        assert desk.shown == ["$ ls", "ran ls", "$"]
        assert "\x1b[" in desk.page.raw(0) and desk.watcher.prompts == 2

    run(scene)


def test_output_without_a_newline_stands_before_the_prompt() -> None:
    async def printf(seat: FakeSeat, text: str) -> None:
        seat.conversation.print(b"abc")

    async def scene() -> None:
        desk = Desk(printf)
        desk.type("printf abc\n")
        await desk.settle()
        assert desk.shown == ["$ printf abc", "abc$"]
        desk.type("x\n")
        await desk.settle()
        assert desk.shown[:2] == ["$ printf abc", "abc$ x"]

    run(scene)


def test_what_is_typed_ahead_appears_at_the_next_prompt() -> None:
    async def slow(seat: FakeSeat, text: str) -> None:
        await asyncio.sleep(0.01)

    async def scene() -> None:
        desk = Desk(slow)
        desk.type("one\ntwo\nthr")
        assert desk.seat.ran == [] and desk.shown == ["$ one", ""]
        await desk.settle()
        assert desk.seat.ran == ["one", "two"] and desk.shown == ["$ one", "$ two", "$ thr"]

    run(scene)


def test_ctrl_c_stops_a_line_and_forgets_what_was_to_come() -> None:
    async def scene() -> None:
        desk = Desk(forever)
        desk.talk.paste("sleep\nnever\nrun")
        desk.type("\n")
        await asyncio.sleep(0.005)
        desk.type("typed ahead\n")
        desk.talk.press("ctrl+c", None)
        await desk.settle()
        assert desk.seat.ran == ["sleep"] and desk.shown == ["$ sleep", "^C", "$"]

    run(scene)


def test_ctrl_c_at_the_prompt_gives_the_line_up() -> None:
    async def scene() -> None:
        desk = Desk(echo)
        desk.type("half")
        desk.talk.press("ctrl+c", None)
        assert desk.shown == ["$ half^C", "$"] and desk.seat.ran == [] and desk.seat.interrupts == 1

    run(scene)


def test_pasted_lines_wait_for_enter_and_run_one_by_one() -> None:
    async def scene() -> None:
        desk = Desk(echo)
        desk.talk.paste("a\nb")
        await desk.settle()
        assert desk.seat.ran == []
        desk.type("\n")
        await desk.settle()
        assert desk.shown == ["$ a", "ran a", "$ b", "ran b", "$"]

    run(scene)


def test_questions_are_answered_and_hidden_answers_are_not_shown() -> None:
    async def scene() -> None:
        desk = Desk(question)
        desk.type("rm\n")
        await desk.settle()
        desk.type("yes\n")
        await desk.settle()
        assert desk.shown == ["$ rm", "sure? yes", "answer yes", "$"]
        desk.type("sudo\nsecret\n")
        await desk.settle()
        assert desk.shown[3:] == ["$ sudo", "sure?", "answer secret", "$"]

    run(scene)


def test_ctrl_d_and_ctrl_c_at_a_question() -> None:
    async def scene() -> None:
        desk = Desk(question)
        desk.type("rm\n")
        await desk.settle()
        desk.talk.press("ctrl+d", None)
        await desk.settle()
        assert desk.shown == ["$ rm", "sure?", "answer None", "$"] and desk.seat.interrupts == 0
        desk.type("rm\n")
        await desk.settle()
        desk.talk.press("ctrl+c", None)
        await desk.settle()
        assert desk.shown[3:6] == ["$ rm", "sure? ^C", "answer None"] and desk.seat.interrupts == 1

    run(scene)


def test_ctrl_d_leaves_the_shell_behind_its_prompt() -> None:
    async def leave(seat: FakeSeat, text: str) -> None:
        seat.conversation.print(b"logout\n")

    async def scene() -> None:
        desk = Desk(leave)
        desk.talk.press("ctrl+d", None)
        await desk.settle()
        assert desk.seat.ran == ["exit"] and desk.shown == ["$ logout", "$"]

    run(scene)


def test_ctrl_d_within_a_statement_gives_it_up() -> None:
    async def scene() -> None:
        desk = Desk(echo)
        desk.seat.pending = "for x in 1"
        desk.talk.press("ctrl+d", None)
        await desk.settle()
        assert desk.seat.ran == [] and desk.shown == ["$", "-bash: syntax error", "$"]

    run(scene)


def test_the_end_of_the_shell_is_told_and_enter_opens_another() -> None:
    async def leave(seat: FakeSeat, text: str) -> None:
        seat.closed = True

    async def scene() -> None:
        desk = Desk(leave)
        talk, page, watcher = desk.talk, desk.page, desk.watcher
        talk.run_text("exit")
        await asyncio.sleep(0.05)
        assert watcher.ended == 1 and talk.ended and "has ended" in page.text(1)
        talk.press("x", "x")
        assert talk.ended
        talk.press("enter", None)
        assert not talk.ended and talk.editor is not None and talk.editor.text == ""

    run(scene)


def test_a_fault_of_breakfix_leaves_the_terminal_alive() -> None:
    async def broken(seat: FakeSeat, text: str) -> None:
        raise KeyError("x")

    async def scene() -> None:
        desk = Desk(broken)
        desk.type("ls\n")
        await desk.settle()
        assert desk.shown[1].startswith("breakfix: ") and desk.shown[-1] == "$" and len(desk.watcher.troubles) == 1

    run(scene)


def test_suspending_is_not_modelled_and_that_is_said_once_a_line() -> None:
    async def scene() -> None:
        desk = Desk(forever)
        for _ in range(2):
            desk.type("sleep\n")
            await asyncio.sleep(0.005)
            for _ in range(3):
                desk.talk.press("ctrl+z", None)
            desk.talk.press("ctrl+c", None)
            await desk.settle()
        assert sum("not modelled: suspending a running command (Ctrl-Z)" in line for line in desk.shown) == 2

    run(scene)


def test_after_the_end_of_the_session_typing_is_refused_quietly() -> None:
    async def scene() -> None:
        desk = Desk(echo, can_run=False)
        desk.type("ls\n")
        desk.talk.paste("x")
        desk.talk.run_text("ls")
        await desk.settle()
        assert desk.seat.ran == [] and len(desk.shown) == 2 and "has ended" in desk.shown[0]

    run(scene)


def test_after_the_end_of_the_session_it_says_what_leads_on() -> None:
    async def scene() -> None:
        desk = Desk(echo, can_run=False)
        desk.watcher.keys = "F4: Debrief"
        desk.type("ls")
        assert desk.shown[0].startswith("breakfix: this session has ended (F4: Debrief); ")

    run(scene)


def test_a_chosen_line_is_run_and_what_was_being_typed_comes_back() -> None:
    async def scene() -> None:
        desk = Desk(echo)
        desk.type("half")
        desk.talk.run_text("sinfo")
        await desk.settle()
        assert desk.shown == ["$ sinfo", "ran sinfo", "$ half"]

    run(scene)


def test_a_line_chosen_while_another_runs_is_run_alone_and_is_no_answer() -> None:
    async def scene() -> None:
        desk = Desk(question)
        desk.type("half")
        desk.talk.run_text("rm")
        desk.talk.run_text("sinfo")
        await desk.settle()
        assert desk.seat.ran == ["rm"] and desk.shown == ["$ rm", "sure?"]
        desk.type("y\n")
        await desk.settle()
        assert desk.seat.ran == ["rm", "sinfo"] and desk.shown[2:] == ["answer y", "$ sinfo", "sure?"]
        desk.type("n\n")
        await desk.settle()
        assert desk.shown[-1] == "$ half"

    run(scene)


def test_ctrl_c_forgets_the_lines_that_were_chosen() -> None:
    async def scene() -> None:
        desk = Desk(forever)
        desk.talk.run_text("sleep")
        desk.talk.run_text("sinfo")
        await asyncio.sleep(0.005)
        desk.talk.press("ctrl+c", None)
        await desk.settle()
        assert desk.seat.ran == ["sleep"]

    run(scene)


def test_enter_is_awaited_while_it_leads_on() -> None:
    async def scene() -> None:
        desk = Desk(question)
        assert not desk.talk.awaits_enter
        desk.type("l")
        assert desk.talk.awaits_enter and desk.talk.can_clear_line
        desk.talk.clear_line()
        assert not desk.talk.awaits_enter and desk.shown == ["$"]
        desk.seat.pending = "for i in 1"
        assert desk.seat.top.pending and desk.talk.awaits_enter
        desk.type("\n")
        assert desk.talk.running and not desk.talk.awaits_enter
        await desk.settle()
        assert desk.talk.awaits_enter and not desk.talk.can_clear_line

    run(scene)


def test_the_past_of_a_session_is_printed_first() -> None:
    async def scene() -> None:
        past = (
            SimpleNamespace(prompt="$ ", text="ls", output="a\nb"),
            SimpleNamespace(prompt="$ ", text="x", output=""),
        )
        desk = Desk(echo, past=past)
        assert desk.shown == ["$ ls", "a", "b", "$ x", "$"]

    run(scene)


def test_a_prompt_cannot_reach_the_terminal_with_its_escapes() -> None:
    async def scene() -> None:
        desk = Desk(echo, prompt="\x1b]0;title\x07\x1b[6n[\x1b[31mops\x1b[0m]\n$ ")
        assert desk.shown == ["[ops]", "$"]
        desk.type("ls\n")
        await desk.settle()
        assert desk.shown == ["[ops]", "$ ls", "ran ls", "[ops]", "$"]

    run(scene)


def test_a_flood_is_shown_in_order_and_before_the_prompt() -> None:
    async def flood(seat: FakeSeat, text: str) -> None:
        for start in range(0, 5000, 10):
            seat.conversation.print("".join(f"{number}\n" for number in range(start, start + 10)).encode())

    async def scene() -> None:
        desk = Desk(flood)
        desk.page.kept.limit = 10_000
        desk.type("seq\n")
        while desk.talk.running:
            await asyncio.sleep(0.01)
        assert desk.shown == ["$ seq", *map(str, range(5000)), "$"]

    run(scene)


def test_closing_hangs_up() -> None:
    async def scene() -> None:
        desk = Desk(question)
        desk.type("rm\n")
        await desk.settle()
        asked = desk.talk._question
        desk.talk.close()
        await desk.settle()
        assert asked is not None and asked.done() and desk.seat.interrupts == 1

    run(scene)
