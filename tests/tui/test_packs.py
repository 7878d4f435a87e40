"""Packs: added, played, built and removed; and what is wrong with one is said before anything of it is kept."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from engine.kernel.errors import BreakfixError
from scenarios.catalogue import places
from scenarios.packs import HEAD, MOST_FILES, SEALED, numbers, read_pack
from scenarios.skeleton import skeleton
from tui import packs
from tui.cli import main
from tui.drills import scenario_named
from tui.home_list import load_entries

HEAD_TEXT = """\
format: 1
id: our-cluster
title: Drills on our own cluster
version: "1.2"
authors: [somebody]
licence: Apache-2.0
"""
UUID = "0b1f6a0e-3a55-4f53-9d5c-3f8f5f0b7a11"


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("BREAKFIX_HOME", str(tmp_path / "home"))
    return tmp_path


def drill(identifier: str = "a-fan") -> str:
    return skeleton(identifier, UUID)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    place = tmp_path / "pack"
    place.mkdir()
    (place / HEAD).write_text(HEAD_TEXT)
    (place / "a-fan.yaml").write_text(drill().replace("site: dgx-h100-4", "site: ./ours.yaml"))
    site = Path(str(places()["all-quiet"][1])).parents[3] / "engine/sites/dgx-h100-4.yaml"
    (place / "ours.yaml").write_text(site.read_text().replace("name: dgx-h100-4", "name: ours"))
    return place


def run(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, *words: str) -> tuple[int, str]:
    monkeypatch.setattr("sys.argv", ["breakfix", *words])
    status = main()
    told = capsys.readouterr()
    return status, told.out + told.err


def test_a_pack_is_added_listed_played_and_removed(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "No pack is kept" in run(capsys, monkeypatch, "pack", "list")[1]
    status, told = run(capsys, monkeypatch, "pack", "add", str(folder))
    assert status == 0 and "breakfix drill our-cluster/a-fan" in told
    assert "our-cluster  1.2" in run(capsys, monkeypatch, "pack", "list")[1]
    scenario = scenario_named("our-cluster/a-fan")
    assert scenario.site == "./ours.yaml" and scenario.ground.inventory().name == "ours"
    assert any(one.drill == "our-cluster/a-fan" for one in load_entries(new_here=False))
    with pytest.raises(BreakfixError, match="a-fan"):
        scenario_named("our-cluster/a-fam")
    assert run(capsys, monkeypatch, "pack", "remove", "our-cluster")[0] == 0
    status, told = run(capsys, monkeypatch, "pack", "remove", "our-cluster")
    assert status == 2 and "our-cluster" in told and not packs.names()


def test_a_learners_copy_has_no_solution_and_can_be_added(folder: Path, tmp_path: Path) -> None:
    target = tmp_path / "learner.zip"
    packs.build(folder, target, solutions=False)
    pack = packs.add(target)
    scenario = pack.scenarios["a-fan"]
    assert scenario.solution == SEALED and not scenario.wrong_fixes and scenario.goals
    whole = tmp_path / "whole.zip"
    packs.build(folder, whole, solutions=True)
    packs.build(folder, tmp_path / "again.zip", solutions=True)
    assert whole.read_bytes() == (tmp_path / "again.zip").read_bytes()
    assert packs.read(whole).scenarios["a-fan"].solution != SEALED


def zipped(entries: dict[str, bytes]) -> Callable[[Path], Path]:
    def write(place: Path) -> Path:
        path = place / "hostile.zip"
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            for name, content in entries.items():
                archive.writestr(name, content)
        return path

    return write


GOOD = {HEAD: HEAD_TEXT.encode(), "a-fan.yaml": drill().encode()}
MANY = "\n".join('  - {fault: cooling.fan_failed, target: "{fan}", onset: "-{since}"}' for _ in range(10_000))
HOSTILE: dict[str, tuple[dict[str, bytes], str]] = {
    "no head": ({"a-fan.yaml": GOOD["a-fan.yaml"]}, "there is no pack.yaml"),
    "out of its folder": ({**GOOD, "../../evil.yaml": b"x"}, "is no name of a file in a pack"),
    "absolute": ({**GOOD, "/etc/evil.yaml": b"x"}, "is no name of a file in a pack"),
    "a program": ({**GOOD, "run.py": b"print()"}, "is no name of a file in a pack"),
    "a folder": ({**GOOD, "more/a.yaml": b"x"}, "is no name of a file in a pack"),
    "too many": ({**GOOD, **{f"f{number}.txt": b"" for number in range(MOST_FILES)}}, "at most"),
    "a bomb": ({**GOOD, "zeros.txt": b"\0" * (60 << 20)}, "larger than"),
    "aliases": ({**GOOD, HEAD: b"a: &a [x]\nb: [*a, *a]\n"}, "anchor"),
    "a tag": ({**GOOD, HEAD: b"!!python/object/apply:os.system ['true']\n"}, "tag"),
    "a newer one": ({**GOOD, HEAD: HEAD_TEXT.encode() + b'requires: "99.1"\n'}, "needs breakfix 99.1"),
    "unknown keys": ({**GOOD, HEAD: HEAD_TEXT.encode() + b"run: rm -rf /\n"}, "run"),
    "ten thousand faults": (
        {**GOOD, "a-fan.yaml": drill().replace("faults:\n", f"faults:\n{MANY}\n").encode()},
        "at most",
    ),
    "a pattern that explodes": (
        {**GOOD, "a-fan.yaml": drill().replace("{regex: '", "{regex: '((a{90}){90}){90}", 1).encode()},
        "pattern",
    ),
    "another name": ({HEAD: GOOD[HEAD], "b.yaml": GOOD["a-fan.yaml"]}, "make them the same"),
    "nothing to play": ({HEAD: GOOD[HEAD]}, "there is no scenario"),
    "a site from elsewhere": (
        {**GOOD, "a-fan.yaml": drill().replace("site: dgx-h100-4", "site: ../../x.yaml").encode()},
        "no file beside this one",
    ),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_what_is_wrong_is_said_and_nothing_is_kept(name: str, tmp_path: Path) -> None:
    entries, says = HOSTILE[name]
    with pytest.raises(BreakfixError) as error:
        packs.add(zipped(entries)(tmp_path))
    assert says in error.value.message + str(error.value.hint), error.value.message[:300]
    assert not packs.names()


def test_a_damaged_zip_a_link_and_nothing_at_all(tmp_path: Path, folder: Path) -> None:
    path = zipped(GOOD)(tmp_path)
    damaged = bytearray(path.read_bytes())
    damaged[60:120] = b"\0" * 60
    (tmp_path / "damaged.zip").write_bytes(bytes(damaged))
    (tmp_path / "text.zip").write_bytes(b"hello")
    (folder / "passwd.txt").symlink_to("/etc/passwd")
    for place, says in (
        (tmp_path / "damaged.zip", "damaged.zip"),
        (tmp_path / "text.zip", "no zip"),
        (tmp_path / "nowhere", "can't be read"),
        (folder, "no plain file"),
    ):
        with pytest.raises(BreakfixError, match=says):
            packs.add(place)
    assert not packs.names()


def test_a_zip_with_a_folder_around_it_is_read() -> None:
    assert read_pack(GOOD, "0.3").head.id == "our-cluster"
    assert numbers("0.10.dev3") > numbers("0.9") and numbers("x") == (0,)


def test_ones_data_is_exported_and_erased(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    packs.add(folder)
    target = tmp_path / "mine.zip"
    assert run(capsys, monkeypatch, "data", "export", str(target))[0] == 0
    with zipfile.ZipFile(io.BytesIO(target.read_bytes())) as archive:
        assert "packs/our-cluster/pack.yaml" in archive.namelist()
    assert run(capsys, monkeypatch, "data", "erase")[0] == 1 and packs.names()
    assert run(capsys, monkeypatch, "data", "erase", "--yes")[0] == 0 and not packs.names()
    assert str(tmp_path / "home") in run(capsys, monkeypatch, "data", "where")[1]
