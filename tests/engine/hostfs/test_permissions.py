"""Who may do what: the answers of a Linux host, operation by operation."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from engine.hostfs.host_tree import HostTree
from engine.hostfs.tree import ErrorCode, FileError
from tests.engine.hostfs.conftest import Seen

Operation = Callable[[HostTree], object]
OK = None
PERMISSION, NOT_PERMITTED = ErrorCode.PERMISSION, ErrorCode.NOT_PERMITTED


def refusal(operation: Operation, tree: HostTree) -> ErrorCode | None:
    try:
        operation(tree)
    except FileError as error:
        return error.code
    return None


def read(path: str) -> Operation:
    return lambda tree: tree.read(path)


def write(path: str) -> Operation:
    return lambda tree: tree.write(path, b"x")


def remove(path: str) -> Operation:
    return lambda tree: tree.remove(path, False)


@pytest.mark.parametrize(
    ("user", "operation", "expected"),
    [
        ("alex", read("/etc/passwd"), OK),
        ("alex", read("/etc/shadow"), PERMISSION),
        ("root", read("/etc/shadow"), OK),
        ("alex", read("/var/log/syslog"), OK),  # group adm
        ("priya", read("/var/log/syslog"), PERMISSION),
        ("priya", read("/var/log/slurm/slurmd.log"), OK),
        ("priya", read("/var/log/unattended-upgrades/unattended-upgrades.log"), PERMISSION),  # no search permission
        ("alex", write("/etc/hosts"), PERMISSION),
        ("root", write("/etc/hosts"), OK),
        ("alex", write("/etc/new"), PERMISSION),
        ("alex", write("/tmp/new"), OK),
        ("alex", write("/data/new"), OK),
        ("alex", write("/data/models/new"), PERMISSION),
        ("alex", write("/home/alex/new"), OK),
        ("alex", write("/home/priya/new"), PERMISSION),
        ("alex", read("/home/priya/.bash_history"), PERMISSION),
        ("priya", read("/home/priya/.bash_history"), OK),
        ("alex", lambda tree: tree.entries("/home/priya"), PERMISSION),
        ("alex", lambda tree: tree.entries("/root"), PERMISSION),
        ("alex", lambda tree: tree.stat("/root"), OK),
        ("alex", lambda tree: tree.stat("/root/.bashrc"), PERMISSION),
        ("alex", lambda tree: tree.read("/var/log/../log/syslog/x"), ErrorCode.NOT_DIRECTORY),
        ("alex", remove("/etc/hosts"), PERMISSION),
        ("alex", lambda tree: tree.set_mode("/etc/hosts", 0o666), NOT_PERMITTED),
        ("root", lambda tree: tree.set_mode("/etc/hosts", 0o666), OK),
        ("alex", lambda tree: tree.set_owner("/home/alex/.bashrc", 0, None), NOT_PERMITTED),
        ("alex", lambda tree: tree.set_owner("/home/alex/.bashrc", None, 4), OK),  # a group of alex's own
        ("priya", lambda tree: tree.set_owner("/home/priya/.bashrc", None, 4), NOT_PERMITTED),
        ("alex", lambda tree: tree.set_modified("/etc/hosts"), PERMISSION),
        ("alex", lambda tree: tree.set_modified("/etc/hosts", 5), NOT_PERMITTED),
        ("alex", lambda tree: tree.set_modified("/home/alex/.bashrc", 5), OK),
        ("alex", lambda tree: tree.make_directory("/srv/x", False), PERMISSION),
        ("alex", lambda tree: tree.make_directory("/etc", True), OK),
        ("alex", lambda tree: tree.make_directory("/etc", False), ErrorCode.EXISTS),
        ("alex", lambda tree: tree.symlink("x", "/etc/x"), PERMISSION),
        ("alex", lambda tree: tree.rename("/etc/hosts", "/tmp/hosts"), PERMISSION),
        ("alex", lambda tree: tree.copy("/etc/hosts", "/tmp/hosts"), OK),
        ("alex", lambda tree: tree.copy("/etc/shadow", "/tmp/shadow"), PERMISSION),
        ("alex", read("/dev/nvme0n1"), PERMISSION),
        ("alex", read("/dev/kmsg"), ErrorCode.NOT_MODELLED),
        ("alex", write("/dev/null"), OK),
        ("alex", write("/dev/full"), ErrorCode.NO_SPACE),
        ("alex", read("/dev/nvidia0"), ErrorCode.INVALID),
        ("alex", read("/sys/class/dmi/id/product_serial"), PERMISSION),
        ("root", read("/sys/class/dmi/id/product_serial"), OK),
        ("root", remove("/home"), ErrorCode.BUSY),
        ("root", lambda tree: tree.rename("/home", "/house"), ErrorCode.BUSY),
    ],
)
def test_linux_answers(seen: Seen, user: str, operation: Operation, expected: ErrorCode | None) -> None:
    assert refusal(operation, seen("dgx-01", user)) is expected


def test_a_sticky_directory_keeps_what_is_another_users(seen: Seen) -> None:
    alex, priya, root = (seen("dgx-01", user) for user in ("alex", "priya", "root"))
    alex.write("/tmp/note", b"mine")
    alex.set_mode("/tmp/note", 0o666)
    assert refusal(remove("/tmp/note"), priya) is NOT_PERMITTED
    assert refusal(lambda tree: tree.rename("/tmp/note", "/tmp/other"), priya) is NOT_PERMITTED
    assert refusal(write("/tmp/note"), priya) is OK
    assert refusal(remove("/tmp/note"), root) is OK


def test_group_bits_count_for_members_only(seen: Seen) -> None:
    priya, jonas, alex = (seen("dgx-01", user) for user in ("priya", "jonas", "alex"))
    priya.write("/data/shared.txt", b"1")
    research = 3001
    priya.set_owner("/data/shared.txt", None, research)
    priya.set_mode("/data/shared.txt", 0o660)
    assert jonas.read("/data/shared.txt") == b"1"
    assert refusal(read("/data/shared.txt"), alex) is PERMISSION
    priya.set_mode("/data/shared.txt", 0o606)
    assert refusal(read("/data/shared.txt"), jonas) is PERMISSION  # the group's bits, though others might
    assert alex.read("/data/shared.txt") == b"1"


def test_new_files_belong_to_who_made_them_and_obey_the_umask(seen: Seen) -> None:
    alex = seen("dgx-01", "alex")
    alex.write("/tmp/plain", b"")
    alex.make_directory("/tmp/folder", False)
    alex.umask = 0o077
    alex.write("/tmp/secret", b"")
    modes = {name: (stat.mode, stat.uid, stat.gid) for name, stat in alex.entries("/tmp")}
    assert modes == {"plain": (0o644, 1001, 1001), "folder": (0o755, 1001, 1001), "secret": (0o600, 1001, 1001)}


def test_a_directory_without_write_permission_keeps_its_files(seen: Seen) -> None:
    alex = seen("dgx-01", "alex")
    alex.make_directory("/tmp/closed/inner", True)
    alex.write("/tmp/closed/inner/file", b"")
    alex.set_mode("/tmp/closed/inner", 0o555)
    assert refusal(lambda tree: tree.remove("/tmp/closed", True), alex) is PERMISSION
    assert alex.exists("/tmp/closed/inner/file")


def test_rm_r_removes_what_it_can(seen: Seen) -> None:
    alex = seen("dgx-01", "alex")
    alex.make_directory("/tmp/a/closed", True)
    alex.write("/tmp/a/closed/kept", b"")
    alex.write("/tmp/a/gone", b"")
    alex.set_mode("/tmp/a/closed", 0o555)
    assert refusal(lambda tree: tree.remove("/tmp/a", True), alex) is PERMISSION
    assert [name for name, _ in alex.entries("/tmp/a")] == ["closed"]


def test_access_answers_for_the_identity(seen: Seen) -> None:
    alex, root = seen("dgx-01", "alex"), seen("dgx-01", "root")
    answers = {
        (path, wanted): (alex.access(path, wanted), root.access(path, wanted))
        for path, wanted in (("/etc/shadow", 4), ("/etc/hosts", 2), ("/usr/bin/ls", 1), ("/etc/hosts", 1), ("/root", 1))
    }
    assert answers == {
        ("/etc/shadow", 4): (False, True),
        ("/etc/hosts", 2): (False, True),
        ("/usr/bin/ls", 1): (True, True),
        ("/etc/hosts", 1): (False, False),
        ("/root", 1): (False, True),
    }


def test_another_identity_sees_the_same_changes(seen: Seen) -> None:
    alex = seen("dgx-01", "alex")
    root = alex.seen_by(seen("dgx-01", "root").identity)
    root.write("/etc/motd", b"hello\n")
    assert alex.read("/etc/motd") == b"hello\n"
    assert refusal(write("/etc/motd"), alex) is PERMISSION
