"""Packed files for zcat, zgrep and zless: gzip's form (RFC 1952), any number of members. Errors as gzip 1.12's."""

from __future__ import annotations

import zlib

from engine.commands.context import Context
from engine.commands.linux._support import paths
from engine.commands.linux._support.program import Suite
from engine.hostfs.tree import ErrorCode, FileError

GZIP = Suite("gzip 1.12", "Try `gzip --help' for more information.", short_help=True, short_version=True)
_MAGIC = b"\x1f\x8b"
_GZIP_WINDOW = 31
_LARGEST = 64 * 1024 * 1024
"""More than this is not unpacked: no log of a simulated host is that large."""


class NotPacked(Exception):
    """The data is not what gzip made; the text is gzip's."""


def found(ctx: Context, name: str) -> bytes:
    """The content of a file, or of that with `.gz` after its name. Raises FileError."""
    try:
        return paths.read(ctx, name)
    except FileError as error:
        if error.code is not ErrorCode.NOT_FOUND or name.endswith(".gz"):
            raise
    try:
        return paths.read(ctx, f"{name}.gz")
    except FileError as error:
        raise FileError(error.code, f"{name}.gz") from None


def unpacked(data: bytes) -> bytes:
    """What was packed. Raises NotPacked."""
    if not data:
        raise NotPacked("unexpected end of file")
    parts: list[bytes] = []
    size = 0
    while data:
        if not data.startswith(_MAGIC):
            if parts:
                break
            raise NotPacked("not in gzip format")
        member = zlib.decompressobj(_GZIP_WINDOW)
        try:
            parts.append(member.decompress(data, _LARGEST - size))
        except zlib.error as error:
            raise NotPacked(
                "invalid compressed data--" + ("crc error" if "check" in str(error) else "format violated")
            ) from None
        size += len(parts[-1])
        if member.unconsumed_tail:
            raise NotPacked("breakfix unpacks no more than 64 MiB")
        if not member.eof:
            raise NotPacked("unexpected end of file")
        data = member.unused_data
    return b"".join(parts)


def plain(data: bytes) -> bytes:
    """What was packed, or the data itself where it is not packed. Raises NotPacked for damaged data."""
    return unpacked(data) if data.startswith(_MAGIC) else data
