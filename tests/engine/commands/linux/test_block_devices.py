"""lsblk, findmnt, mount, umount, swapon: drives and mounts, the same in every view."""

from __future__ import annotations

import json

import pytest

from engine.hostfs.machine import Machine
from engine.hostfs.mounts import mounts


def test_lsblk_shows_the_inventory_s_drives(run, simulation) -> None:
    drives = simulation.world.node("dgx-01").drives
    rows = [line.split() for line in run("lsblk -d -n -o NAME,SIZE,MODEL,SERIAL -b", host="dgx-01").lines]
    assert rows == [[f"{each.name}n1", str(each.bytes), each.model, each.serial] for each in drives]


def test_the_tree_of_a_drive(run) -> None:
    lines = run("lsblk /dev/nvme0n1", host="dgx-01").lines
    assert lines[0] == "NAME        MAJ:MIN RM  SIZE RO TYPE  MOUNTPOINTS"
    assert lines[1].startswith("nvme0n1     259:0    0  1.7T  0 disk")
    assert [line.split()[0] for line in lines[2:]] == ["├─nvme0n1p1", "└─nvme0n1p2", "└─md0"]
    assert lines[4].split()[-2:] == ["raid1", "/"]
    assert run("lsblk -i -n -o NAME /dev/nvme0n1", host="dgx-01").lines[1:] == ["|-nvme0n1p1", "`-nvme0n1p2", "  `-md0"]


def test_lsblk_as_json(run) -> None:
    tree = json.loads(run("lsblk -J", host="dgx-01").stdout)["blockdevices"]
    assert len(tree) == 10 and tree[0]["mountpoints"] == [None] and tree[0]["rm"] is False
    assert tree[2]["children"][0]["mountpoints"] == ["/raid"] and tree[0]["maj:min"] == "259:0"


def test_what_is_mounted_is_the_same_everywhere(run, simulation) -> None:
    known = mounts(Machine(simulation, "dgx-01"))
    assert run("mount", host="dgx-01").lines == [f"{m.source} on {m.target} type {m.kind} ({m.options})" for m in known]
    listed = [line.split() for line in run("findmnt -l -n", host="dgx-01").lines]
    assert listed == [[m.target, m.source, m.kind, m.options] for m in known]
    proc = [line.split()[:4] for line in run("tail -n 99 /proc/mounts", host="dgx-01").lines]
    assert proc == [[m.source, m.target, m.kind, m.options] for m in known]
    tree = [line.lstrip("├─└│ ").split()[0] for line in run("findmnt -n", host="dgx-01").lines]
    assert sorted(tree) == sorted(m.target for m in known) and tree[0] == "/"


def test_findmnt_narrows(run) -> None:
    assert run("findmnt -n -o SOURCE /raid", host="dgx-01").stdout == "/dev/md1\n"
    assert run("findmnt -n -o TARGET -T /raid/some/where", host="dgx-01").stdout in ("/raid\n", "/\n")
    assert run("findmnt -n -o TARGET -T /etc/hosts", host="dgx-01").stdout == "/\n"
    assert [line.split()[0] for line in run("findmnt -n -t nfs4", host="dgx-01").lines] == ["/home", "/data"]
    assert run("findmnt /nosuch").status == 1
    assert json.loads(run("findmnt -J /").stdout)["filesystems"][0]["target"] == "/"
    assert run("findmnt -P /raid", host="dgx-01").stdout.startswith('TARGET="/raid" SOURCE="/dev/md1" FSTYPE="ext4"')


@pytest.mark.parametrize(
    ("line", "user", "words", "status"),
    [
        ("umount /raid", "alex", "umount: /raid: must be superuser to unmount.\n", 32),
        ("umount /etc", "alex", "umount: /etc: not mounted.\n", 32),
        ("umount /nosuch", "root", "umount: /nosuch: no mount point specified.\n", 32),
        ("umount /", "root", "umount: /: target is busy.\n", 32),
        ("umount /home", "root", "umount: /home: target is busy.\n", 32),
        ("umount /raid", "root", "breakfix: not modelled: unmounting file systems\n", 125),
        ("umount", "root", "umount: bad usage\nTry 'umount --help' for more information.\n", 1),
        ("mount /nosuch", "root", "mount: /nosuch: can't find in /etc/fstab.\n", 1),
        ("mount /raid", "alex", "mount: /raid: must be superuser to use mount.\n", 32),
        ("mount /raid", "root", "mount: /raid: /dev/md1 already mounted on /raid.\n", 32),
        ("mount /dev/nosuch /mnt", "root", "mount: /mnt: special device /dev/nosuch does not exist.\n", 32),
        ("lsblk /dev/nosuch", "alex", "lsblk: /dev/nosuch: not a block device\n", 32),
        ("lsblk -o FOO", "alex", "lsblk: unknown column: FOO\n", 1),
        ("findmnt -o FOO", "alex", "findmnt: unknown column: FOO\n", 1),
        ("swapon --show", "alex", "", 0),
    ],
)
def test_refusals(run, line: str, user: str, words: str, status: int) -> None:
    told = run(line, host="dgx-01", user=user)
    assert told.stderr.startswith(words) and told.status == status


def test_a_process_in_it_keeps_a_file_system_busy(run) -> None:
    assert (
        run("umount /raid", host="dgx-01", user="root", directory="/raid").stderr == "umount: /raid: target is busy.\n"
    )
