"""dcgmi: whether the host engine answers, the GPUs that it lists, its health report, and results of diagnostics.

DCGM numbers the GPUs that the driver held when the host engine started, so a number names a GPU only where none is
missing: then a diagnostic that ran on all of them lists as many device ids as the node has GPUs. Addresses always do.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from tui.look.glyphs import State
from tui.seen.knowledge import Sighting
from tui.seen.reading import Reading, Shape
from tui.seen.shell_words import Words

COMMANDS = ("dcgmi",)

_NO_CONNECTION = "Error: unable to establish a connection to the specified host: localhost"
_HEADS = {
    "discovery": re.compile(r"\d+ GPUs? found"),
    "diag": re.compile(r"Successfully ran diagnostic for group\.$"),
}
_ADDRESS = re.compile(r"\|\s+\| PCI Bus ID: ([0-9A-F]{8}:[0-9A-F]{2}:[0-9A-F]{2}\.0) ")
_NAMELESS = re.compile(r"\|\s+\| PCI Bus ID: <<<NULL>>> ")
_OVERALL = re.compile(r"\| Overall Health +\| (Healthy|Warning|Failure) ")
_DEVICES = re.compile(r"\| GPU Device IDs Detected +\| ([0-9a-f, ]+?) +\|$")
_TEST = re.compile(r"\| (\w[\w ]*?) +\| (Pass|Skip|Warn|Fail) +\|$")
_RESULT = re.compile(r"\| +\| GPU(\d+): (Pass|Skip|Fail) +\|$")
_END = "+---------------------------+------------------------------------------------+"


def head(words: Words) -> re.Pattern[str] | None:
    """The first line of a list of GPUs and of a diagnostic's report."""
    return _HEADS.get(words[1]) if len(words) > 1 else None


def read(reading: Reading) -> Iterator[Sighting]:
    """What the subsystem that was called tells."""
    subsystem = reading.words[1] if len(reading.words) > 1 else ""
    if _NO_CONNECTION in reading.lines and "--host" not in reading.words:
        yield reading.saw(reading.host, "host engine", "does not answer", State.DEGRADED)
    elif subsystem == "discovery":
        yield from _discovery(reading)
    elif subsystem == "health":
        yield from _health(reading)
    elif subsystem == "diag" and reading.shape >= Shape.PIECE:
        yield from _diag(reading)


def _discovery(reading: Reading) -> Iterator[Sighting]:
    """GPUs of the list. One that stopped answering has no address there; if it is the only one, it is known which."""
    found = filter(None, map(_ADDRESS.match, reading.lines))
    listed = [reading.site.gpu_at(reading.host, match[1]) for match in found]
    yield from (reading.saw(gpu, "DCGM", "listed", State.OK) for gpu in listed if gpu)
    nameless = sum(_NAMELESS.match(line) is not None for line in reading.lines)
    missing = [gpu for gpu in reading.site.gpus(reading.host) if gpu not in listed]
    if reading.whole and nameless and nameless == len(missing) and None not in listed:
        yield from (reading.saw(gpu, "DCGM", "no values", State.DOWN) for gpu in missing)


def _health(reading: Reading) -> Iterator[Sighting]:
    """The overall health of a group of GPUs."""
    if {"-g", "--group"} & set(reading.words):
        return
    for match in filter(None, map(_OVERALL.match, reading.lines)):
        state = State.OK if match[1] == "Healthy" else State.DEGRADED
        yield reading.saw(reading.host, "DCGM health", match[1], state)


def _diag(reading: Reading) -> Iterator[Sighting]:
    """The tests of a report that is there from its first line to its last."""
    lines = reading.lines
    heads = [number for number, line in enumerate(lines) if _HEADS["diag"].match(line)]
    if len(heads) != 1 or _END not in lines[heads[0] + 2 :]:
        return
    tests = [match for match in map(_TEST.match, lines[heads[0] :]) if match]
    bad = [match[1] for match in tests if match[2] in ("Warn", "Fail")]
    shown = f"{', '.join(bad)} failed" if bad else f"{len(tests)} passed"
    if tests:
        yield reading.saw(reading.host, "DCGM diag", shown, State.DEGRADED if bad else State.OK)
    devices = next((match[1] for match in map(_DEVICES.match, lines) if match), "")
    gpus = reading.site.gpus(reading.host)
    if len(devices.split(",")) == len(gpus):
        yield from _of_gpus(reading, lines[heads[0] :], gpus)


def _of_gpus(reading: Reading, lines: list[str], gpus: Sequence[str]) -> Iterator[Sighting]:
    """The result of each GPU over all tests: those that it failed, else that it passed."""
    failed: dict[int, list[str]] = {}
    passed: set[int] = set()
    test = ""
    for line in lines:
        named, result = _TEST.match(line), _RESULT.match(line)
        test = named[1] if named else test
        if result:
            failed.setdefault(int(result[1]), []).extend([test] if result[2] == "Fail" else [])
            passed |= {int(result[1])} if result[2] == "Pass" else set()
    for number, tests in failed.items():
        if number < len(gpus) and (tests or number in passed):
            shown = f"{', '.join(tests)} failed" if tests else "passed"
            yield reading.saw(gpus[number], "DCGM diag", shown, State.DEGRADED if tests else State.OK)
