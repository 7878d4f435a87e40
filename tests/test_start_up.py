"""What a start imports: a one-shot call stays fast because it loads only what it uses.

Each case runs in a Python of its own and looks at `sys.modules` at the end.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

# Libraries that take tens of milliseconds to import, or that only the full-screen program or an exam needs.
HEAVY = {"numpy", "networkx", "textual", "pydantic", "rich", "prompt_toolkit", "asyncio"}
HEAVY_FOR_KERNEL = HEAVY | {"bashkit", "tree_sitter", "re2", "yaml", "platformdirs"}
HEAVY_FOR_VERSION = HEAVY_FOR_KERNEL | {"engine.sites", "engine.shell", "engine.commands", "scenarios", "exams"}

# "A handful": the command itself, the one that led to it (ssh, sudo) and the ones that share a module with it.
COMMAND_MODULES_OF_A_ONE_SHOT = 6

REPORT = """
import json, sys
try:
    {body}
except SystemExit as end:
    assert not end.code, end.code
print(json.dumps(sorted(sys.modules)), file=sys.stderr)
"""


def modules_after(body: str, folder: Path) -> set[str]:
    """The modules that a fresh Python has loaded after `body`."""
    run = subprocess.run(
        [sys.executable, "-c", REPORT.format(body=body)], cwd=folder, capture_output=True, text=True, check=False
    )
    assert run.returncode == 0, run.stderr
    return set(json.loads(run.stderr.splitlines()[-1]))


def breakfix(arguments: list[str]) -> str:
    """The body that runs the console command with these arguments."""
    return f"from tui.cli import main; sys.argv = {['breakfix', *arguments]!r}; sys.exit(main())"


@pytest.fixture
def command_line(project: Path) -> None:
    if not (project / "tui" / "cli.py").exists():
        pytest.skip("the command line is not there yet")


@pytest.mark.parametrize("module", ["engine", "engine.kernel"])
def test_kernel_imports_nothing_heavy(module: str, project: Path) -> None:
    loaded = modules_after(f"import {module}", project)
    assert module in loaded
    assert loaded & HEAVY_FOR_KERNEL == set()


@pytest.mark.usefixtures("command_line")
def test_version_imports_next_to_nothing(project: Path) -> None:
    loaded = modules_after(breakfix(["--version"]), project)
    assert "tui.cli" in loaded
    assert loaded & HEAVY_FOR_VERSION == set()


@pytest.mark.usefixtures("command_line")
def test_one_shot_command_imports_a_handful(project: Path) -> None:
    if not list((project / "engine" / "commands").rglob("nvidia_smi.py")):
        pytest.skip("nvidia-smi is not there yet")
    loaded = modules_after(breakfix(["shell", "--site", "dgx-h100-4", "-c", "ssh dgx-01 nvidia-smi"]), project)
    assert loaded & {"numpy", "networkx", "textual", "prompt_toolkit", "exams"} == set()
    commands = {".".join(name.split(".")[:4]) for name in loaded if re.match(r"engine\.commands\.\w+\.\w+", name)}
    assert "engine.commands.gpu.nvidia_smi" in commands
    assert len(commands) <= COMMAND_MODULES_OF_A_ONE_SHOT, sorted(commands)
