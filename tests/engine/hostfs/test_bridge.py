"""The mount of Python file trees into bashkit: what gets across, who frees what, and that nothing crashes."""

import asyncio
import gc
import os
import posixpath
import subprocess
import sys
import textwrap
import threading
import weakref
from pathlib import Path

import pytest

import engine.hostfs.abi as abi
import engine.hostfs.bridge as bridge
from engine.hostfs.bridge import BridgeUnavailable, Mount, mount_tree, mounted_trees
from engine.hostfs.copying import copy_tree
from engine.hostfs.tree import ErrorCode, FileError, FileKind, Stat

bashkit = pytest.importorskip("bashkit")
MODIFIED = 1_700_000_000_123_456_789


class TableTree:
    """A file tree in a dictionary; a str is a link, None a directory, an ErrorCode or exception what using it gives."""

    def __init__(self, nodes=None):
        self.nodes = {"/": None, **(nodes or {})}
        self.modes = {}
        for path in list(self.nodes):
            while (path := posixpath.dirname(path)) not in self.nodes:
                self.nodes[path] = None

    def _resolve(self, path, depth=0):
        if depth > 40:
            raise FileError(ErrorCode.LOOP, path)
        done = "/"
        parts = path.strip("/").split("/") if path != "/" else []
        for at, part in enumerate(parts):
            done = posixpath.normpath(posixpath.join(done, part))
            if isinstance(target := self.nodes.get(done), str):
                rest = posixpath.join(posixpath.dirname(done), target, *parts[at + 1 :])
                return self._resolve(posixpath.normpath(rest), depth + 1)
        return done

    def _node(self, path):
        try:
            node = self.nodes[self._resolve(path)]
        except KeyError:
            raise FileError(ErrorCode.NOT_FOUND, path) from None
        if isinstance(node, ErrorCode):
            raise FileError(node, path)
        if isinstance(node, BaseException):
            raise node
        return node

    def _stat(self, path, node):
        if isinstance(node, str):
            return Stat(FileKind.SYMLINK, 0o777, 0, 0, len(node), MODIFIED)
        if node is None:
            return Stat(FileKind.DIRECTORY, 0o755, 0, 0, 4096, MODIFIED)
        size = len(node) if isinstance(node, bytes) else 0
        return Stat(FileKind.FILE, self.modes.get(path, 0o644), 0, 0, size, MODIFIED)

    def read(self, path):
        node = self._node(path)
        if node is None:
            raise FileError(ErrorCode.IS_DIRECTORY, path)
        return node

    def write(self, path, content):
        path = self._resolve(path)
        if path in self.nodes and self._node(path) is None:
            raise FileError(ErrorCode.IS_DIRECTORY, path)
        self._node(posixpath.dirname(path))
        self.nodes[path] = content

    def append(self, path, content):
        self.write(path, (self.read(path) if self.exists(path) else b"") + content)

    def make_directory(self, path, parents):
        self.nodes[path] = None

    def remove(self, path, recursive):
        del self.nodes[path]

    def stat(self, path):
        return self._stat(self._resolve(path), self._node(path))

    def entries(self, path):
        if self._node(path) is not None:
            raise FileError(ErrorCode.NOT_DIRECTORY, path)
        real = self._resolve(path)
        inside = [other for other in sorted(self.nodes) if other != "/" and posixpath.dirname(other) == real]
        return [(posixpath.basename(other), self._stat(other, self.nodes[other])) for other in inside]

    def exists(self, path):
        try:
            self._node(path)
        except FileError:
            return False
        return True

    def rename(self, source, target):
        self.nodes[target] = self.nodes.pop(source)

    def copy(self, source, target):
        self.nodes[self._resolve(target)] = self.read(source)

    def symlink(self, target, path):
        self.nodes[path] = target

    def read_link(self, path):
        if not isinstance(self.nodes.get(path), str):
            raise FileError(ErrorCode.INVALID, path)
        return self.nodes[path]

    def set_mode(self, path, mode):
        self.modes[self._resolve(path)] = mode


def shell(tree, **more):
    session = bashkit.Bash(cwd="/", profile=bashkit.ExecutionProfile.Interactive)
    session.mount("/", mount_tree(tree, **more))
    return session


def run(tree, line):
    result = shell(tree).execute_sync(line)
    return result.stdout, result.stderr, result.exit_code


# What gets across


def test_content_is_computed_when_it_is_read():
    class Counting(TableTree):
        reads = 0

        def read(self, path):
            self.reads += 1
            return b"%d\n" % self.reads

    assert run(Counting({"/sys/temp1_input": b""}), "cd /sys; cat temp1_input; cat temp1_input")[0] == "1\n2\n"


def test_bytes_with_nul_and_no_utf8_survive_both_ways():
    content = bytes(range(256)) * 5
    tree = TableTree({"/dev/blob": content})
    file_system = mount_tree(tree)
    assert file_system.read_file("/dev/blob") == content
    file_system.write_file("/copy", content)
    file_system.append_file("/copy", b"\0\xff")
    assert tree.nodes["/copy"] == content + b"\0\xff"


def test_an_empty_file_and_an_empty_directory():
    assert run(TableTree({"/d/e": None, "/d/f": b""}), "cat /d/f; ls /d/e; ls /d; wc -c < /d/f") == ("e\nf\n0\n", "", 0)


def test_metadata():
    tree = TableTree({"/a": b"12345"})
    tree.modes["/a"] = 0o4750
    found = mount_tree(tree).stat("/a")
    assert (found["file_type"], found["size"], found["mode"]) == ("file", 5, 0o4750)
    assert found["modified"] == pytest.approx(MODIFIED / 1e9)
    assert mount_tree(tree).stat("/")["file_type"] == "directory"


def test_a_time_before_the_epoch_is_the_epoch_to_bashkit():
    class Old(TableTree):
        def stat(self, path):
            return Stat(FileKind.FILE, 0o644, 0, 0, 0, -1_500_000_000)

    assert mount_tree(Old()).stat("/a")["modified"] == 0


@pytest.mark.parametrize("kind", [FileKind.CHARACTER_DEVICE, FileKind.BLOCK_DEVICE])
def test_devices_are_files_to_the_shell(kind):
    class Device(TableTree):
        def stat(self, path):
            return Stat(kind, 0o666, 0, 0, 0, 0, device=(195, 0))

    assert mount_tree(Device()).stat("/dev/nvidia0")["file_type"] == "file"


def test_every_writing_operation_reaches_the_tree():
    tree = TableTree({"/tmp": None, "/a": b"one\n", "/gone": b""})
    line = "echo x > /tmp/w; echo y >> /tmp/w; mkdir -p /tmp/p/q; cp /a /tmp/c; mv /tmp/c /tmp/m; ln -s ../a /tmp/l; "
    assert run(tree, line + "chmod 600 /tmp/w; rm /gone; cat /tmp/l; readlink /tmp/l") == ("one\n../a\n", "", 0)
    assert tree.nodes["/tmp/w"] == b"x\ny\n"
    assert tree.nodes["/tmp/m"] == b"one\n"
    assert tree.nodes["/tmp/p/q"] is None
    assert tree.modes["/tmp/w"] == 0o600
    assert "/gone" not in tree.nodes and "/tmp/c" not in tree.nodes


def test_a_linked_directory_can_be_entered_and_listed():
    tree = TableTree({"/sys/devices/mlx5_0/fw_ver": b"28.39\n", "/sys/class/mlx5_0": "../devices/mlx5_0"})
    line = "cd /sys/class/mlx5_0/ && cat fw_ver; ls /sys/class/mlx5_0/; cat /sys/class/*/fw_ver"
    assert run(tree, line) == ("28.39\nfw_ver\n28.39\n", "", 0)


def test_a_script_in_the_tree_runs_if_its_mode_says_so():
    tree = TableTree({"/opt/x.sh": b"#!/bin/bash\necho ran $1\n"})
    assert run(tree, "/opt/x.sh 7")[1:] == ("bash: line 1: /opt/x.sh: Permission denied\n", 126)
    tree.modes["/opt/x.sh"] = 0o755
    assert run(tree, "/opt/x.sh 7") == ("ran 7\n", "", 0)


# Errors


@pytest.mark.parametrize("code", list(ErrorCode))
def test_an_error_reaches_the_user_in_linux_words(code):
    out, err, status = run(TableTree({"/x": code}), "cat /x")
    assert (out, err, status) == ("", f"cat: /x: {code.value}\n", 1)


@pytest.mark.parametrize("line", ["echo a > /x", "echo a >> /x", "cat < /x"])
def test_redirections_fail_in_bash_words(line):
    class Refusing(TableTree):
        def write(self, path, content):
            raise FileError(ErrorCode.PERMISSION, path)

        read = append = write

    assert run(Refusing({"/x": ErrorCode.PERMISSION}), line)[1] == "bash: line 1: /x: Permission denied\n"


@pytest.mark.parametrize("bug", [ValueError("secret"), KeyboardInterrupt(), SystemExit(3), RecursionError(), 7])
def test_a_bug_in_a_tree_is_an_input_output_error_and_is_reported(bug):
    reported = []
    session = shell(TableTree({"/x": bug, "/y": b"fine\n"}), on_failure=reported.append)
    result = session.execute_sync("cat /x; cat /y")
    assert (result.stdout, result.stderr) == ("fine\n", "cat: /x: Input/output error\n")
    assert reported[0] is bug or isinstance(reported[0], TypeError)


def test_a_bug_in_reporting_a_bug_is_harmless():
    def on_failure(error):
        raise error

    assert shell(TableTree({"/x": ValueError()}), on_failure=on_failure).execute_sync("cat /x").exit_code == 1


@pytest.mark.parametrize("wrong", [None, "text", 5, [("a", None)]])
def test_wrong_types_from_a_tree_are_errors(wrong):
    class Wrong(TableTree):
        read = entries = stat = read_link = lambda self, path: wrong

    file_system = mount_tree(Wrong())
    for operation in (file_system.read_file, file_system.read_dir, file_system.stat):
        with pytest.raises(Exception, match="Input/output error"):
            operation("/x")


def test_names_that_are_no_utf8_do_not_hide_their_directory():
    assert run(TableTree({"/d/a\udcff": b"", "/d/b": b""}), "ls /d")[0] == "a?\nb\n"


def test_paths_arrive_normalised():
    seen = []

    class Noting(TableTree):
        def read(self, path):
            seen.append(path)
            return b""

    mount_tree(Noting()).read_file("/a/./b//../c/")
    assert seen == ["/a/c"]


def test_a_path_with_strange_characters():
    tree = TableTree({"/d": None})
    run(tree, "echo hi > '/d/a b é?'")
    assert tree.nodes["/d/a b é?"] == b"hi\n"


def test_a_huge_directory():
    tree = TableTree({"/d": None})
    listed = [(f"node-{number:06}", Stat(FileKind.FILE, 0o644, 0, 0, number, MODIFIED)) for number in range(100_000)]
    tree.entries = lambda path: listed
    found = mount_tree(tree).read_dir("/d")
    assert len(found) == 100_000
    assert {entry["metadata"]["size"] for entry in found} == set(range(100_000))
    assert all(entry["name"] == f"node-{entry['metadata']['size']:06}" for entry in found)


# Life times


class Tree(TableTree):
    """Can be referred to weakly."""


def test_a_tree_lives_as_long_as_the_session_and_no_longer():
    tree = Tree({"/a": b"hi\n"})
    gone = weakref.ref(tree)
    session = shell(tree)
    del tree
    gc.collect()
    mounted_trees()
    assert session.execute_sync("cat /a").stdout == "hi\n"
    del session
    gc.collect()
    mounted_trees()
    assert gone() is None


def test_unmounting_lets_go_too():
    session = shell(Tree({"/a": b""}))
    before = mounted_trees()
    session.unmount("/")
    assert mounted_trees() == before - 1


def test_a_closed_mount_gives_input_output_errors_and_lets_the_tree_go():
    tree = Tree({"/a": b"hi\n"})
    gone = weakref.ref(tree)
    mount = Mount(tree)
    session = bashkit.Bash(cwd="/")
    session.mount("/", mount.file_system)
    del tree
    mount.close()
    mount.close()
    assert gone() is None
    assert session.execute_sync("cat /a").stderr == "cat: /a: Input/output error\n"


def test_two_thousand_mounts_leave_nothing_behind():
    mounted_trees()
    bridge_now = bridge._bridge()
    before = len(bridge_now.memory.held) - len(bridge_now.mounted)
    most = 0
    for _ in range(2000):
        shell(Tree({"/a": b"hi\n"})).execute_sync("cat /a /nosuch; ls /")
        most = max(most, len(bridge_now.mounted))
    gc.collect()
    remaining = mounted_trees()
    assert remaining < 64 and most < 256
    assert len(bridge_now.memory.held) - remaining == before


def test_results_are_given_back():
    session = shell(Tree({"/a": b"hi\n" * 1000, "/l": "a"}))
    session.execute_sync("cat /a")
    held = len(bridge._bridge().memory.held)
    session.execute_sync("for i in 1 2 3 4 5; do cat /a; ls -l /; cat /nosuch; readlink /l; done")
    assert len(bridge._bridge().memory.held) == held


def test_without_native_counters_a_tree_stays_until_it_is_closed(monkeypatch):
    monkeypatch.setattr(abi.References, "PAIRS", (("no_such_function", "nor_this"), ("getppid", "getpid")))
    plain = bridge._Bridge()
    assert not plain.references.counting
    monkeypatch.setattr(bridge, "_bridge", lambda: plain)
    mount = Mount(Tree({"/a": b"hi\n"}))
    assert mount.file_system.read_file("/a") == b"hi\n"
    assert plain.sweep() == 1
    mount.close()
    with pytest.raises(Exception, match="Input/output error"):
        mount.file_system.read_file("/a")


# Unavailable


def test_a_bashkit_without_the_interface_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "bashkit", type(sys)("bashkit"))
    with pytest.raises(BridgeUnavailable, match="can't take a file system"):
        mount_tree(TableTree())


def test_another_abi_version_is_refused_by_bashkit_and_named(monkeypatch):
    monkeypatch.setattr(abi, "VERSION", 999)
    with pytest.raises(BridgeUnavailable, match="unsupported filesystem ABI version"):
        mount_tree(TableTree())


def test_no_c_library_is_named(monkeypatch):
    def missing(name):
        raise TypeError(name)

    monkeypatch.setattr("ctypes.CDLL", missing)
    with pytest.raises(BridgeUnavailable, match="no C library"):
        bridge._Bridge()


def test_the_fallback_copies_what_can_be_read():
    tree = TableTree({"/etc/a": b"hi\n", "/etc/secret": ErrorCode.PERMISSION, "/etc/l": "a", "/empty": None})
    tree.modes["/etc/a"] = 0o600
    copied = copy_tree(tree)
    assert copied.read_file("/etc/a") == b"hi\n"
    assert copied.stat("/etc/a")["mode"] == 0o600
    assert copied.read_link("/etc/l") == "a"
    assert copied.stat("/empty")["file_type"] == "directory"
    assert not copied.exists("/etc/secret")


# Threads, and the process's end


def test_many_threads_and_an_event_loop_at_once():
    tree = TableTree({"/a": b"hi\n", "/bug": ValueError(), "/no": ErrorCode.PERMISSION})
    line = "for i in 1 2 3 4 5 6 7 8 9 10; do cat /a /bug /no; ls / >/dev/null; done 2>/dev/null"
    outputs = []

    async def together():
        sessions = [shell(tree) for _ in range(10)]
        return await asyncio.gather(*(session.execute(line) for session in sessions))

    threads = [threading.Thread(target=lambda: outputs.append(shell(tree).execute_sync(line).stdout)) for _ in range(8)]
    for thread in threads:
        thread.start()
    results = asyncio.run(together())
    for thread in threads:
        thread.join()
    assert outputs == ["hi\n" * 10] * 8
    assert [result.stdout for result in results] == ["hi\n" * 10] * 10


HAMMER = """
    import asyncio, random, sys, threading, time
    import bashkit
    from engine.hostfs.bridge import Mount
    from engine.hostfs.tree import ErrorCode, FileError, FileKind, Stat

    class Wild:
        def __getattr__(self, name):
            def operation(*arguments):
                draw = random.random()
                if draw < 0.2:
                    raise FileError(random.choice(list(ErrorCode)))
                if draw < 0.3:
                    raise random.choice([ValueError, KeyboardInterrupt, SystemExit, MemoryError])("bug")
                return {"read": b"x\\0y\\n" * 500, "stat": Stat(FileKind.FILE, 0o755, 0, 0, 7, 0), "exists": True,
                        "entries": [(str(n), Stat(FileKind.FILE, 0o644, 0, 0, 7, 0)) for n in range(50)],
                        "read_link": "/a"}.get(name)
            return operation

    LINE = "while :; do cat /a; ls /; echo > /b; cp /a /c; ln -s /a /d; rm /d; chmod 600 /a; cat /d/*; done &>/dev/null"
    kept = []

    def session(keep):
        mount = Mount(Wild())
        shell = bashkit.Bash(cwd="/", profile=bashkit.ExecutionProfile.Interactive)
        shell.mount("/", mount.file_system)
        if keep:
            kept.append((mount, shell))
        return mount, shell

    def threads():
        for number in range(4):
            _, shell = session(True)
            threading.Thread(target=shell.execute_sync, args=(LINE,), daemon=True).start()
        time.sleep(0.4)

    def loop():
        async def main():
            for number in range(4):
                asyncio.ensure_future(session(number % 2)[1].execute(LINE))
            await asyncio.sleep(0.4)
        asyncio.run(main())

    def closing():
        threads()
        for mount, shell in kept:
            mount.close()
        time.sleep(0.1)

    def idle():
        for number in range(200):
            session(number % 2)[1].execute_sync("cat /a; ls /")

    {"threads": threads, "loop": loop, "closing": closing, "idle": idle}[sys.argv[1]]()
    print("end of the program", flush=True)
"""


@pytest.mark.parametrize("way", ["threads", "loop", "closing", "idle"])
def test_leaving_while_shells_hammer_a_mount_does_not_crash(way):
    project = Path(__file__).parents[3]
    done = subprocess.run(
        [sys.executable, "-X", "faulthandler", "-c", textwrap.dedent(HAMMER), way],
        capture_output=True,
        text=True,
        timeout=60,
        cwd=project,
        env={**os.environ, "PYTHONPATH": str(project)},
        check=False,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "end of the program\n", "")
