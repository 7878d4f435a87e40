"""What a comparison with a capture does not look at: values that differ between two machines, by name.

A mask keeps the width of what it covers (every character becomes `#`), so that alignment is compared, unless it is
`free`: then the text becomes its name in angle brackets.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Mask:
    """A pattern, and whether its width counts."""

    pattern: re.Pattern[str]
    free: bool = False


def _mask(pattern: str, free: bool = False) -> Mask:
    return Mask(re.compile(pattern), free)


_HEX = "[0-9a-fA-F]"
_MONTH = "(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)"

MASKS: dict[str, Mask] = {
    # identities
    "uuid": _mask(rf"\b(?:GPU|MIG)-{_HEX}{{8}}-{_HEX}{{4}}-{_HEX}{{4}}-{_HEX}{{4}}-{_HEX}{{12}}"),
    "serial": _mask(r"(?<![\w.])\d{13}(?!\w|\.\d)"),
    "pdi": _mask(rf"0x{_HEX}{{16}}"),
    "board_id": _mask(rf"(?<=Board ID ) *: 0x{_HEX}+", free=True),
    "bus_id": _mask(rf"(?<!{_HEX}){_HEX}{{4,8}}:{_HEX}{{2}}:{_HEX}{{2}}(?:\.{_HEX})?\b"),
    "pci_number": _mask(rf"\b0x{_HEX}{{2}}\b"),
    "attached": _mask(r"^Attached GPUs +: \d+", free=True),
    "module": _mask(r"Module Id +: \d+", free=True),
    "hexadecimal": _mask(rf"\b0x{_HEX}+\b", free=True),
    "versions": _mask(r"\b\d+\.\d+(?:\.\d+)*\b *", free=True),
    "gpu_index": _mask(r"(?<=^GPU )\d+(?=:)"),
    "slot": _mask(rf"^{_HEX}{{2}}:{_HEX}{{2}}\.\d"),
    "dashed_serial": _mask(rf"(?:{_HEX}{{2}}-){{7}}{_HEX}{{2}}"),
    "guid": _mask(rf"(?<!{_HEX}){_HEX}{{16}}(?!{_HEX})"),
    "guid_value": _mask(r"(?<=GUID: ).*", free=True),
    "gid": _mask(rf"(?:{_HEX}{{4}}:){{3,7}}{_HEX}{{4}}"),
    "lid": _mask(r"(?<=[Ll]id[: ]) *\d+", free=True),
    "firmware": _mask(r"\b\d\d\.\d\d\.\d{4}\b"),
    "device_name": _mask(r"mlx\d_\d+", free=True),
    "sensor_number": _mask(r"\b[0-9A-F]{2}h"),
    "entity": _mask(r" *\d+\.\d+(?= \|)"),
    "degrees": _mask(r"\d+(?= degrees C)", free=True),
    "sel_id": _mask(rf"^ *{_HEX}+(?= \|)"),
    "event_sensor": _mask(r"(?<=System Event ).*?(?= \|)", free=True),
    # PCI resources
    "interrupt": _mask(r"(?<=IRQ )\d+", free=True),
    "memory_at": _mask(rf"(?<=Memory at ){_HEX}+", free=True),
    "numa": _mask(r"(?<=NUMA node: )\d+"),
    "mig_profile": _mask(r"\b(?:\dc\.)?\dg\.\d+gb(?:\+me)? *", free=True),
    "xml_value": _mask(r"(?<=>)[^<>]+(?=</)", free=True),
    # times
    "sel_time": _mask(r"\d\d/\d\d/\d{2,4} \| \d\d:\d\d:\d\d(?: [AP]M)?(?: [A-Z]{2,4})?", free=True),
    "ctime": _mask(rf"\b(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun) {_MONTH} [ \d]\d \d\d:\d\d:\d\d \d{{4}}"),
    "query_time": _mask(r"\d{4}/\d\d/\d\d \d\d:\d\d:\d\d\.\d{3}"),
    "wall_time": _mask(r"^\[[A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d \d{4}\]", free=True),
    "kernel_time": _mask(r"^\[ *\d+\.\d+\]", free=True),
    "journal_head": _mask(rf"^{_MONTH} \d\d \d\d:\d\d:\d\d [\w-]+", free=True),
    "weekday": _mask(r"\b(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)\b"),
    "date_time": _mask(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d"),
    "slurm_time": _mask(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d"),
    "uptime": _mask(r"(?<=up ).*(?=,  \d+ user)", free=True),
    # log lines
    "pci_device": _mask(rf"(?<=PCI:)[0-9a-f]{{4}}:{_HEX}{{2}}:{_HEX}{{2}}(?:\.\d)?", free=True),
    "port_name": _mask(r"\benp\w+", free=True),
    "link": _mask(r"(?:Link|Engine instance) \d+", free=True),
    "switch_data": _mask(r"Data \{.*\}", free=True),
    "pci_id": _mask(rf"(?<=PCI ID: ){_HEX}{{4}}:{_HEX}{{4}}"),
    "exception": _mask(r"(?<=<numbers>\): )[A-Z][\w ]+|(?<=SM \d\): )[A-Z][\w ]+", free=True),
    "process_name": _mask(r"(?<=name=)[\w.-]+", free=True),
    "channel": _mask(r"(?<=Ch )[0-9a-f]{8}"),
    "access": _mask(r"(?<=ACCESS_TYPE_)\w+", free=True),
    "identifier": _mask(r"(?<=> )[\w.-]+\[\d+\]", free=True),
    "driver_version": _mask(r"\b\d{3}\.\d+(?:\.\d+)?(?= |\.)", free=True),
    # Slurm
    "slurm_value": _mask(r"(?<==)(?:[^\s=]+(?: (?!\w+[=:]|$)[^\s=]+)*)?", free=True),
    "node_list": _mask(r"\b(?:compute|cpu|gpu|dgx|lxfoo)-?(?:\d+|\[[\d,-]+\])", free=True),
    "limit": _mask(r" *(?:infinite|\d+-\d\d:\d\d:\d\d)", free=True),
    "count": _mask(r" \d+(?= +\w+ )"),
    "host_name": _mask(r"\b(?:vm|gpu-\d+|dgx-\d+|head-\d+|nodegpu\d+)\b", free=True),
    # network
    "hardware": _mask(r"\b(?:[0-9a-f]{2}:){5}[0-9a-f]{2}\b"),
    "address": _mask(r"\b\d+\.\d+\.\d+\.\d+(?:/\d+)?|\b(?:fe80|fd00)::[0-9a-f:]+/\d+", free=True),
    "interface_name": _mask(r"(?<=dev )\w+", free=True),
    "boot_id": _mask(r"\b[0-9a-f]{32}\b"),
    # readings
    "cells_with_units": _mask(r" *\b\d+(?:\.\d+)?(?:[BKMGT]i?B?)?(?= |$)"),
    "sizes": _mask(r" +\d+(?:\.\d+)?[KMGT]?(?= |$)", free=True),
    "column_space": _mask(r" {2,}", free=True),
    "temperature": _mask(r" *-?\d+ ?C\b"),
    "power": _mask(r" *\d+(?:\.\d+)? ?W\b"),
    "watts": _mask(r"\b\d+\.\d\d W\b", free=True),
    "memory": _mask(r" *\d+ ?MiB"),
    "mebibytes": _mask(r"\b\d+ MiB\b", free=True),
    "percent": _mask(r" *\d+ ?%"),
    "clock": _mask(r"\b\d+ MHz\b", free=True),
    "microseconds": _mask(r"\b\d+ us\b", free=True),
    "pid": _mask(r" *\b\d{3,7}\b"),
    # anything
    "numbers": _mask(r"\d+(?:\.\d+)?", free=True),
    "cells": _mask(r" *-?\b\d+(?:\.\d+)?\b"),
    "span": _mask(r"\b\d+[ydhms](?:\d+[hms])?\b *", free=True),
    "release": _mask(r"\bv\d+\.\d+\.\d+\S*", free=True),
    "role": _mask(r"\b(?:<none>|control-plane)", free=True),
    "pod_name": _mask(r"\b(?:kube-system|train|research|kube-flannel|serving)/[\w-]+|(?<=pod \")[\w-]+", free=True),
    "deployment": _mask(r"(?<=deployment.apps/)\w+|(?<=deployment \")\w+", free=True),
    "pod_names": _mask(r"(?:\b[\w-]+/[\w-]+(?:, (?!cannot))?)+", free=True),
    "port_of_server": _mask(r"(?<=https://)[\d.]+:\d+", free=True),
    "dashes": _mask(r"-+", free=True),
    "weekday_time": _mask(r"\b[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d \+0000", free=True),
    "klog_head": _mask(r"^E\d{4} \d\d:\d\d:\d\d\.\d{6} +\d+", free=True),
    "namespace": _mask(r"\b(?:train|research)\b", free=True),
    "cpu_list": _mask(r"\b\d+-\d+(?:,\d+-\d+)*\b *", free=True),
    "value": _mask(r"(?<=: ).*", free=True),
}


def masked(line: str, names: Sequence[str]) -> str:
    """The line with what the masks cover covered, in their order."""
    for name in names:
        mask = MASKS[name]
        cover = f"<{name}>" if mask.free else None
        line = mask.pattern.sub(lambda match, cover=cover: cover or "#" * len(match[0]), line)  # type: ignore[misc]
    return line
