"""Exams on the command line, as whole processes: marking, printing, taking, being killed, and what comes of it."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from exams.answer_text import written_answer
from exams.answers import answer_data, right_answer
from tests.exams import bank
from tui import full_screen
from tui.cli import main
from tui.commands.list import table
from tui.live.exam import Sitting
from tui.screens.exam_start import ExamStart
from tui.store import Saved

BREAKFIX = Path(sys.executable).with_name("breakfix")
SMALL = str(bank.BLUEPRINT)
PAPER = bank.paper(5, labs=0)
DRAWN = ("--seed", "5", "--labs", "0")


def start(*words: str, home: Path) -> subprocess.Popen[str]:
    pipe = subprocess.PIPE
    environment = {**os.environ, "BREAKFIX_HOME": str(home)}
    return subprocess.Popen([BREAKFIX, *words], env=environment, stdin=pipe, stdout=pipe, stderr=pipe, text=True)


def run(*words: str, home: Path, stdin: str = "", status: int = 0) -> str:
    """What a breakfix process printed; of one that failed, what it complained about."""
    process = start(*words, home=home)
    out, err = process.communicate(stdin, timeout=120)
    assert process.returncode == status, err
    assert "Traceback" not in err
    return err if status else out


def data(*words: str, home: Path, stdin: str = "") -> Any:
    return json.loads(run(*words, "--json", home=home, stdin=stdin))


def answers() -> str:
    """All of them right, as a person writes them."""
    return "".join(f"{n} {written_answer(item, right_answer(item))}\n" for n, item in enumerate(PAPER.items, 1))


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("exam", "nosuch"), 'unknown exam "nosuch"'),
        (("exam", "./nosuch.yaml", "--print"), "nosuch.yaml"),
        (("exam", "--print"), "needs the name of an exam"),
        (("exam", SMALL, "--answers", "-"), "--answers needs --seed"),
        (("exam", SMALL, "--answers", "/nosuch", "--seed", "5"), "/nosuch can't be read"),
        (("exam", SMALL, "--print", "--answers", "-"), "not allowed with"),
        (("exam", SMALL, "--keys"), "--keys goes with --print"),
        (("exam", SMALL, "--print", "--html", "x.html"), "--html keeps a result"),
        (("exam", "NCA"), 'unknown exam "NCA"; did you mean "nca-aiio"?'),
        (("exam", "nc"), 'did you mean "nca-aiio", "ncp-aii", "ncp-ain"'),
        (("exam", SMALL, "--items", "0"), "0 is not a whole number from 1 to 500"),
        (("exam", SMALL, "--extra-time", "x"), "x is not a whole number from 0 to 400"),
        (("exam", SMALL, "--seed", "x", "--print"), "--seed x: not a whole number"),
        (("exam", "--resume", "--plain"), "no exam to take up again"),
        (("study", "--resume"), "no study session to take up again"),
        (("study", SMALL, "--domain", "seing"), 'did you mean "seeing"'),
        (("study", SMALL, "--wrong"), "no items of that kind"),
        (("study", SMALL, "--wrong", "--unseen"), "not allowed with"),
        (("report",), "there is no result yet"),
        (("progress", "nosuch"), 'unknown exam "nosuch"'),
    ],
)
def test_mistakes_are_told_in_a_sentence(words: tuple[str, ...], says: str, tmp_path: Path) -> None:
    assert says in run(*words, home=tmp_path, status=2)


def test_a_file_of_answers_is_marked_without_a_screen(tmp_path: Path) -> None:
    found = data("exam", SMALL, *DRAWN, "--answers", "-", home=tmp_path, stdin=answers())
    assert found["total"]["points"] == found["total"]["of"] == len(PAPER.items)
    assert [item["id"] for item in found["items"]] == [item.item for item in PAPER.items]
    file = tmp_path / "answers.json"
    file.write_text(json.dumps({item.item: answer_data(right_answer(item)) for item in PAPER.items}), "utf-8")
    assert data("exam", SMALL, *DRAWN, "--answers", str(file), home=tmp_path) == found
    assert data("exam", SMALL, *DRAWN, "--answers", "-", home=tmp_path)["total"]["points"] == 0
    assert not (tmp_path / "sessions").exists() and not (tmp_path / "results").exists()


def test_mistakes_in_a_file_of_answers_name_their_lines(tmp_path: Path) -> None:
    told = run("exam", SMALL, *DRAWN, "--answers", "-", home=tmp_path, stdin="1 -\n# nothing\n99 B\n", status=2)
    assert "-:3: there is no item 99" in told


def test_a_paper_is_printed_with_or_without_its_key(tmp_path: Path) -> None:
    paper = run("exam", SMALL, *DRAWN, "--print", home=tmp_path)
    keyed = run("exam", SMALL, *DRAWN, "--print", "--keys", home=tmp_path)
    assert PAPER.items[0].stem.split(".")[0] in paper and keyed.startswith(paper.rstrip("\n"))
    because = next(one.because for item in PAPER.items for one in item.choices if one.because)
    assert because not in " ".join(paper.split()) and because in " ".join(keyed.split())
    assert all(line in keyed for line in answers().replace(" ", ". ", 1).splitlines()[:1])


def test_a_printed_paper_has_ids_and_is_data_too(tmp_path: Path) -> None:
    paper = run("exam", SMALL, *DRAWN, "--print", home=tmp_path)
    assert all(f"\n(item {item.item})" in paper for item in PAPER.items)
    asked, keyed = (data("exam", SMALL, *DRAWN, "--print", *more, home=tmp_path) for more in ((), ("--keys",)))
    assert [item["id"] for item in asked["items"]] == [item.item for item in PAPER.items]
    assert not any("answer" in item or "because" in item for item in asked["items"])
    file = tmp_path / "answers.json"
    file.write_text(json.dumps({item["id"]: item["answer"] for item in keyed["items"]}), "utf-8")
    assert data("exam", SMALL, *DRAWN, "--answers", str(file), home=tmp_path)["total"]["percent"] == 100


def complaints(*words: str, home: Path, stdin: str = "") -> str:
    """What a breakfix process that did its work said on stderr."""
    process = start(*words, home=home)
    _, err = process.communicate(stdin, timeout=120)
    assert process.returncode == 0, err
    return err


def test_what_cannot_be_had_is_told_apart_from_the_result(tmp_path: Path) -> None:
    words = ("exam", SMALL, "--seed", "5", "--print")
    told = complaints(*words, "--labs", "9", "--items", "500", home=tmp_path)
    assert "--labs 9: SMALL has only 1" in told and "--items 500: the paper has 9;" in told
    assert complaints(*words, "--labs", "0", home=tmp_path) == ""
    number, item = next((n, item) for n, item in enumerate(PAPER.items, 1) if item.kind == "multiple")
    part = complaints("exam", SMALL, *DRAWN, "--answers", "-", home=tmp_path, stdin=f"{number} a\n")
    assert f"-: item {number} (multiple): A is only a part; choose {len(item.key)}" in part


def test_an_exam_without_questions_says_so(tmp_path: Path) -> None:
    """A blueprint whose banks are still to be written."""
    blueprint = tmp_path / "alone.yaml"
    blueprint.write_text(Path(SMALL).read_text("utf-8").replace("id: small", "id: alone"), "utf-8")
    assert "has no items yet" in run("exam", str(blueprint), "--plain", home=tmp_path, status=2)
    rows = [{"id": "alone", "items": 0, "title": "Alone"}, {"id": "small", "items": 9, "title": "Small"}]
    assert table(rows) == ["alone  no questions yet  Alone", "small  9                 Small"]


def test_every_packaged_exam_has_questions(tmp_path: Path) -> None:
    assert all(one["items"] > 0 for one in data("list", "exams", home=tmp_path))


def test_an_exam_is_taken_through_a_pipe_and_told_again(tmp_path: Path) -> None:
    page = tmp_path / "result.html"
    lines = "".join(f"{line.partition(' ')[2]}\n" for line in answers().splitlines())
    told = run("exam", SMALL, *DRAWN, "--html", str(page), home=tmp_path, stdin=f"flag\n{lines}submit\ny\n?\nflagged\n")
    total = f"Total: {len(PAPER.items)} of {len(PAPER.items)} points, 100 %"
    assert told.count("Look at items again") == 2
    assert total in told and "item 1> flag\nFlagged." in told and "review> flagged" in told
    assert page.read_text("utf-8").startswith("<!doctype html>")
    assert total in run("report", home=tmp_path) and total in run("report", SMALL, home=tmp_path)
    again = data("report", "1", home=tmp_path)
    marked = data("exam", SMALL, *DRAWN, "--answers", "-", home=tmp_path, stdin=answers())
    assert again["total"] == marked["total"] and again["domains"] == marked["domains"]
    assert "seed 5: 9 of 9 points, 100 %" in run("report", "--list", home=tmp_path)
    assert "Your answer:" in run("report", "--items", "flagged", home=tmp_path)
    assert "there is no result 2" in run("report", "2", home=tmp_path, status=2)
    domains = data("progress", SMALL, home=tmp_path)["exams"][0]["domains"]
    assert sum(one["seen"] for one in domains) == sum(one["points"] for one in domains) == len(PAPER.items)
    assert "Readiness: It is told once 10 items are answered; 1 is missing." in run("progress", SMALL, home=tmp_path)


def test_a_killed_exam_goes_on_with_its_answers_and_its_time(tmp_path: Path) -> None:
    process = start("exam", SMALL, *DRAWN, home=tmp_path)
    assert process.stdin
    process.stdin.write("note before\ngo 2\nnote the kill\n")
    process.stdin.flush()
    journal = wait_for(tmp_path, "the kill")
    time.sleep(1.2)
    process.send_signal(signal.SIGKILL)
    process.communicate()
    spent = spent_in(journal)
    told = run("exam", "--resume", home=tmp_path, stdin="p\n")
    assert "taken up again" in told and "Item 2 of 9." in told
    assert "Your note: before" in told and "Your note: the kill" in told
    assert "9 minutes left." in told or "8 minutes" in told
    assert spent_in(journal)[: len(spent)] == spent and sum(spent_in(journal)) < 60_000
    assert "was left and is kept" in run("exam", SMALL, "--items", "1", home=tmp_path)


def wait_for(home: Path, text: str) -> Path:
    """The journal that holds `text`, once it does."""
    for _ in range(300):
        for path in home.glob("sessions/exam-*.jsonl"):
            if text in path.read_text("utf-8"):
                return path
        time.sleep(0.1)
    raise AssertionError(f"no journal ever held {text}")


def spent_in(journal: Path) -> list[int]:
    records = [json.loads(line) for line in journal.read_text("utf-8").splitlines()]
    return [record["ms"] for record in records if record.get("event") == "spent"]


def test_study_then_review_what_is_due(tmp_path: Path) -> None:
    told = run("study", "nca-aiio", "--items", "2", "--seed", "3", home=tmp_path, stdin="show\n\nshow\n\n")
    assert told.count("Not right.") == 2 and "0 of 2 points" in told
    [due] = data("review", home=tmp_path)
    assert due["code"] == "NCA-AIIO" and due["today"] >= due["due"]
    assert "Question 1 of" in run("review", home=tmp_path)
    wrong = run("study", "NCA-AIIO", "--wrong", home=tmp_path)
    assert "Question 1 of 2." in wrong
    [stands] = data("progress", home=tmp_path)["exams"]
    assert sum(domain["seen"] for domain in stands["domains"]) == 2 and stands["missing_for_readiness"] == 10


def test_nothing_studied_is_told(tmp_path: Path) -> None:
    assert "Nothing was studied yet" in run("review", home=tmp_path) and data("review", home=tmp_path) == []
    assert "No exam was studied yet" in run("progress", home=tmp_path)
    assert data("progress", home=tmp_path)["exams"] == []
    assert data("report", "--list", home=tmp_path) == []


def test_a_lab_is_played_in_the_shell_and_its_share_is_the_answer(tmp_path: Path) -> None:
    lines = "n\n:submit\nlab\nhostname\n:submit\n"
    told = run("exam", SMALL, "--items", "1", "--labs", "1", "--seed", "5", home=tmp_path, stdin=lines)
    assert "This is done in a shell: `lab` opens it." in told
    assert "head-01" in told and "The lab is handed in." in told and "Evidence" not in told
    assert '"answer":"0"' in next(tmp_path.glob("sessions/exam-*.jsonl")).read_text("utf-8")


def test_an_exam_goes_on_where_nothing_can_be_saved() -> None:
    process = start("exam", SMALL, "--items", "1", "--labs", "0", home=Path("/proc/nowhere"))
    out, err = process.communicate("submit\ny\n", timeout=60)
    assert process.returncode == 0 and "Total: 0 of 1 points" in out
    assert err.count("this session can't be saved") == 1 and "Traceback" not in err


class Screen:
    """The full-screen program, which only notes what it is asked to open."""

    def __init__(self) -> None:
        self.opened: list[Any] = []

    async def open_exam_menu(self, source: str) -> None:
        self.opened.append(source)

    async def open_sitting(self, sitting: Sitting) -> None:
        self.opened.append(sitting)

    async def open_saved(self, found: Saved) -> None:
        self.opened.append(found)

    async def push_screen(self, page: ExamStart) -> None:
        """The page before an exam, on which Enter is pressed at once."""
        self.opened.append(await page.begin_exam(lambda done, of: None))


@pytest.fixture
def screen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Screen:
    """Stands where the full-screen program would open."""
    shown = Screen()

    def show(start: Any = None) -> None:
        if start is not None:
            asyncio.run(start(shown))

    monkeypatch.setenv("BREAKFIX_HOME", str(tmp_path))
    monkeypatch.setattr(full_screen, "possible", lambda: True)
    monkeypatch.setattr(full_screen, "run", show)
    return shown


def opened(screen: Screen, monkeypatch: pytest.MonkeyPatch, *words: str) -> Any:
    """What a verb opens on the screen."""
    monkeypatch.setattr(sys, "argv", ["breakfix", *words])
    assert main() == 0
    return screen.opened.pop()


def test_at_a_terminal_the_full_screen_program_opens(screen: Screen, monkeypatch: pytest.MonkeyPatch) -> None:
    assert opened(screen, monkeypatch, "exam", SMALL) == SMALL
    exam = opened(screen, monkeypatch, "exam", SMALL, *DRAWN, "--extra-time", "50")
    assert exam.attempt.paper.items == PAPER.items and exam.attempt.paper.extra == 50
    exam.close()
    assert opened(screen, monkeypatch, "exam", "--resume", SMALL).header["kind"] == "exam"
    study = opened(screen, monkeypatch, "study", SMALL, "--domain", "doing", "--items", "2")
    assert len(study.queue) == 2 and {study.course.item(id).domain for id in study.queue} == {"doing"}
    study.close()
    review = opened(screen, monkeypatch, "review", SMALL)
    assert not review.is_exam and review.queue
    review.close()
