"""YAML as sigs.k8s.io/yaml writes it: keys in order, lists not indented, text quoted only where it must be.

Sources: kubernetes-sigs/yaml goyaml.v2 (encode.go: which style a text gets; sorter.go: the order of keys) on libyaml's
emitter, of which PyYAML's is the same design. Compared with `kubectl create ... --dry-run=client -o yaml`.
"""

from __future__ import annotations

import io
import re
from collections.abc import Mapping
from functools import cmp_to_key
from typing import Any

import yaml
from yaml.emitter import Emitter

_RESOLVED = re.compile(
    r"""(?: ~ | null | Null | NULL |
        y|Y|yes|Yes|YES|on|On|ON|n|N|no|No|NO|off|Off|OFF|true|True|TRUE|false|False|FALSE |
        [-+]?(?:0b[01_]+|0o?[0-7_]+|0x[0-9a-fA-F_]+|[0-9][0-9_]*) |
        [-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)? |
        [-+]?\.(?:inf|Inf|INF) | \.(?:nan|NaN|NAN) |
        [-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+(?:\.[0-9_]*)? |
        [0-9]{4}-[0-9]{1,2}-[0-9]{1,2}(?:(?:[Tt]|[ ]+)[0-9]{1,2}:[0-9]{1,2}:[0-9]{1,2}(?:\.[0-9]+)?
            (?:Z|[ ]*[-+][0-9]{1,2}(?::?[0-9]{2})?)?)? )?$""",
    re.VERBOSE,
)


def dump(value: Any) -> str:
    """A document."""
    stream = io.StringIO()
    emitter = Emitter(stream, width=80, allow_unicode=True)
    emitter.emit(yaml.StreamStartEvent())
    emitter.emit(yaml.DocumentStartEvent(explicit=False))
    _emit(emitter, value)
    emitter.emit(yaml.DocumentEndEvent(explicit=False))
    emitter.emit(yaml.StreamEndEvent())
    text = stream.getvalue()
    return text.removesuffix("...\n") if text.endswith("\n...\n") else text


def _emit(emitter: Emitter, value: Any) -> None:
    if isinstance(value, Mapping):
        emitter.emit(yaml.MappingStartEvent(None, None, True, flow_style=not value))
        for key in sorted(value, key=cmp_to_key(_order)):
            _emit(emitter, key)
            _emit(emitter, value[key])
        emitter.emit(yaml.MappingEndEvent())
    elif isinstance(value, list | tuple):
        emitter.emit(yaml.SequenceStartEvent(None, None, True, flow_style=not value))
        for item in value:
            _emit(emitter, item)
        emitter.emit(yaml.SequenceEndEvent())
    elif isinstance(value, str):
        emitter.emit(yaml.ScalarEvent(None, None, (True, True), value, style=_style(value)))
    else:
        emitter.emit(yaml.ScalarEvent(None, None, (True, True), _plain(value)))


def _plain(value: Any) -> str:
    if value is None:
        return "null"
    return str(value).lower() if isinstance(value, bool) else str(value)


def _style(text: str) -> str | None:
    if "\n" in text:
        return "|"
    return '"' if _RESOLVED.match(text) else None


def _order(first: str, second: str) -> int:
    """The order of keys: other characters before letters, and numbers by what they are."""
    for at, (one, other) in enumerate(zip(first, second, strict=False)):
        if one == other:
            continue
        if one.isalpha() and other.isalpha():
            return -1 if one < other else 1
        if one.isalpha() or other.isalpha():
            return 1 if one.isalpha() else -1
        numbers = _number(first, at), _number(second, at)
        if numbers[0] != numbers[1]:
            return -1 if numbers[0] < numbers[1] else 1
        return -1 if one < other else 1
    return len(first) - len(second)


def _number(text: str, at: int) -> tuple[int, str]:
    """The number that begins at a place: how many digits it has, and they."""
    match = re.match(r"0*(\d*)", text[at:])
    digits = match[1] if match else ""
    return len(digits), digits
