"""The C layout of a file system handed to bashkit, and the C memory behind it.

The PyCapsule ``bashkit.FileSystem.v1`` is documented by ``bashkit.FileSystem.from_capsule`` for native extensions; its
structures and functions are those of the Rust module ``bashkit::interop::fs``, ABI version 1 (read in the crate's 0.16,
exercised by the tests against the pinned 0.20.1). The names in the docstrings are that module's. Nothing here knows
about file trees.
"""

import ctypes
import struct
from collections.abc import Iterable, Sequence
from typing import Any

VERSION = 1
CAPSULE_NAME = b"bashkit.FileSystem.v1"
OK, FAILED = 0, 1


class Bytes(ctypes.Structure):
    """BashkitFsAbiStrRef and BashkitFsAbiOwnedBytes."""

    _fields_ = (("pointer", ctypes.c_void_p), ("length", ctypes.c_size_t))


class Error(ctypes.Structure):
    """BashkitFsAbiError."""

    _fields_ = (("kind", ctypes.c_uint32), ("message", Bytes))


class Metadata(ctypes.Structure):
    """BashkitFsAbiMetadata."""

    _fields_ = (
        ("file_type", ctypes.c_uint8),
        ("reserved", ctypes.c_uint8 * 7),
        ("size", ctypes.c_uint64),
        ("mode", ctypes.c_uint32),
        ("modified_seconds", ctypes.c_int64),
        ("modified_nanoseconds", ctypes.c_uint32),
        ("created_seconds", ctypes.c_int64),
        ("created_nanoseconds", ctypes.c_uint32),
    )


class Entry(ctypes.Structure):
    """BashkitFsAbiDirEntry."""

    _fields_ = (("name", Bytes), ("metadata", Metadata))


class Entries(ctypes.Structure):
    """BashkitFsAbiOwnedDirEntries."""

    _fields_ = (("pointer", ctypes.c_void_p), ("length", ctypes.c_size_t))


Reference = ctypes.CFUNCTYPE(None, ctypes.c_void_p)
FreeBytes = ctypes.CFUNCTYPE(None, ctypes.c_void_p, Bytes)
FreeEntries = ctypes.CFUNCTYPE(None, ctypes.c_void_p, Entries)

# The vtable's functions in the ABI's order: their arguments between the instance and the error.
_PATH, _OUT_BYTES = Bytes, ctypes.POINTER(Bytes)
OPERATIONS: dict[str, tuple[Any, ...]] = {
    "read_file": (_PATH, _OUT_BYTES),
    "write_file": (_PATH, Bytes),
    "append_file": (_PATH, Bytes),
    "mkdir": (_PATH, ctypes.c_bool),
    "remove": (_PATH, ctypes.c_bool),
    "stat": (_PATH, ctypes.POINTER(Metadata)),
    "read_dir": (_PATH, ctypes.POINTER(Entries)),
    "exists": (_PATH, ctypes.POINTER(ctypes.c_bool)),
    "rename": (_PATH, _PATH),
    "copy": (_PATH, _PATH),
    "symlink": (_PATH, _PATH),
    "read_link": (_PATH, _OUT_BYTES),
    "chmod": (_PATH, ctypes.c_uint32),
}
FUNCTION_TYPES: dict[str, Any] = {
    name: ctypes.CFUNCTYPE(ctypes.c_uint32, ctypes.c_void_p, *arguments, ctypes.POINTER(Error))
    for name, arguments in OPERATIONS.items()
} | {"free_bytes": FreeBytes, "free_dir_entries": FreeEntries}


class VTable(ctypes.Structure):
    """BashkitFsAbiVTableV1."""

    _fields_ = tuple(FUNCTION_TYPES.items())


class Handle(ctypes.Structure):
    """BashkitFsAbiHandleV1."""

    _fields_ = (
        ("abi_version", ctypes.c_uint32),
        ("reserved", ctypes.c_uint32),
        ("instance", ctypes.c_void_p),
        ("retain", Reference),
        ("release", Reference),
        ("vtable", ctypes.POINTER(VTable)),
    )


class Memory:
    """C memory: results that bashkit is still to copy, and counters that may outlive the interpreter."""

    def __init__(self, library: Any) -> None:
        calloc_type = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_size_t, ctypes.c_size_t)
        free_type = ctypes.CFUNCTYPE(None, ctypes.c_void_p)
        self._calloc = ctypes.cast(library.calloc, calloc_type)
        self._free = ctypes.cast(library.free, free_type)
        self.held: set[int] = set()

    def allocate(self, size: int) -> int:
        """The address of so many zero bytes (at least one)."""
        address = self._calloc(1, max(size, 1))
        if not address:
            raise MemoryError
        self.held.add(address)
        return int(address)

    def free(self, address: int | None) -> None:
        """Give memory back; anything that is not held (null above all) is left alone."""
        if address in self.held:
            self.held.discard(address)
            self._free(address)

    def content(self, content: bytes) -> Bytes:
        """A copy of this content; only of bytes, as memmove would take a str for something else."""
        if not isinstance(content, bytes):
            raise TypeError(f"bytes expected, not {type(content).__name__}")
        address = self.allocate(len(content))
        ctypes.memmove(address, content, len(content))
        return Bytes(address, len(content))

    def entries(self, listed: Sequence[tuple[bytes, Iterable[int]]]) -> Entries:
        """A directory: the array of entries with the names behind it, one allocation.

        Each entry is a name and the values of its metadata in the order of Metadata, ``reserved`` left out.
        """
        names = b"".join(name for name, _ in listed)
        array_size = _ENTRY.size * len(listed)
        base = self.allocate(array_size + len(names))
        position = base + array_size
        packed = bytearray()
        for name, metadata in listed:
            packed += _ENTRY.pack(position, len(name), *metadata)
            position += len(name)
        content = bytes(packed) + names
        ctypes.memmove(base, content, len(content))
        return Entries(base, len(listed))


# Entry's bytes for struct, which fills a directory of 100,000 names in a tenth of the time ctypes needs.
_ENTRY = struct.Struct("@PNB7xQI4xqI4xqI4x")


class References:
    """Native counters of bashkit's references to an instance; a counter's address serves as the instance.

    bashkit calls ``retain`` when it takes an instance and ``release`` when it drops it, which may be after the
    interpreter has ended, so these must be native code: functions of one pointer that count up and down. Linux has
    sem_post/sem_trywait (a zeroed sem_t is a semaphore of value 0 in glibc and musl, the value its first 32 bits),
    macOS OSAtomicIncrement32/OSAtomicDecrement32. A self-check decides; without a pair nothing is counted and both
    do nothing.
    """

    SIZE = 64  # more than any sem_t
    PAIRS = (("sem_post", "sem_trywait"), ("OSAtomicIncrement32", "OSAtomicDecrement32"))

    def __init__(self, library: Any, memory: Memory) -> None:
        self._memory = memory
        harmless = ctypes.cast(library.getppid, Reference)
        self.retain, self.release, self.counting = harmless, harmless, False
        for names in self.PAIRS:
            if all(hasattr(library, name) for name in names) and not self.counting:
                retain, release = (ctypes.cast(getattr(library, name), Reference) for name in names)
                if self._counts(retain, release):
                    self.retain, self.release, self.counting = retain, release, True

    def _counts(self, retain: Any, release: Any) -> bool:
        instance = self.new()
        seen = []
        for step in (retain, retain, release, release):
            step(instance)
            seen.append(self.count(instance))
        self._memory.free(instance)
        return seen == [1, 2, 1, 0]

    def new(self) -> int:
        """An instance that nobody holds."""
        return self._memory.allocate(self.SIZE)

    def count(self, instance: int) -> int:
        """How many of bashkit's file systems hold the instance."""
        return ctypes.c_int32.from_address(instance).value
