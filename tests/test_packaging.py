"""The wheel: what is in it, and that it works on its own from a folder with an `engine/` and a `tests/` of its own.

It is built from a copy of the sources, without the network, and installed into an environment of its own that borrows
only the dependencies from the one the tests run in.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import sysconfig
import tomllib
import venv
import zipfile
from pathlib import Path

import pytest

PROJECT = Path(__file__).resolve().parent.parent
PACKAGES = ("engine", "scenarios", "exams", "tui")
DATA = {".yaml", ".yml", ".json", ".txt", ".tcss", ".md", ".sh", ".html"}
PIP = (sys.executable, "-m", "pip", "--disable-pip-version-check", "--quiet")

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("packaging")]


def run(*command: str | Path, cwd: Path) -> str:
    done = subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel built from a copy of the sources: a build in the checkout would leave its traces there."""
    copy = tmp_path_factory.mktemp("sources") / "breakfix"
    copy.mkdir()
    for package in PACKAGES:
        shutil.copytree(PROJECT / package, copy / package, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(PROJECT / name, copy)
    (copy / "tests").mkdir()
    (copy / "tests" / "__init__.py").touch()
    run(*PIP, "wheel", "--no-deps", "--no-index", "--no-build-isolation", "--wheel-dir", "out", ".", cwd=copy)
    return next((copy / "out").glob("breakfix-*.whl"))


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The bin folder of an environment with the wheel, in which the checkout is not importable."""
    place = tmp_path_factory.mktemp("installed")
    venv.create(place, with_pip=False, symlinks=True)
    packages = next(place.glob("lib/python*/site-packages"))
    (packages / "dependencies.pth").write_text(sysconfig.get_path("purelib") + "\n", "utf-8")
    python = place / "bin" / "python"
    run(*PIP, "--python", python, "install", "--no-deps", "--no-index", "--force-reinstall", wheel, cwd=place)
    return place / "bin"


@pytest.fixture
def hostile_folder(tmp_path: Path) -> Path:
    """A working directory whose own packages bear the names of ours, and end whoever imports them."""
    for name in (*PACKAGES, "tests"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "__init__.py").write_text("raise SystemExit('the wrong package')\n", "utf-8")
    return tmp_path


def test_wheel_holds_every_module_and_data_file(wheel: Path) -> None:
    expected = {
        path.relative_to(PROJECT).as_posix()
        for package in PACKAGES
        for path in (PROJECT / package).rglob("*")
        if path.suffix in DATA | {".py"} and "__pycache__" not in path.parts
    }
    assert expected - set(zipfile.ZipFile(wheel).namelist()) == set()


def test_wheel_holds_nothing_else(wheel: Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()
    assert {name.partition("/")[0] for name in names if ".dist-info/" not in name} == set(PACKAGES)
    assert any(name.endswith("licenses/LICENSE") for name in names)


def test_data_files_have_a_packaged_ending() -> None:
    stray = [
        path.relative_to(PROJECT).as_posix()
        for package in PACKAGES
        for path in (PROJECT / package).rglob("*")
        if path.is_file() and path.suffix not in DATA | {".py", ".pyc"}
    ]
    assert stray == [], "pyproject.toml packages no file with this ending"


def test_console_script_is_not_shadowed(installed: Path, hostile_folder: Path) -> None:
    if not (PROJECT / "tui" / "cli.py").exists():
        pytest.skip("the command line is not there yet")
    version = tomllib.loads((PROJECT / "pyproject.toml").read_text("utf-8"))["project"]["version"]
    assert version in run(installed / "breakfix", "--version", cwd=hostile_folder)
    sites = run(installed / "breakfix", "list", "sites", "--json", cwd=hostile_folder)
    assert "dgx-h100-4" in sites


def test_installed_packages_are_the_wheels(installed: Path, tmp_path: Path) -> None:
    code = "; ".join(["import " + ", ".join(PACKAGES), f"print(*(m.__file__ for m in ({', '.join(PACKAGES)})))"])
    places = run(installed / "python", "-I", "-c", code, cwd=tmp_path).split()
    assert [Path(place).is_relative_to(installed.parent) for place in places] == [True] * len(PACKAGES)


def pins(text: str) -> dict[str, str]:
    """Package (normalised as package indexes do) -> version, for every exact pin in a text."""
    found = re.findall(r"^[\s\"]*([A-Za-z0-9._-]+)==([^\s\";,]+)", text, re.MULTILINE)
    return {re.sub(r"[-_.]+", "-", name).lower(): version for name, version in found}


def test_direct_pins_agree_with_the_constraints() -> None:
    project = tomllib.loads((PROJECT / "pyproject.toml").read_text("utf-8"))
    direct = [*project["project"]["dependencies"], *project["project"]["optional-dependencies"]["test"]]
    constraints = pins((PROJECT / "constraints.txt").read_text("utf-8"))
    wanted = pins("\n".join(direct))
    assert len(wanted) == len(direct), "every direct dependency is an exact pin"
    assert {name: constraints.get(name) for name in wanted} == wanted
