"""The catalogue of Xids and of the NVSwitches' SXids, as data: xids.txt, texts.txt and sxids.txt beside this module,
whose first lines say where each column comes from.

An entry says what the number means, what is to be done, who can cause it, what dies of it, which recovery action the
driver asks for, and the error that CUDA gives to the programs that die. Texts hold their parameters as {name}; one
without a source is marked so.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from types import MappingProxyType

from engine.world.records import RecoveryAction

Values = Mapping[str, int | str]
"""Parameters of a text by name."""

_NOTHING = "-"
_RECOVERY = {"drain and reset": RecoveryAction.DRAIN_AND_RESET, "reset": RecoveryAction.RESET}


@dataclass(frozen=True, slots=True)
class Xid:
    """An Xid. `action` and `investigation` are NVIDIA's buckets, `causes` who can cause it (hw, driver, app, ram, bus,
    heat, fb, fabric).

    `dies` is process (the one whose channel it is), all or none; `told` how the driver tells those: by Xid 45, by 43,
    by the same number again (own), or not (""). `cuda_error` is the number of CUDA's error, 0 for none.
    """

    number: int
    name: str
    meaning: str
    action: str
    investigation: str
    causes: tuple[str, ...]
    dies: str
    told: str
    recovery: RecoveryAction | None
    cuda_error: int

    @property
    def by_application(self) -> bool:
        """Whether a program can cause it by a mistake of its own."""
        return "app" in self.causes


@dataclass(frozen=True, slots=True)
class SXid:
    """An SXid. `severity` is how the driver reports it: nonfatal, fatal, contained (fatal, and the link is taken out)
    or ""; `reach` how far it goes by the fabric manager's guide: nonfatal, potential, always or "".
    """

    number: int
    name: str
    severity: str
    reach: str
    action: str
    text: str


@dataclass(frozen=True, slots=True)
class Text:
    """What follows the number: `form` tells the texts of one Xid apart, `since` is the release of the driver from which
    it reads so, `mark` capture, source or guess.
    """

    number: int
    form: str
    since: int
    mark: str
    template: str


@cache
def xids() -> Mapping[int, Xid]:
    """Every Xid by number."""
    return MappingProxyType({entry.number: entry for entry in map(_xid, _rows("xids"))})


@cache
def sxids() -> Mapping[int, SXid]:
    """Every SXid by number."""
    found = {}
    for number, *words in _rows("sxids"):
        name, severity, reach, action, text = map(_or_empty, words)
        found[int(number)] = SXid(int(number), name, severity, reach, action, text)
    return MappingProxyType(found)


@cache
def texts() -> tuple[Text, ...]:
    """All texts, in the order of the table."""
    return tuple(
        Text(int(number), form, int(since), mark, template) for number, form, since, mark, template in _rows("texts")
    )


def text(number: int, release: int, values: Values = MappingProxyType({}), form: str = "") -> str:
    """What the driver of a release writes after the number. Raises KeyError for a form that the table lacks or a
    parameter that is not given.
    """
    fitting = [each for each in texts() if (each.number, each.form) == (number, form) and each.since <= release]
    if not fitting:
        raise KeyError(f"Xid {number} has no text {form!r}")
    return max(fitting, key=lambda each: each.since).template.format(**values)


def _xid(row: tuple[str, ...]) -> Xid:
    number, name, meaning, action, investigation, causes, dies, told, recovery, cuda_error = row
    return Xid(
        int(number),
        name,
        _or_empty(meaning),
        _or_empty(action),
        _or_empty(investigation),
        tuple(_or_empty(causes).split()),
        dies,
        _or_empty(told),
        _RECOVERY.get(recovery),
        0 if cuda_error == _NOTHING else int(cuda_error),
    )


def _or_empty(word: str) -> str:
    return "" if word == _NOTHING else word


def _rows(name: str) -> tuple[tuple[str, ...], ...]:
    """The lines of a table beside this module, each cut at its `|`."""
    lines = files(__package__).joinpath(f"{name}.txt").read_text("utf-8").splitlines()
    return tuple(
        tuple(cell.strip() for cell in line.split("|")) for line in lines if line.strip() and not line.startswith("#")
    )
