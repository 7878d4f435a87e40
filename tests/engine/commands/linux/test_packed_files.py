"""zcat, zgrep, zless: packed logs, and what is no packed file."""

from __future__ import annotations

import gzip

import pytest

from engine.commands.linux._support.gzip_files import NotPacked, plain, unpacked
from engine.hostfs.host_tree import HostTree
from tests.support.sessions import last
from tests.support.worlds import bare_simulation

LOG = "/var/log/syslog.2.gz"
PACKED = gzip.compress(b"x" * 1000, mtime=0)


def test_packed_data_comes_out_whole() -> None:
    text = b"one\ntwo\n" * 5000
    assert unpacked(gzip.compress(text)) == text
    assert unpacked(gzip.compress(b"a") + gzip.compress(b"b")) == b"ab"
    assert plain(b"plain") == b"plain"


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"", "unexpected end of file"),
        (b"text", "not in gzip format"),
        (PACKED[:-9], "unexpected end of file"),
        (PACKED[:10] + b"\x07" * 30, "invalid compressed data--format violated"),
        (gzip.compress(bytes(65 << 20), mtime=0), "breakfix unpacks no more than 64 MiB"),
    ],
    ids=["empty", "text", "cut", "broken", "huge"],
)
def test_damaged_data(data: bytes, words: str) -> None:
    with pytest.raises(NotPacked, match=words):
        unpacked(data)


def test_zcat_prints_old_logs(run, simulation) -> None:
    from engine.control.accounts import identity

    packed = HostTree(simulation, "dgx-01", identity(simulation.world.inventory, "root")).read(LOG)
    assert run(f"zcat {LOG}", host="dgx-01").stdout.encode() == gzip.decompress(packed)
    assert run("zcat /var/log/syslog.2", host="dgx-01").status == 0
    assert run("zcat", stdin=gzip.compress(b"hello\n")).stdout == "hello\n"
    assert run(f"zless {LOG}", host="dgx-01").stdout.encode() == gzip.decompress(packed)


@pytest.mark.parametrize(
    ("line", "words", "status"),
    [
        ("zcat /nosuch", "gzip: /nosuch.gz: No such file or directory\n", 1),
        ("zcat /etc/passwd", "\ngzip: /etc/passwd: not in gzip format\n", 1),
        ("zcat /etc", "gzip: /etc is a directory -- ignored\n", 2),
        ("zcat -f /etc/hostname", "", 0),
        ("zgrep", "/usr/bin/zgrep: 1: missing pattern; try `/usr/bin/zgrep --help' for help\n", 2),
        ("zgrep -r x /etc", "/usr/bin/zgrep: -r: option not supported\n", 2),
        ("zgrep x /nosuch", "gzip: /nosuch.gz: No such file or directory\n", 2),
    ],
)
def test_refusals(run, line: str, words: str, status: int) -> None:
    told = run(line)
    assert (told.stderr, told.status) == (words, status)


def test_zgrep_searches_packed_and_plain_files() -> None:
    simulation = bare_simulation()
    count = int(last(simulation, [f"zgrep -c CRON {LOG}"], host="dgx-01"))
    assert count == int(last(simulation, [f"zcat {LOG} | grep -c CRON"], host="dgx-01")) > 0
    shown = last(simulation, [f"zgrep -m1 CRON /var/log/syslog {LOG}"], host="dgx-01").splitlines()
    assert [line.partition(":")[0] for line in shown] == ["/var/log/syslog", LOG]
    assert last(simulation, [f"zgrep -l CRON /etc/hostname {LOG}"], host="dgx-01") == f"{LOG}\n"
    assert last(simulation, [f"zgrep nosuchword {LOG}; echo $?"], host="dgx-01") == "1\n"
