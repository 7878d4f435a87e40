"""Mounts a Python-implemented file tree into bashkit.

This and ``abi`` are the only modules of the project in which a mistake could crash the process. What keeps it safe:

* Whatever bashkit may call or look at later lives as long as the process or until bashkit lets go of it: the callbacks
  are made once, an instance's counter is C memory freed only when bashkit's last reference is gone, a result's memory
  is freed when bashkit hands it back.
* No exception crosses. A FileError becomes bashkit's error with Linux's words, anything else "Input/output error".
* retain and release run no Python (see ``abi.References``), so dropping a file system after the interpreter's end is
  harmless. They count, so a tree is let go once no shell uses it, without anybody closing its mount.
* A native thread that calls into Python while the interpreter ends would be killed in the middle of native code, which
  aborts the process (Python before 3.14). So at exit each thread of a shell still running is parked at its next call.
  That is a net, not a licence: whoever runs shells cancels them before leaving.

bashkit calls from its own threads, several at a time; the tree must bear that.
"""

import atexit
import ctypes
import threading
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from typing import TYPE_CHECKING, Any

from engine.hostfs import abi
from engine.hostfs.tree import ErrorCode, FileError, FileKind, FileTree, Stat
from engine.kernel.quick_dataclass import dataclass

if TYPE_CHECKING:
    import bashkit

# BashkitFsAbiErrorKind: what bashkit distinguishes; the rest is 0, "other", and bashkit prints our words for all.
ERROR_KINDS = {
    ErrorCode.NOT_FOUND: 1,
    ErrorCode.EXISTS: 2,
    ErrorCode.PERMISSION: 3,
    ErrorCode.INVALID: 4,
    ErrorCode.IS_DIRECTORY: 5,
    ErrorCode.NOT_DIRECTORY: 6,
    ErrorCode.NOT_EMPTY: 7,
    ErrorCode.NOT_SUPPORTED: 8,
}
# BashkitFsAbiFileType has no devices: to cat and redirections they are files.
FILE_TYPES = {
    FileKind.FILE: 0,
    FileKind.DIRECTORY: 1,
    FileKind.SYMLINK: 2,
    FileKind.CHARACTER_DEVICE: 0,
    FileKind.BLOCK_DEVICE: 0,
}
NANOSECONDS = 1_000_000_000
QUIET_SECONDS = 0.005  # real time at the interpreter's end: how long without a call before it may go on
OnFailure = Callable[[BaseException], None]


class BridgeUnavailable(RuntimeError):
    """The bashkit or the platform here can't mount a Python file tree."""


class Mount:
    """A file tree as a bashkit file system; the tree lives as long as that is in use, or until ``close``."""

    def __init__(self, tree: FileTree, on_failure: OnFailure | None = None) -> None:
        """``on_failure`` gets the exceptions that are no FileErrors (the tree's bugs), on the thread they occur on."""
        self._bridge = _bridge()
        self._instance = self._bridge.add(_Mounted(tree, on_failure))
        try:
            self.file_system = self._bridge.import_file_system(self._instance)
        finally:
            self._bridge.added(self._instance)

    def close(self) -> None:
        """Let go of the tree now; what still uses the file system gets "Input/output error"."""
        self._bridge.close(self._instance)


def mount_tree(tree: FileTree, on_failure: OnFailure | None = None) -> "bashkit.FileSystem":
    """The tree as a file system for ``bashkit.Bash.mount``."""
    return Mount(tree, on_failure).file_system


def mounted_trees() -> int:
    """How many trees bashkit still uses, after letting go of the others."""
    return _bridge().sweep()


@dataclass(frozen=True, slots=True)
class _Mounted:
    tree: FileTree
    on_failure: OnFailure | None


class _Bridge:
    """The process's vtable, and what is mounted, by instance."""

    def __init__(self) -> None:
        try:
            library: Any = ctypes.CDLL(None)
            self.memory = abi.Memory(library)
            self.references = abi.References(library, self.memory)
        except (OSError, TypeError, AttributeError) as error:
            raise BridgeUnavailable("no C library that gives memory and counters (Linux and macOS have one)") from error
        self.mounted: dict[int, _Mounted | None] = {}  # None: closed, though bashkit still holds the instance
        self._sweep_at = 64
        self._lock = threading.RLock()
        self._ended = False
        self._parked = threading.Semaphore(0)
        self._for_ever = threading.Event()
        operations = _operations(self.memory)
        self._functions = [abi.FUNCTION_TYPES[name](self._guarded(operations[name])) for name in abi.OPERATIONS]
        self._functions.append(abi.FreeBytes(lambda _instance, owned: self.memory.free(owned.pointer)))
        self._functions.append(abi.FreeEntries(lambda _instance, owned: self.memory.free(owned.pointer)))
        self._vtable = abi.VTable(*self._functions)

    def add(self, mounted: _Mounted) -> int:
        """An instance for what is to be mounted, held by us until ``added``."""
        with self._lock:
            if len(self.mounted) >= self._sweep_at:
                self._sweep_at = max(64, 2 * self.sweep())
            instance = self.references.new()
            self.references.retain(instance)
            self.mounted[instance] = mounted
            return instance

    def added(self, instance: int) -> None:
        """bashkit has taken the instance, or has refused it."""
        self.references.release(instance)

    def close(self, instance: int) -> None:
        """Drop the tree; the instance stays until bashkit drops it."""
        with self._lock:
            if instance in self.mounted:
                self.mounted[instance] = None

    def sweep(self) -> int:
        """Forget the instances that nobody holds; how many remain."""
        with self._lock:
            if self.references.counting:
                for instance in [held for held in self.mounted if self.references.count(held) == 0]:
                    del self.mounted[instance]
                    self.memory.free(instance)
            return len(self.mounted)

    def end(self) -> None:
        """The interpreter is about to end: park the threads that still call, until none has come for a moment."""
        self._ended = True
        if self.sweep():
            while self._parked.acquire(timeout=QUIET_SECONDS):
                pass

    def _park(self) -> None:
        """Hold a shell's thread until the process is gone; the main thread has to go on and gets an error instead."""
        if threading.get_ident() != threading.main_thread().ident:
            self._parked.release()
            self._for_ever.wait()
        raise FileError(ErrorCode.IO)

    def import_file_system(self, instance: int) -> "bashkit.FileSystem":
        """bashkit's own object for an instance; it copies the handle and the vtable."""
        try:
            from bashkit import FileSystem

            take = FileSystem.from_capsule
        except (ImportError, AttributeError) as error:
            raise BridgeUnavailable(f"bashkit here can't take a file system: {error}") from error
        handle = abi.Handle(
            abi.VERSION, 0, instance, self.references.retain, self.references.release, ctypes.pointer(self._vtable)
        )
        new_capsule = ctypes.PYFUNCTYPE(ctypes.py_object, ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p)(
            ("PyCapsule_New", ctypes.pythonapi)
        )
        try:
            return take(new_capsule(ctypes.addressof(handle), abi.CAPSULE_NAME, None))
        except (RuntimeError, ValueError, TypeError) as error:
            raise BridgeUnavailable(f"bashkit refused the file system: {error}") from error

    def _guarded(self, operation: Callable[..., None]) -> Callable[..., int]:
        def call(instance: int, *arguments: Any) -> int:
            *given, out_error = arguments
            mounted = self.mounted.get(instance)
            try:
                if self._ended:
                    self._park()
                if mounted is None:
                    raise FileError(ErrorCode.IO)
                operation(mounted.tree, *given)
            except FileError as error:
                return self._fail(out_error, error.code)
            except BaseException as error:  # KeyboardInterrupt too: nothing may cross into native code
                _report(mounted, error)
                return self._fail(out_error, ErrorCode.IO)
            return abi.OK

        return call

    def _fail(self, out_error: Any, code: ErrorCode) -> int:
        out_error[0].kind = ERROR_KINDS.get(code, 0)
        out_error[0].message = self.memory.content(code.value.encode())
        return abi.FAILED


@cache
def _bridge() -> _Bridge:
    bridge = _Bridge()
    atexit.register(bridge.end)
    return bridge


def _report(mounted: _Mounted | None, error: BaseException) -> None:
    """Tell the mount's owner about a bug in the tree; a bug in telling it goes nowhere."""
    if mounted is not None and mounted.on_failure is not None:
        with suppress(BaseException):
            mounted.on_failure(error)


def _operations(memory: abi.Memory) -> dict[str, Callable[..., None]]:
    """What each operation of the ABI does: the tree, then the operation's arguments."""

    def read_file(tree: FileTree, path: abi.Bytes, out: Any) -> None:
        out[0] = memory.content(tree.read(_path(path)))

    def stat(tree: FileTree, path: abi.Bytes, out: Any) -> None:
        found = _metadata(tree.stat(_path(path)))
        out[0] = abi.Metadata(found[0], (0,) * 7, *found[1:])

    def read_dir(tree: FileTree, path: abi.Bytes, out: Any) -> None:
        out[0] = memory.entries([(_encoded(name), _metadata(found)) for name, found in tree.entries(_path(path))])

    def exists(tree: FileTree, path: abi.Bytes, out: Any) -> None:
        out[0] = bool(tree.exists(_path(path)))

    def read_link(tree: FileTree, path: abi.Bytes, out: Any) -> None:
        out[0] = memory.content(_encoded(tree.read_link(_path(path))))

    return {
        "read_file": read_file,
        "write_file": lambda tree, path, content: tree.write(_path(path), _content(content)),
        "append_file": lambda tree, path, content: tree.append(_path(path), _content(content)),
        "mkdir": lambda tree, path, parents: tree.make_directory(_path(path), parents),
        "remove": lambda tree, path, recursive: tree.remove(_path(path), recursive),
        "stat": stat,
        "read_dir": read_dir,
        "exists": exists,
        "rename": lambda tree, source, target: tree.rename(_path(source), _path(target)),
        "copy": lambda tree, source, target: tree.copy(_path(source), _path(target)),
        "symlink": lambda tree, target, path: tree.symlink(_text(target), _path(path)),
        "read_link": read_link,
        "chmod": lambda tree, path, mode: tree.set_mode(_path(path), mode & 0o7777),
    }


def _metadata(stat: Stat) -> tuple[int, int, int, int, int, int, int]:
    """The values of abi.Metadata in its order; the creation time is not modelled and equals the modification time."""
    seconds, nanoseconds = divmod(stat.modified, NANOSECONDS)
    return FILE_TYPES[stat.kind], stat.size, stat.mode, seconds, nanoseconds, seconds, nanoseconds


def _encoded(text: str) -> bytes:
    """Text as bashkit wants it; a name that is no valid UTF-8 shows "?" where it is not."""
    return text.encode("utf-8", "replace")


def _content(view: abi.Bytes) -> bytes:
    return ctypes.string_at(view.pointer, view.length) if view.length else b""


def _text(view: abi.Bytes) -> str:
    return _content(view).decode("utf-8", "replace")


def _path(view: abi.Bytes) -> str:
    """An absolute path without empty, ``.`` and ``..`` parts, whatever came."""
    parts: list[str] = []
    for part in _text(view).split("/"):
        if part == "..":
            del parts[-1:]
        elif part not in ("", "."):
            parts.append(part)
    return "/" + "/".join(parts)
