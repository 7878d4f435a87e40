"""nvidia-smi as a whole: that it fails, which GPUs it can't reach, and its list (`-L`)."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator

from tui.look.glyphs import State
from tui.seen.knowledge import Sighting
from tui.seen.reading import Reading
from tui.seen.shell_words import Words

COMMANDS = ("nvidia-smi",)

_FAILURES = {
    "Failed to initialize NVML: Driver/library version mismatch": "driver/library version mismatch",
    "NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver.": "nvidia-smi can't reach it",
    "No devices were found": "no devices were found",
}
_UNREACHED = re.compile(
    r"Unable to determine the device handle for (?:GPU ?\d*|gpu):? ?([0-9A-Fa-f]{4,8}:[0-9A-Fa-f:.]+): (.+)"
)
_LIST_HEAD = re.compile(r"GPU 0: .+ \(UUID: ")
_LISTED = re.compile(r"GPU \d+: .+ \(UUID: (GPU-[0-9a-f-]+)\)")


def head(words: Words) -> re.Pattern[str] | None:
    """The first line of the list: nvidia-smi numbers the GPUs that it has, from 0."""
    return _LIST_HEAD if {"-L", "--list-gpus"} & set(words) else None


def read(reading: Reading) -> Iterator[Sighting]:
    """Failures, and the list."""
    yield from _failures(reading)
    for gpu, words in unreached(reading).items():
        yield reading.saw(gpu, "nvidia-smi", words, State.DOWN)
    yield from _list(reading)


def unreached(reading: Reading) -> dict[str, str]:
    """The GPUs that nvidia-smi says it can't reach, and how."""
    found = filter(None, map(_UNREACHED.match, reading.lines))
    gpus = ((reading.site.gpu_at(reading.host, match[1]), match[2]) for match in found)
    return {gpu: words for gpu, words in gpus if gpu}


def _failures(reading: Reading) -> Iterator[Sighting]:
    """Nothing is known of the GPUs where nvidia-smi tells nothing."""
    found = next((words for text, words in _FAILURES.items() if f"\n{text}" in f"\n{reading.text}"), None)
    if found is None:
        return
    yield reading.saw(reading.host, "driver", found, State.DEGRADED)
    for gpu in reading.site.gpus(reading.host):
        yield reading.saw(gpu, "nvidia-smi", "told nothing")


def _list(reading: Reading) -> Iterator[Sighting]:
    """GPUs of the list. A UUID that the site's records do not have is that of a spare; where it is, is not said."""
    uuids = [match[1] for match in filter(None, map(_LISTED.match, reading.lines))]
    if not uuids:
        return
    yield reading.saw(reading.host, "driver", "answers", State.OK)
    listed = [reading.site.gpu_by_uuid(reading.host, uuid) for uuid in uuids]
    yield from (reading.saw(gpu, "nvidia-smi", "listed", State.OK) for gpu in listed if gpu)
    if reading.whole and None not in listed and not reading.has_option("-i", "--id"):
        yield from missing(reading, listed)


def missing(reading: Reading, listed: Collection[str | None]) -> Iterator[Sighting]:
    """GPUs that are not listed and of which no line says why."""
    known = unreached(reading)
    for gpu in reading.site.gpus(reading.host):
        if gpu not in listed and gpu not in known:
            yield reading.saw(gpu, "nvidia-smi", "not listed", State.DOWN)
