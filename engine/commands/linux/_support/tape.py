"""Archives of tar, and the packing around them: gzip's form and xz's.

What is packed here is stored, not compressed, so that the same content gives the same bytes whatever library is
installed: sizes are those of the content. Any archive of these two forms is read. Formats: POSIX.1-1988 ustar as GNU
tar 1.35 writes it, RFC 1952, and "The .xz File Format" 1.0.4 (LZMA2 chunks without compression, CRC32).
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from zlib import crc32

from engine.hostfs.views._log_files import packed as gzip_packed
from engine.kernel.units import SECOND

_XZ_MAGIC, _XZ_END = b"\xfd7zXZ\x00", b"YZ"
_XZ_FLAGS = b"\x00\x01"
_CHUNK = 1 << 16
_LARGEST = 64 * 1024 * 1024
"""More than this is not unpacked: no file of a simulated host is that large."""


class NotAnArchive(Exception):
    """The data is no archive of a form that is known here."""


@dataclass(frozen=True, slots=True)
class Member:
    """A member of an archive. `kind` is `-`, `d` or `l`, `modified` in ns since 1970, `target` where a link leads."""

    name: str
    kind: str
    mode: int
    modified: int
    content: bytes = b""
    target: str = ""
    uid: int = 0
    gid: int = 0
    user: str = "root"
    group: str = "root"


def archived(members: list[Member]) -> bytes:
    """The archive of these members."""
    import io
    import tarfile

    kept = io.BytesIO()
    with tarfile.open(fileobj=kept, mode="w", format=tarfile.GNU_FORMAT) as archive:
        for member in members:
            head = tarfile.TarInfo(member.name)
            head.mode, head.mtime, head.size = member.mode, member.modified // SECOND, len(member.content)
            head.type = {"d": tarfile.DIRTYPE, "l": tarfile.SYMTYPE}.get(member.kind, tarfile.REGTYPE)
            head.linkname, head.uid, head.gid = member.target, member.uid, member.gid
            head.uname, head.gname = member.user, member.group
            archive.addfile(head, io.BytesIO(member.content))
    return kept.getvalue()


def members(data: bytes) -> list[Member]:
    """What an archive holds, packed or not. Raises NotAnArchive."""
    import io
    import tarfile

    try:
        with tarfile.open(fileobj=io.BytesIO(unpacked(data)), mode="r:") as archive:
            return [_member(archive, head) for head in archive]
    except tarfile.TarError as error:
        raise NotAnArchive from error


def _member(archive: object, head: object) -> Member:
    import tarfile

    assert isinstance(archive, tarfile.TarFile) and isinstance(head, tarfile.TarInfo)
    kind = "d" if head.isdir() else "l" if head.issym() else "-"
    stream = archive.extractfile(head) if head.isreg() else None
    content = b"" if stream is None else stream.read()
    name = head.name + ("/" if kind == "d" else "")
    modified = int(head.mtime) * SECOND
    return Member(name, kind, head.mode, modified, content, head.linkname, head.uid, head.gid, head.uname, head.gname)


def unpacked(data: bytes) -> bytes:
    """What was packed, or the data itself. Raises NotAnArchive for what is damaged or too large."""
    if data.startswith(_XZ_MAGIC):
        import lzma

        try:
            return lzma.LZMADecompressor(lzma.FORMAT_XZ).decompress(data, _LARGEST)
        except lzma.LZMAError as error:
            raise NotAnArchive from error
    if data.startswith(b"\x1f\x8b"):
        import zlib

        try:
            return zlib.decompressobj(31).decompress(data, _LARGEST)
        except zlib.error as error:
            raise NotAnArchive from error
    return data


def packed(data: bytes, form: str) -> bytes:
    """The data in the form `gzip`, `xz` or "" (as it is)."""
    return {"gzip": gzip_packed, "xz": xz_packed, "": bytes}[form](data)


def xz_packed(data: bytes) -> bytes:
    """xz's form with one block."""
    head = _with_check(b"\x02\x00\x21\x01\x16\x00\x00\x00")
    pieces = [data[start : start + _CHUNK] for start in range(0, len(data), _CHUNK)]
    chunks = [struct.pack(">BH", 2 if number else 1, len(piece) - 1) + piece for number, piece in enumerate(pieces)]
    body = b"".join(chunks) + b"\x00"
    unpadded = len(head) + len(body) + 4
    block = head + _padded(body) + struct.pack("<I", crc32(data))
    index = _with_check(_padded(b"\x00\x01" + _varying(unpadded) + _varying(len(data))))
    end = struct.pack("<I", len(index) // 4 - 1) + _XZ_FLAGS
    start = _XZ_MAGIC + _with_check(_XZ_FLAGS)
    return start + block + index + struct.pack("<I", crc32(end)) + end + _XZ_END


def _with_check(data: bytes) -> bytes:
    return data + struct.pack("<I", crc32(data))


def _padded(data: bytes) -> bytes:
    return data + bytes(-len(data) % 4)


def _varying(number: int) -> bytes:
    """xz's numbers of varying length: seven bits a byte, the lowest first."""
    found = bytearray()
    while number >= 0x80:
        found.append(number & 0x7F | 0x80)
        number >>= 7
    return bytes([*found, number])
