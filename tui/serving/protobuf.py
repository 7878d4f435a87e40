"""The few bodies that typed clients send as protobuf: options of deletions, evictions, questions about oneself, and
small objects that `kubectl create` makes.

Source: k8s.io/apimachinery pkg/runtime/serializer/protobuf (four bytes of magic, then runtime.Unknown) and the
generated.proto of meta/v1 (DeleteOptions, ObjectMeta), core/v1 and policy/v1 (Eviction).
"""

from __future__ import annotations

import base64
from typing import Any

MAGIC = b"k8s\x00"
TYPE = "application/vnd.kubernetes.protobuf"
Fields = dict[int, list[Any]]
_VARINT, _BYTES = 0, 2


class Unreadable(ValueError):
    """A body of another kind, or a broken one."""


def decode(body: bytes) -> dict[str, Any]:
    """An object's kind, and of deletions and evictions what they say. Raises Unreadable."""
    if not body.startswith(MAGIC):
        raise Unreadable("no magic")
    unknown = _fields(body[len(MAGIC) :])
    kind_fields = _fields(_bytes(unknown, 1))
    found: dict[str, Any] = {"apiVersion": _text(kind_fields, 1), "kind": _text(kind_fields, 2)}
    raw = _bytes(unknown, 2)
    if found["kind"] == "DeleteOptions":
        return found | _options(raw)
    if found["kind"] == "Eviction":
        return found | {"deleteOptions": _options(_bytes(_fields(raw), 2))}
    if found["kind"].endswith("Review"):
        return found
    if found["kind"] in ("Namespace", "ServiceAccount", "ConfigMap", "Secret"):
        return found | _object(found["kind"], _fields(raw))
    raise Unreadable(found["kind"])


def _object(kind: str, fields: Fields) -> dict[str, Any]:
    metadata = _fields(_bytes(fields, 1))
    found: dict[str, Any] = {"metadata": {"name": _text(metadata, 1)}}
    for name, number in (("labels", 11), ("annotations", 12)):
        if number in metadata:
            found["metadata"][name] = _map(metadata, number)
    if _text(metadata, 3):
        found["metadata"]["namespace"] = _text(metadata, 3)
    if kind == "ConfigMap":
        found["data"] = _map(fields, 2)
    if kind == "Secret":
        found["data"] = _map(fields, 2, encoded=True)
        found["type"] = _text(fields, 3) or "Opaque"
    return found


def _map(fields: Fields, number: int, encoded: bool = False) -> dict[str, str]:
    """A map of text; `encoded`: its values are bytes, which JSON holds as base64."""
    pairs = [_fields(each) for each in fields.get(number, ()) if isinstance(each, bytes)]
    return {_text(pair, 1): base64.b64encode(_bytes(pair, 2)).decode() if encoded else _text(pair, 2) for pair in pairs}


def _options(raw: bytes) -> dict[str, Any]:
    fields = _fields(raw)
    found: dict[str, Any] = {}
    if 1 in fields:
        found["gracePeriodSeconds"] = fields[1][0]
    if 4 in fields:
        found["propagationPolicy"] = _text(fields, 4)
    return found


def _bytes(fields: Fields, number: int) -> bytes:
    found = fields.get(number, [b""])[0]
    return found if isinstance(found, bytes) else b""


def _text(fields: Fields, number: int) -> str:
    return _bytes(fields, number).decode("utf-8", "replace")


def _fields(data: bytes) -> Fields:
    """The fields of a message by number: numbers and bytes."""
    fields: Fields = {}
    at = 0
    while at < len(data):
        key, at = _varint(data, at)
        number, kind = key >> 3, key & 7
        if kind == _VARINT:
            value, at = _varint(data, at)
            fields.setdefault(number, []).append(value)
        elif kind == _BYTES:
            size, at = _varint(data, at)
            fields.setdefault(number, []).append(data[at : at + size])
            at += size
        else:
            raise Unreadable(f"wire type {kind}")
    return fields


def _varint(data: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while at < len(data):
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, at
        shift += 7
    raise Unreadable("cut off")
