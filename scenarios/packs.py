"""Packs: scenarios that somebody gives to others, in a folder or a zip with a `pack.yaml`. They are checked here as
bytes by name; nothing of a pack is ever run but its scenarios, as scenarios.

    format: 1
    id: our-cluster
    title: Drills on our own cluster
    version: "1.0"
    authors: [Mara Lindqvist]
    licence: Apache-2.0
    requires: "0.1"          # the oldest breakfix that can play it

Beside it lie scenario files, and the site files that they name. There are no folders in a pack.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Literal

import yaml
from pydantic import Field

from engine.kernel.documents import SIZE_LIMIT, read_document
from engine.kernel.errors import BreakfixError
from engine.kernel.names import quoted
from engine.kernel.validation import StrictModel, validate
from scenarios.load import load
from scenarios.model import Id, Scenario, Short

HEAD = "pack.yaml"
MOST_FILES, MOST_BYTES = 200, 8 << 20
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,80}\.(ya?ml|md|txt)")
_SITE = re.compile(rb"^switches:|^nodes:|^netlist:", re.MULTILINE)
_LEFT_OUT = ("wrong_fixes",)
SEALED = ":note the reference solution is not in this copy\n"
"""What stands in the place of a solution that was left out."""


class PackModel(StrictModel):
    """pack.yaml."""

    format: Literal[1]
    id: Id
    title: Short
    version: Annotated[str, Field(pattern=r"^\d+(\.\d+){0,3}$", max_length=30)]
    authors: Annotated[tuple[Short, ...], Field(min_length=1)]
    licence: Short
    about: Short | None = None
    requires: Annotated[str, Field(pattern=r"^\d+(\.\d+){0,3}$", max_length=30)] = "0"


@dataclass(frozen=True)
class Pack:
    """A pack that was read and found good: its head, its scenarios by id, and its files."""

    head: PackModel
    scenarios: Mapping[str, Scenario]
    files: Mapping[str, bytes]


def read_pack(files: Mapping[str, bytes], version: str) -> Pack:
    """The pack in some files, for a breakfix of a version. Raises BreakfixError with all that is wrong in it."""
    _require_names(files)
    if HEAD not in files:
        raise BreakfixError(f"there is no {HEAD} in it", "docs/authoring.md says what stands in it.")
    head = validate(read_document(files[HEAD], HEAD), PackModel)
    if numbers(head.requires) > numbers(version):
        raise BreakfixError(f"the pack {head.id} needs breakfix {head.requires}, and this is {version}")
    found: dict[str, Scenario] = {}
    for name in sorted(files):
        if name.endswith((".yaml", ".yml")) and name != HEAD and not _SITE.search(files[name]):
            scenario = load(files[name], name, name.rpartition(".")[0], lambda other: _beside(files, other))
            found[scenario.id] = scenario
    if not found:
        raise BreakfixError(f"there is no scenario in the pack {head.id}")
    return Pack(head, found, dict(files))


def _require_names(files: Mapping[str, bytes]) -> None:
    if len(files) > MOST_FILES:
        raise BreakfixError(f"there are {len(files)} files in it; a pack has at most {MOST_FILES}")
    if sum(map(len, files.values())) > MOST_BYTES:
        raise BreakfixError(f"it is larger than {MOST_BYTES >> 20} MB")
    for name, content in files.items():
        if not _NAME.fullmatch(name):
            raise BreakfixError(
                f"{quoted(name)} is no name of a file in a pack",
                "A pack has YAML, Markdown and text files, and no folders.",
            )
        if len(content) > SIZE_LIMIT:
            raise BreakfixError(f"{name} is larger than {SIZE_LIMIT >> 20} MB")


def _beside(files: Mapping[str, bytes], name: str) -> bytes:
    if name not in files:
        raise BreakfixError(f"there is no {quoted(name)} in the pack")
    return files[name]


def numbers(version: str) -> tuple[int, ...]:
    """A version's numbers, to be compared: `0.10` is more than `0.9`. What is behind them (`.dev3`) does not count."""
    found = re.match(r"\d+(\.\d+)*", version)
    return tuple(int(part) for part in found[0].split(".")) if found else (0,)


def without_solutions(pack: Pack) -> dict[str, bytes]:
    """The pack's files for learners: without reference solutions and wrong repairs. Comments are gone as well."""
    return {name: _sealed(name, content, pack) for name, content in pack.files.items()}


def _sealed(name: str, content: bytes, pack: Pack) -> bytes:
    if name.rpartition(".")[0] not in pack.scenarios:
        return content
    data: Any = read_document(content, name).data
    kept = {key: value for key, value in data.items() if key not in _LEFT_OUT} | {"solution": SEALED}
    return str(yaml.safe_dump(kept, sort_keys=False, allow_unicode=True, width=120)).encode()
