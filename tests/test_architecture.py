"""The shape of the code: import contracts, docstrings, sizes, and what the engine must never do.

A rule that a file has a good reason to break takes an entry in the table beside the rule, with that reason.
"""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

PROJECT = Path(__file__).resolve().parent.parent
PACKAGES = ("engine", "scenarios", "exams", "tui")
LINES_OF_A_FILE = 400
LINES_OF_A_FUNCTION = 50

# path -> why it is better in one piece
LONG_FILES: dict[str, str] = {}
# path:function -> why it is better in one piece
LONG_FUNCTIONS: dict[str, str] = {}
# (path, what the engine must not do) -> why it may here
ENGINE_EXCEPTIONS: dict[tuple[str, str], str] = {
    ("engine/kernel/quick_dataclass.py", "exec()"): "methods of dataclasses are compiled, as the standard library does",
    ("engine/shell/bash.py", "os.environ"): "the interpreter library takes the number of its threads from nowhere else",
}

# Modules that reach the host, its clock or chance. Random draws come from engine.kernel's named streams.
FORBIDDEN_MODULES = {
    "http", "multiprocessing", "pathlib", "random", "secrets", "shutil", "socket", "subprocess", "tempfile", "urllib",
    "uuid",
}  # fmt: skip

# Of these modules the engine may use the named attributes only: the rest read the host or its clock, differ between
# platforms (the C library's transcendental functions), or depend on the machine's locale.
ALLOWED_ATTRIBUTES = {
    "os": {"path", "sep", "fspath", "PathLike"},
    "time": {"sleep"},  # the pause in which a pipeline of real threads settles; it reads nothing
    "math": {"ceil", "comb", "copysign", "floor", "gcd", "inf", "isclose", "isfinite", "isinf", "isnan", "isqrt", "lcm",
             "nan", "perm", "prod", "sqrt", "trunc"},
}  # fmt: skip

# Functions of the language itself: real files, code from text, and values that differ from run to run.
FORBIDDEN_BUILTINS = {"open", "eval", "exec", "compile", "input", "hash", "breakpoint"}
CLOCK_METHODS = {"now", "utcnow", "today", "fromtimestamp"}


def sources(*packages: str) -> list[Path]:
    return sorted(path for package in packages for path in (PROJECT / package).rglob("*.py"))


def name_of(path: Path) -> str:
    return path.relative_to(PROJECT).as_posix()


def parse(path: Path) -> ast.Module:
    return ast.parse(path.read_text("utf-8"), filename=str(path))


def imports(tree: ast.AST) -> Iterator[tuple[int, str, str | None]]:
    """(line, module, name taken from it) of each absolute import."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name, None) for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and not node.level and node.module:
            yield from ((node.lineno, node.module, alias.name) for alias in node.names)


def import_faults(tree: ast.AST) -> Iterator[tuple[int, str]]:
    for line, module, name in imports(tree):
        top = module.partition(".")[0]
        if top in FORBIDDEN_MODULES and not (module == "pathlib" and name == "PurePosixPath"):
            yield line, f"import {top}"
        elif top in ALLOWED_ATTRIBUTES and name is not None and module == top and name not in ALLOWED_ATTRIBUTES[top]:
            yield line, f"{top}.{name}"


def modules_by_alias(tree: ast.AST) -> dict[str, str]:
    """The names under which a file knows the modules of ALLOWED_ATTRIBUTES."""
    return {
        alias.asname or alias.name: alias.name
        for node in ast.walk(tree)
        if isinstance(node, ast.Import)
        for alias in node.names
        if alias.name in ALLOWED_ATTRIBUTES
    }


def use_faults(tree: ast.AST) -> Iterator[tuple[int, str]]:
    aliases = modules_by_alias(tree)
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            module = aliases.get(node.value.id)
            if module and node.attr not in ALLOWED_ATTRIBUTES[module]:
                yield node.lineno, f"{module}.{node.attr}"
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in FORBIDDEN_BUILTINS:
            yield node.lineno, f"{node.func.id}()"


def clock_faults(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """Calls such as datetime.now() and datetime.datetime.now(), which read the host's clock or its time zone."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in CLOCK_METHODS:
            owner = ast.unparse(node.func.value).rpartition(".")[2]
            zoned = node.func.attr == "fromtimestamp" and len(node.args) + len(node.keywords) > 1
            if owner in ("datetime", "date") and not zoned:
                yield node.lineno, f"{owner}.{node.func.attr}"


def engine_faults(tree: ast.AST) -> list[tuple[int, str]]:
    return sorted([*import_faults(tree), *use_faults(tree), *clock_faults(tree)])


def functions(tree: ast.AST) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    return (node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef))


def lines_of(function: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    return (function.end_lineno or function.lineno) - function.lineno + 1


def test_import_contracts_hold() -> None:
    script = Path(sys.executable).with_name("lint-imports")
    run = subprocess.run([script, "--no-cache"], cwd=PROJECT, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stdout + run.stderr


def test_every_module_has_a_docstring() -> None:
    assert [name_of(path) for path in sources(*PACKAGES) if not ast.get_docstring(parse(path))] == []


def test_files_are_short() -> None:
    long = {name_of(path) for path in sources(*PACKAGES) if len(path.read_text("utf-8").splitlines()) > LINES_OF_A_FILE}
    assert sorted(long - set(LONG_FILES)) == [], f"over {LINES_OF_A_FILE} lines"
    assert sorted(set(LONG_FILES) - long) == [], "allowed to be long, and is not"


def test_functions_are_short() -> None:
    long = {
        f"{name_of(path)}:{function.name}"
        for path in sources(*PACKAGES)
        for function in functions(parse(path))
        if lines_of(function) > LINES_OF_A_FUNCTION
    }
    assert sorted(long - set(LONG_FUNCTIONS)) == [], f"over {LINES_OF_A_FUNCTION} lines"
    assert sorted(set(LONG_FUNCTIONS) - long) == [], "allowed to be long, and is not"


def test_engine_touches_neither_host_nor_clock_nor_chance() -> None:
    found = [(name_of(path), line, what) for path in sources("engine") for line, what in engine_faults(parse(path))]
    assert [f"{path}:{line}: {what}" for path, line, what in found if (path, what) not in ENGINE_EXCEPTIONS] == []
    assert set(ENGINE_EXCEPTIONS) - {(path, what) for path, _, what in found} == set(), "an exception nobody needs"


@pytest.mark.parametrize(
    ("code", "what"),
    [
        ("import random", "import random"),
        ("from random import choice", "import random"),
        ("import urllib.request", "import urllib"),
        ("from pathlib import Path", "import pathlib"),
        ("import time\ntime.time()", "time.time"),
        ("import time as clock\nclock.monotonic_ns()", "time.monotonic_ns"),
        ("from time import time", "time.time"),
        ("import os\nos.system('ls')", "os.system"),
        ("import os\nx = os.environ['HOME']", "os.environ"),
        ("import math\nmath.exp(1)", "math.exp"),
        ("from datetime import datetime\ndatetime.now()", "datetime.now"),
        ("import datetime\ndatetime.datetime.now(datetime.UTC)", "datetime.now"),
        ("from datetime import date\ndate.today()", "date.today"),
        ("from datetime import datetime\ndatetime.fromtimestamp(5)", "datetime.fromtimestamp"),
        ("open('/etc/passwd')", "open()"),
        ("hash('a')", "hash()"),
    ],
)
def test_engine_check_sees(code: str, what: str) -> None:
    assert [found for _, found in engine_faults(ast.parse(code))] == [what]


@pytest.mark.parametrize(
    "code",
    [
        "from engine.kernel import random",
        "from . import random",
        "from pathlib import PurePosixPath",
        "import math\nmath.sqrt(2)",
        "import os.path\nos.path.join('a', 'b')",
        "from importlib import resources\nresources.files('engine.sites').joinpath('a').read_text()",
        "from datetime import UTC, datetime\ndatetime.fromtimestamp(5, UTC)",
        "self.open(path)",
        "import time\ntime.sleep(0.002)",
    ],
)
def test_engine_check_lets_pass(code: str) -> None:
    assert engine_faults(ast.parse(code)) == []
