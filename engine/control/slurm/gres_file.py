"""gres.conf as slurmd reads it when it starts: how GPUs are found, and the device files of those that are listed.

Rules and error texts from SchedMD/slurm src/interfaces/gres.c (_parse_gres_config, _validate_file, _slurm_conf_gres).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache

from engine.control.slurm.config_file import ConfigurationError, FileParser, Record
from engine.control.slurm.numbers import whole
from engine.kernel.errors import BreakfixError
from engine.kernel.hostlist import expand

PATH = "/etc/slurm/gres.conf"
_FACTORS = {"k": 1 << 10, "m": 1 << 20, "g": 1 << 30}
_DETECTIONS = ("nvml", "nvidia", "rsmi", "oneapi", "nrt", "off")


@dataclass(frozen=True, slots=True)
class GresLine:
    """A line of gres.conf for GPUs: the hosts it is for (none: all), device files, and their number if the line says
    it.
    """

    hosts: frozenset[str]
    type: str = ""
    device_files: tuple[str, ...] = ()
    count: int | None = None
    detection: str = ""


@dataclass(frozen=True, slots=True)
class GresConfiguration:
    """All of gres.conf; `ignored` are the names of lines that stand for no GPUs."""

    detection: str
    lines: tuple[GresLine, ...]
    ignored: tuple[str, ...] = ()

    def of(self, host: str) -> tuple[str, list[GresLine]]:
        """What holds for a host: how GPUs are detected ("" or `off`: not), and its lines."""
        lines = [line for line in self.lines if not line.hosts or host in line.hosts]
        detection = next((line.detection for line in lines if line.detection), self.detection)
        return detection, lines

    def check(self, host: str) -> None:
        """Raises ConfigurationError where the lines of a host do not go together."""
        lines = [line for line in self.of(host)[1] if line.device_files or line.count is not None]
        for title, given in (
            ("File", [bool(line.device_files) for line in lines]),
            ("Type=", [bool(line.type) for line in lines]),
        ):
            if any(given) and not all(given):
                why = f'fatal: gres.conf for gpu, some records have "{title}" specification while others do not'
                raise ConfigurationError(why)
        plain = [line.type for line in lines if not line.device_files]
        devices = [path for line in lines for path in line.device_files]
        if len(plain) > len(set(plain)) or len(devices) > len(set(devices)):
            raise ConfigurationError("fatal: gres.conf duplicate records for gpu")


@lru_cache(maxsize=16)
def parse_gres_conf(text: str) -> GresConfiguration:
    """Raises ConfigurationError for what slurmd would refuse."""
    parser = FileParser("gres.conf", PATH, {"name": "gres", "nodename": "gres"})
    records = parser.parse(text)
    if parser.errors:
        raise ConfigurationError(*parser.errors, f"fatal: error opening/reading {PATH}")
    detection, lines, ignored = "", list[GresLine](), list[str]()
    for record in records:
        if record.keyword == "autodetect":
            detection = _detection(record.words["autodetect"])
        elif record.words.get("name", "gpu").lower() == "gpu":
            lines += _gpu_lines(record)
        else:
            ignored.append(record.words["name"])
    return GresConfiguration("" if detection == "off" else detection, tuple(lines), tuple(ignored))


def hosts(text: str, what: str) -> list[str]:
    """The names of a host list. Raises ConfigurationError that names what could not be made of it."""
    try:
        return expand(text)
    except BreakfixError:
        raise ConfigurationError(f"fatal: {what} {text}") from None


def _gpu_lines(record: Record) -> Iterator[GresLine]:
    words = record.words
    listed = words.get("multiplefiles") or words.get("file") or words.get("files")
    devices = tuple(hosts(listed, "can't parse File=")) if listed else ()
    yield GresLine(
        hosts=frozenset(hosts(words["nodename"], "can't parse NodeName=")) if "nodename" in words else frozenset(),
        type=words.get("type", ""),
        device_files=devices,
        count=_count(words, devices),
        detection=_detection(words["autodetect"]) if "autodetect" in words else "",
    )


def _count(words: Mapping[str, str], devices: tuple[str, ...]) -> int | None:
    if "count" not in words:
        return None
    text = words["count"].lower()
    factor = _FACTORS.get(text[-1:], 1)
    number = whole(text[:-1] if factor > 1 else text)
    if number is None:
        raise ConfigurationError(f"fatal: Invalid GRES record for gpu, invalid count {words['count']}")
    if devices and number * factor != len(devices):
        raise ConfigurationError("fatal: Invalid GRES record for gpu, count does not match File value")
    return number * factor


def _detection(text: str) -> str:
    """How GPUs are found. A word that slurmd does not know finds none."""
    word = text.lower()
    return word if word in _DETECTIONS else "off"
