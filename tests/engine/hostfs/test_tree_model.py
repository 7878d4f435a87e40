"""A host's tree against a real directory: the same operations, the same outcome, the same errors, entry by entry."""

from __future__ import annotations

import errno
import os
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from engine.control.accounts import identity
from engine.hostfs.host_tree import HostTree
from engine.hostfs.tree import ErrorCode, FileError, FileKind
from engine.kernel.actions import decode, encode
from engine.kernel.events import Bus
from engine.kernel.simulation import Recorded, Simulation, replay
from engine.sites.build import load_site
from engine.world.world import World

INVENTORY = load_site("dgx-h100-4")
TOP = "/srv/x/x/x/model"  # deep enough that no chain of ".." links leaves it
ERRORS = {
    errno.ENOENT: ErrorCode.NOT_FOUND,
    errno.EEXIST: ErrorCode.EXISTS,
    errno.EISDIR: ErrorCode.IS_DIRECTORY,
    errno.ENOTDIR: ErrorCode.NOT_DIRECTORY,
    errno.ENOTEMPTY: ErrorCode.NOT_EMPTY,
    errno.EINVAL: ErrorCode.INVALID,
    errno.ELOOP: ErrorCode.LOOP,
    errno.EPERM: ErrorCode.IS_DIRECTORY,  # macOS: unlink of a directory
}

names = st.sampled_from("abc")
paths = st.lists(names, min_size=1, max_size=3).map("/".join)
contents = st.binary(max_size=4)
targets = st.one_of(paths, st.just(".."), st.just("../b"), paths.map(lambda path: f"{TOP}/{path}"))
steps = st.one_of(
    st.tuples(st.just("write"), paths, contents),
    st.tuples(st.just("append"), paths, contents),
    st.tuples(st.just("make_directory"), paths, st.booleans()),
    st.tuples(st.just("remove"), paths, st.booleans()),
    st.tuples(st.just("rename"), paths, paths),
    st.tuples(st.just("copy"), paths, paths),
    st.tuples(st.just("symlink"), targets, paths),
    st.tuples(st.just("set_mode"), paths, st.sampled_from([0o600, 0o644, 0o755])),
    st.tuples(st.just("read_link"), paths),
    st.tuples(st.just("entries"), paths),
    st.tuples(st.just("stat"), paths),
)


class RealTree:
    """The operations on a folder of this machine."""

    def __init__(self, top: Path) -> None:
        self.top = top.resolve() / TOP[1:]
        self.top.mkdir(parents=True)

    def at(self, path: str) -> Path:
        return self.top / path

    def write(self, path: str, content: bytes) -> None:
        self.at(path).write_bytes(content)

    def append(self, path: str, content: bytes) -> None:
        with self.at(path).open("ab") as file:
            file.write(content)

    def make_directory(self, path: str, parents: bool) -> None:
        if not parents:
            self.at(path).mkdir()
            return
        parts = path.split("/")
        for depth in range(1, len(parts) + 1):
            beginning = self.at("/".join(parts[:depth]))
            try:
                beginning.mkdir()
            except FileExistsError:
                if not beginning.is_dir():
                    code = errno.EEXIST if depth == len(parts) or beginning.is_symlink() else errno.ENOTDIR
                    raise OSError(code, path) from None

    def remove(self, path: str, recursive: bool) -> None:
        target = self.at(path)
        if target.is_dir() and not target.is_symlink():
            shutil.rmtree(target) if recursive else target.rmdir()
        else:
            target.unlink()

    def rename(self, source: str, target: str) -> None:
        os.rename(self.at(source), self.at(target))

    def copy(self, source: str, target: str) -> None:
        mode = self.at(source).stat().st_mode & 0o777
        content = self.at(source).read_bytes()
        new = not self.at(target).exists()
        self.at(target).write_bytes(content)
        if new:
            self.at(target).chmod(mode & ~0o022)

    def symlink(self, target: str, path: str) -> None:
        self.at(path).symlink_to(target.replace(TOP, str(self.top)))

    def set_mode(self, path: str, mode: int) -> None:
        self.at(path).chmod(mode)

    def read_link(self, path: str) -> str:
        return os.readlink(self.at(path)).replace(str(self.top), TOP)

    def entries(self, path: str) -> list[str]:
        return sorted(os.listdir(self.at(path)))

    def stat(self, path: str) -> tuple[str, int, int]:
        found = self.at(path).stat()
        directory = self.at(path).is_dir()
        return ("d" if directory else "-"), found.st_mode & 0o777, 0 if directory else found.st_size

    def picture(self) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for path in sorted(self.top.rglob("*")):
            name = path.relative_to(self.top).as_posix()
            if path.is_symlink():
                found[name] = self.read_link(name)
            else:
                mode = path.stat().st_mode & 0o777
                found[name] = (mode, None if path.is_dir() else path.read_bytes())
        return found


class ModelTree:
    """The same operations on a host's tree."""

    def __init__(self, tree: HostTree) -> None:
        self.tree = tree
        tree.make_directory(TOP, True)

    def __getattr__(self, name: str) -> Callable[..., Any]:
        operation = getattr(self.tree, name)
        return lambda path, *rest: operation(f"{TOP}/{path}", *rest)

    def rename(self, source: str, target: str) -> None:
        self.tree.rename(f"{TOP}/{source}", f"{TOP}/{target}")

    def copy(self, source: str, target: str) -> None:
        self.tree.copy(f"{TOP}/{source}", f"{TOP}/{target}")

    def symlink(self, target: str, path: str) -> None:
        self.tree.symlink(target, f"{TOP}/{path}")

    def entries(self, path: str) -> list[str]:
        return [name for name, _ in self.tree.entries(f"{TOP}/{path}")]

    def stat(self, path: str) -> tuple[str, int, int]:
        found = self.tree.stat(f"{TOP}/{path}")
        directory = found.kind is FileKind.DIRECTORY
        return found.kind.value, found.mode, 0 if directory else found.size

    def picture(self, directory: str = TOP) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for name, stat in self.tree.entries(directory):
            path = f"{directory}/{name}"
            key = path.removeprefix(f"{TOP}/")
            if stat.kind is FileKind.SYMLINK:
                found[key] = self.tree.read_link(path)
            elif stat.kind is FileKind.DIRECTORY:
                found[key] = (stat.mode, None)
                found |= self.picture(path)
            else:
                found[key] = (stat.mode, self.tree.read(path))
        return found


def outcome(tree: RealTree | ModelTree, step: tuple[Any, ...]) -> Any:
    name, *arguments = step
    try:
        return getattr(tree, name)(*arguments)
    except OSError as error:
        return ERRORS.get(error.errno or 0, error.errno)
    except FileError as error:
        return error.code


def root_tree(simulation: Simulation[World]) -> HostTree:
    return HostTree(simulation, "dgx-01", identity(INVENTORY, "root"))


def new_simulation() -> Simulation[World]:
    return Simulation(World(INVENTORY, 1), 1, Bus(()))


@settings(max_examples=300)
@given(st.lists(steps, max_size=12))
def test_behaves_as_a_real_directory(todo: list[tuple[Any, ...]]) -> None:
    before = os.umask(0o022)
    try:
        with tempfile.TemporaryDirectory() as folder:
            real, model = RealTree(Path(folder)), ModelTree(root_tree(new_simulation()))
            for step in todo:
                assert outcome(model, step) == outcome(real, step), step
                assert model.picture() == dict(sorted(real.picture().items(), key=lambda item: item[0].split("/")))
    finally:
        os.umask(before)


@given(st.lists(steps, max_size=12))
def test_a_replay_gives_the_same_state(todo: list[tuple[Any, ...]]) -> None:
    first = new_simulation()
    model = ModelTree(root_tree(first))
    for step in todo:
        outcome(model, step)
    journal = [Recorded(entry.time, decode(encode(entry.action))) for entry in first.recorded]
    again = replay(new_simulation(), journal)
    assert again.state_digest() == first.state_digest()


@given(st.lists(steps, max_size=8), st.lists(steps, max_size=8))
def test_a_fork_goes_its_own_way(common: list[tuple[Any, ...]], later: list[tuple[Any, ...]]) -> None:
    first = new_simulation()
    model = ModelTree(root_tree(first))
    for step in common:
        outcome(model, step)
    before = model.picture()
    twin = ModelTree.__new__(ModelTree)
    twin.tree = root_tree(first.fork())
    for step in later:
        outcome(twin, step)
    assert model.picture() == before
