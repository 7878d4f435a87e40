"""`breakfix author` and `breakfix list` for banks and blueprints."""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable
from pathlib import Path

import pytest

from engine.kernel.errors import BreakfixError
from tui import exam_author
from tui.commands import author
from tui.commands import list as listing

Run = Callable[..., int]


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """`breakfix author ...` in an empty folder."""
    monkeypatch.chdir(tmp_path)

    def run(*words: str) -> int:
        parser = argparse.ArgumentParser()
        author.add_arguments(parser)
        return author.run(parser.parse_args(words))

    return run


def test_new_files_pass_the_check(run: Run, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("new", "blueprint", "mine") == 0
    assert run("new", "bank", "links", "--blueprint", "mine.yaml") == 0
    assert run("new", "bank", "more", "--blueprint", "NCA-AIIO") == 0
    assert run("new", "drill", "slow") == 0
    made = ["mine.yaml", "mine/links.yaml", "more.yaml", "slow.yaml"]
    assert sorted(str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*.yaml")) == sorted(made)
    capsys.readouterr()
    assert run("check", "slow.yaml") == 1
    assert all(line.endswith("still to be written") for line in capsys.readouterr().err.splitlines())
    assert run("check", "--seeds", "2", *made[:-1]) == 0
    shown = capsys.readouterr()
    assert shown.out.splitlines()[1:] == [
        "mine/links.yaml: 3 items, no mistakes found",
        "more.yaml: 3 items, no mistakes found",
    ]
    assert all(": warning: " in line for line in shown.err.splitlines())


def test_mistakes_fail_and_stand_on_their_lines(run: Run, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run("new", "bank", "links", "--blueprint", "nca-aiio")
    bank = tmp_path / "links.yaml"
    bank.write_text(bank.read_text().replace("because: Tell which one.", "because: Wrong."))
    line = next(number for number, text in enumerate(bank.read_text().splitlines(), 1) if "because: Wrong." in text)
    capsys.readouterr()
    assert run("check", "--seeds", "1", "links.yaml") == 1
    shown = capsys.readouterr()
    assert shown.err.startswith(f"links.yaml:{line}: links-question: the explanation says nothing")
    assert shown.out == "links.yaml: 3 items, 1 mistake\n"


def test_the_day_can_be_said(run: Run, capsys: pytest.CaptureFixture[str]) -> None:
    run("new", "bank", "links", "--blueprint", "nca-aiio")
    assert run("check", "--seeds", "1", "--today", "2020-01-01", "links.yaml") == 1
    assert "which is after 2020-01-01" in capsys.readouterr().err
    with pytest.raises(BreakfixError, match="--today soon"):
        run("check", "--today", "soon", "links.yaml")


def test_a_name_that_means_nothing_is_told_with_the_nearest(run: Run, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("check", "nca-aio", "all-quite") == 1
    shown = capsys.readouterr()
    assert 'unknown scenario or exam "nca-aio"; did you mean "nca-aiio"' in shown.err
    assert 'did you mean "all-quiet"?' in shown.err and shown.out == ""


def test_preview_shows_the_item_its_key_and_why(run: Run, capsys: pytest.CaptureFixture[str]) -> None:
    run("new", "bank", "links", "--blueprint", "nca-aiio")
    capsys.readouterr()
    assert run("preview", "links.yaml", "--seed", "3", "--item", "links-exhibit") == 0
    shown = capsys.readouterr().out
    assert "links-exhibit, seed 3  (links.yaml:" in shown and "$ sinfo -N -n dgx-" in shown
    assert shown.count("\nright ") == 1 and shown.count("\nwrong ") == 2
    assert "links-number" not in shown and "The list of jobs has a line" in shown
    with pytest.raises(BreakfixError, match='did you mean "links-number"'):
        run("preview", "links.yaml", "--item", "links-numbr")
    with pytest.raises(BreakfixError, match="neither a bank"):
        run("preview", "hot-node", "--item", "links-exhibit")


def test_a_file_is_never_overwritten_and_a_bank_needs_its_exam(run: Run, tmp_path: Path) -> None:
    (tmp_path / "links.yaml").write_text("mine")
    with pytest.raises(BreakfixError, match="is there already"):
        run("new", "bank", "links", "--blueprint", "nca-aiio")
    with pytest.raises(BreakfixError, match="belongs to an exam"):
        run("new", "bank", "other")
    with pytest.raises(BreakfixError, match="is for banks"):
        run("new", "blueprint", "other", "--blueprint", "nca-aiio")
    with pytest.raises(BreakfixError, match="is no id"):
        run("new", "bank", "../other", "--blueprint", "nca-aiio")
    assert [path.name for path in tmp_path.iterdir()] == ["links.yaml"]
    assert (tmp_path / "links.yaml").read_text() == "mine"


@pytest.mark.parametrize(("kind", "key"), [("scenario", "site"), ("bank", "items"), ("blueprint", "domains")])
def test_each_format_has_a_schema(kind: str, key: str, run: Run, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("schema", kind) == 0
    schema = json.loads(capsys.readouterr().out)
    assert schema["title"] == f"breakfix {kind}" and key in schema["properties"]


def test_progress_is_told_on_a_terminal_only(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert exam_author._progress("x") is None
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    show = exam_author._progress("x")
    assert show is not None
    show(1, 2)
    show(2, 2)
    assert capsys.readouterr().err == "\r\x1b[Kx: item 1 of 2\r\x1b[K"


def test_exams_are_listed_with_what_there_is_of_them(capsys: pytest.CaptureFixture[str]) -> None:
    for words in (["exams"], ["exams", "--json"]):
        parser = argparse.ArgumentParser()
        listing.add_arguments(parser)
        assert listing.run(parser.parse_args(words)) == 0
    table, _, data = capsys.readouterr().out.partition("[")
    rows = {row["id"]: row for row in json.loads("[" + data)}
    row = rows["nca-aiio"]
    assert (row["code"], row["questions"], row["minutes"]) == ("NCA-AIIO", 50, 60)
    assert sum(domain["items"] for domain in row["domains"]) == row["items"] > 0
    counts = {id: str(row["items"] or "no") for id, row in rows.items()}
    assert [line.split()[:2] for line in table.splitlines()] == [[id, counts[id]] for id in rows]
