"""The command line of an nccl-tests program, read as its main() does.

Source: NVIDIA/nccl-tests 2.17.6 src/common.cu and common.h: letters, texts and exit codes, also the odd ones (a wrong
option prints the usage and ends with 0). Numbers are read by strtol with any base and its leniency, sizes by sscanf.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from engine.commands.nccl._tests.operations import REDUCTIONS, TYPES
from engine.commands.options import Option, UsageError, parse

_MIB = 1 << 20
_UNITS = {"": 1, "k": 1 << 10, "m": 1 << 20, "g": 1 << 30}
_SIZE = re.compile(r"\s*([+-]?(?:\d+\.?\d*(?:[eE][+-]?\d+)?|\.\d+))\s*(\S?)")
_NUMBER = re.compile(r"\s*([+-]?)(0[xX][0-9a-fA-F]+|0[0-7]*|[1-9]\d*)")
REFUSED = 255  # main() returns -1

TABLE = (
    ("t", "nthreads", "<num threads>"), ("g", "ngpus", "<gpus per thread>"),
    ("b", "minbytes", "<min size in bytes>"), ("e", "maxbytes", "<max size in bytes>"),
    ("i", "stepbytes", "<increment size>"), ("f", "stepfactor", "<increment factor>"),
    ("n", "iters", "<iteration count>"), ("m", "agg_iters", "<aggregated iteration count>"),
    ("w", "warmup_iters", "<warmup iteration count>"),
    ("N", "run_cycles", "<cycle count> run & print each cycle (default: 1; 0=infinite)"),
    ("p", "parallel_init", "<0/1>"), ("c", "check", "<check iteration count>"),
    ("o", "op", "<sum/prod/min/max/avg/mulsum/all>"), ("d", "datatype", "<nccltype/all>"), ("r", "root", "<root>"),
    ("z", "blocking", "<0/1>"), ("y", "stream_null", "<0/1>"), ("T", "timeout", "<time in seconds>"),
    ("G", "cudagraph", "<num graph launches>"), ("C", "report_cputime", "<0/1>"),
    ("S", "report_timestamps", "<0/1> report timestamps (default 0)"),
    ("J", "output_file", "<file> write output to filepath, if accessible. Infer type from suffix (only json supported "
     "presently.)"),
    ("a", "average", "<0/1/2/3> report average iteration time <0=RANK0/1=AVG/2=MIN/3=MAX>"),
    ("R", "local_register", "<0/1/2> enable local (1) or symmetric (2) buffer registration on send/recv buffers "
     "(default: disable (0))"),
    ("x", "cta_policy", "<0/1/2> set CTA policy (NCCL_CTA_POLICY_DEFAULT (0), NCCL_CTA_POLICY_EFFICIENCY (1), "
     "NCCL_CTA_POLICY_ZERO (2)) (default: do not set)"),
    ("D", "device_implementation", "<implementation number> enable device implementation (default: 0, use NCCL "
     "implementation; requires -R 2 if > 0)"),
    ("V", "device_cta_count", "<number> set number of CTAs for device implementation (default: 16)"),
    ("M", "memory_report", "<0/1> enable memory usage report (default: 0)"),
)  # fmt: skip
_LONG_NAMES = {"memory_report": "memory"}  # the usage says --memory_report, getopt's table has --memory
OPTIONS = (
    *(Option(letter, _LONG_NAMES.get(name, name), "VALUE", name=name, help=text) for letter, name, text in TABLE),
    Option("h", "help", help="print this text and end"),
)


@dataclass(frozen=True, slots=True)
class Settings:
    """What a run is asked for; sizes in bytes. `datatype` and `op` None mean all of them, `timeout` is in seconds."""

    nthreads: int = 1
    ngpus: int = 1
    minbytes: int = 32 * _MIB
    maxbytes: int = 32 * _MIB
    stepbytes: int = _MIB
    stepfactor: int = 1
    iters: int = 20
    agg_iters: int = 1
    warmup_iters: int = 1
    run_cycles: int = 1
    parallel_init: int = 0
    check: int = 1
    op: str | None = "sum"
    datatype: str | None = "float"
    root: int = 0
    blocking: int = 0
    stream_null: int = 0
    timeout: int = 0
    cudagraph: int = 0
    report_cputime: int = 0
    report_timestamps: int = 0
    output_file: str = ""
    average: int = 1
    local_register: int = 0
    cta_policy: int = -1
    device_implementation: int = 0
    device_cta_count: int = 16
    memory_report: int = 0

    @property
    def gpus_per_process(self) -> int:
        return self.nthreads * self.ngpus


class Ended(Exception):
    """main() returns before anything runs."""

    def __init__(self, output: str, errors: str, status: int) -> None:
        super().__init__(errors or output)
        self.output, self.errors, self.status = output, errors, status


def read(program: str, arguments: Sequence[str]) -> tuple[Settings, str]:
    """The settings, and what is printed while they are read. Raises Ended."""
    try:
        parsed = parse(program, OPTIONS, arguments)
    except UsageError as error:
        raise Ended("invalid option '?'\n" + usage(program), error.text, 0) from None
    reader = _Reader()
    for name, value in parsed.given:
        if name == "help":
            raise Ended(reader.said + usage(program), reader.errors, 0)
        reader.take(name, value)
    settings = replace(Settings(), **reader.values)
    if settings.minbytes > settings.maxbytes:
        sizes = f"{settings.minbytes} > {settings.maxbytes}"
        raise Ended(reader.said, f"{reader.errors}invalid sizes for 'minbytes' and 'maxbytes': {sizes}\n", REFUSED)
    if settings.device_implementation > 0 and settings.local_register != 2:
        text = "device implementation (-D > 0) requires enabling symmetric memory registration (-R 2)\n"
        raise Ended(reader.said, reader.errors + text, REFUSED)
    return settings, reader.said


class _Reader:
    """Options taken one after the other; `said` is what went to standard output meanwhile."""

    def __init__(self) -> None:
        self.values: dict[str, Any] = {}
        self.said = ""
        self.errors = ""

    def take(self, name: str, value: str) -> None:
        """An option with its argument. Raises Ended for a size that is none."""
        if name in _SIZES:
            size = parse_size(value)
            if size is None:
                raise Ended(self.said, f"{self.errors}invalid size specified for '{_SIZES[name]}'\n", REFUSED)
            self.values[name] = size
        elif name == "op":
            self.values[name] = self._chosen("op", value, REDUCTIONS, "sum")
        elif name == "datatype":
            self.values[name] = self._chosen("type", value, tuple(TYPES), "float")
        elif name == "output_file":
            self.values[name] = value
        else:
            self.values[name] = strtol(value)
        if name == "device_cta_count" and not 0 < self.values[name] <= 128:
            self.errors += "device_cta_count (-V) must be positive and less than 128, got "
            self.errors += f"{self.values[name]}. Using default value 16.\n"
            self.values[name] = 16

    def _chosen(self, what: str, value: str, known: Sequence[str], default: str) -> str | None:
        if value == "all":
            return None
        if value not in known:
            self.said += f"invalid {what} {value}, defaulting to {default} .. \n"
            return default
        return value


_SIZES: Mapping[str, str] = {"minbytes": "minbytes", "maxbytes": "maxbytes", "stepbytes": "stepBytes"}


def parse_size(text: str) -> int | None:
    """Bytes of `8`, `1.5G`, `128 k`; None for what is no size. What follows the unit's letter is not looked at."""
    match = _SIZE.match(text)
    factor = _UNITS.get(match[2].lower()) if match else None
    if match is None or factor is None or float(match[1]) < 0:
        return None
    return int(float(match[1]) * factor)


def strtol(text: str) -> int:
    """The number at the beginning of `text` as C reads it (0x, 0), 0 without one."""
    match = _NUMBER.match(text)
    if match is None:
        return 0
    digits = match[2]
    base = 16 if digits[:2].lower() == "0x" else 8 if digits[0] == "0" else 10
    return int(digits, base) * (-1 if match[1] == "-" else 1)


def usage(program: str) -> str:
    """The text of -h."""
    lines = [f"[-{letter},--{name} {text}] \n\t" for letter, name, text in TABLE]
    return f"USAGE: {program} \n\t" + "".join(lines) + "[-h,--help]\n"
