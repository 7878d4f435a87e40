"""Our file commands and this machine's real ones on the same files: outputs, errors and exit statuses must be equal.

The real tools are GNU coreutils 9 and findutils 4.9; elsewhere these tests are skipped. Tabs in `ls` columns are
spaces here.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import time
from pathlib import Path

import pytest

from engine.kernel.simulation import Simulation
from engine.world.world import World
from tests.engine.commands.linux.disk_tree import DiskTree
from tests.support.run import run_command

LS = """
ls | ls -a | ls -A | ls -l | ls -lh | ls -lt | ls -ltr | ls -lS | ls -F | ls -p | ls -d a | ls -ld a lnk | ls lnk
ls -l lnk | ls -l lnk/ | ls -R | ls -lR a | ls nosuch | ls nosuch f1 a empty | ls a/nosuch/x | ls f1/x | ls -s
ls -sh | ls -ln | ls -lo | ls -lg | ls -lG | ls -x | ls -C | ls -C -w 40 | ls -m | ls -m -w 30 | ls -Q | ls -b
ls -N | ls -X | ls -v | ls -r | ls --group-directories-first | ls --time-style=long-iso -l | ls --time-style=iso -l
ls -lL lnk | ls --time-style=+%s -l f1 | ls -I n* | ls --hide=n* | ls -B | ls --foo | ls -y | ls --sort=foo
ls -w x | ls -L | ls --color=always | ls --color=always -l | ls --color=auto -l | ls -1 -l f1 | ls -H lnk
ls -sx -w 50 | ls --classify
"""
STAT = """
stat -c %a%A%F%g%G%h%n%N%o%s%u%U f1 a lnk | stat -L -c %F%N lnk | stat nosuch | stat
stat -c %5s.%-5s.%05a.%.3n.%#a.%10A.%% f1 | chmod -v 755 f1 | chmod -v 4755 f1 | chmod -c u-x,g=u,o+t f2.sh
chmod -v a=rX f1 a | chmod 999 f1 | chmod foo f1 | chmod | chmod 644 | chmod 644 nosuch | chmod -R -v go-rwx a
chmod -v -x f2.sh | chmod -v u+s,+x n1 | chmod -v = f1 | chmod -v g+s a | chmod -v 755 t
chmod -v --reference=f1 n1 | touch | touch -d foo x | touch -t 99 x | touch nosuch/x | touch -r nosuch f1 | tail n29
tail -n 3 a/b/c | tail -n +4999 a/b/c | tail -3 a/b/c | tail +4999 a/b/c | tail -c 3 a/b/c | tail -c +9998 a/b/c
tail nosuch | tail nosuch f1 a | tail f1 README | tail -q f1 f1 | tail -v f1 | tail -n x f1 | tail -n -1 f1
tail -c 1K a/b/c | tail --foo | tee a | tee nosuch/f | mktemp -u fooXX | mktemp -d nosuch/XXXX | mktemp a b
shuf -i 3-1 | shuf -n x | shuf -e a | shuf nosuch | shuf a b | uname -z | nproc x | id nosuch | id -x | sleep
arch x
"""
FIND = r"""
find | find a | find a/ -type f | find . -name n1* | find . -maxdepth 1 -type d | find . -mindepth 2
find . -type l | find -L . -type l | find . -size +1k | find . -size -1k | find . -size +500c -size -1000c
find . -empty | find . -mtime +30 | find . -mmin -10 | find . -mmin +10 -mmin -20 | find . -newer n10
find . -newermt 2026-10-01 | find . -newermt foo | find . -user nosuch | find . -group nosuch | find . -perm 755
find . -perm -111 | find . -perm /4000 | find . -perm foo | find . -name a -prune -o -print | find . ! -name n*
find . ( -name f1 -o -name f2.sh ) -print | find . -print0 | find a -printf %p|%f|%h|%H|%P|%s|%m|%M|%d|%y|%l|%b|%k\n
find . -name n2* -delete | find a -delete | find nosuch a | find . -foo | find . foo -name x | find . -name
find . -exec echo | find . -type x | find . -maxdepth x | find . -size x | find . ( -name a | find . -name a )
find . -o -name a | find . -name a -o | find . ! | find . ( ) | find . -depth -name c | find a -depth
find . -path ./a/* | find . -regex ./n[0-9] | find . -regex .*/n\(1\|2\) | find . -type f,l -maxdepth 1
find . -samefile f1 | find f1 | find f1/ | find . -lname a | find . -readable -name f1 | find . -mtime x
"""


def lines_of(text: str) -> list[str]:
    """Cases stand between lone bars; a bar within a word stays."""
    return [case.strip() for line in text.strip().splitlines() for case in re.split(r" \| ", line)]


def make_files(folder: Path) -> None:
    (folder / "a/b").mkdir(parents=True)
    for name in ("t", "empty"):
        (folder / name).mkdir()
    (folder / "a/b/c").write_text("x\n" * 5000)
    contents = {"f1": "hello\n", "f2.sh": "#!/bin/sh\n", "sp ace": "", "README": "r" * 100, ".hid": "h"}
    contents |= {f"n{number}": "z" * number * 100 for number in range(30)}
    for name, content in contents.items():
        (folder / name).write_text(content)
    (folder / "lnk").symlink_to("a")
    (folder / "dang").symlink_to("nowhere")
    for name, mode in (("f2.sh", 0o755), ("f1", 0o4640), ("t", 0o1777), ("a", 0o755), ("a/b", 0o755), ("empty", 0o755)):
        os.chmod(folder / name, mode)
    now = time.time()
    for number, name in enumerate(["f1", "f2.sh", "README", "a", "sp ace", "t", "empty", "a/b", "a/b/c", ".hid"]):
        os.utime(folder / name, (now - number * 40 * 86400,) * 2)
    for number in range(30):
        when = now + 86400 if number == 3 else now - number * 60 - 1
        os.utime(folder / f"n{number}", (when, when))


def words_of(line: str) -> list[str]:
    return line.split(" ") if line.startswith("find") else shlex.split(line)


def real(line: str, folder: Path) -> tuple[str, str, int]:
    environment = {"PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8", "TERM": "xterm", "HOME": "/", "TZ": "UTC"}
    result = subprocess.run(
        words_of(line), cwd=folder, env=environment, capture_output=True, input=b"", errors=None, check=False
    )
    return result.stdout.decode("utf-8", "replace"), result.stderr.decode("utf-8", "replace"), result.returncode


def ours(line: str, folder: Path, simulation: Simulation[World]) -> tuple[str, str, int]:
    now = time.time_ns()
    simulation.advance_to(now - simulation.world.inventory.start)
    result = run_command(
        simulation,
        "head-01",
        "root",
        shlex.join(words_of(line)),
        files=DiskTree(folder, now),
        directory="/",
        environment={"LC_ALL": "C.UTF-8", "TERM": "xterm"},
        stdin=b"",
    )
    return result.stdout, result.stderr, result.status


def masked(text: str) -> list[str]:
    """As lines, tabs as spaces, inode and block numbers and the order in which a directory lists its entries put
    aside.
    """
    plain = re.sub(r"^ *\d+ +(?=\d+ [-dl])", "", text.replace("\0", "\n"), flags=re.MULTILINE)
    return sorted(re.sub(r" +", " ", line.expandtabs(8)) for line in plain.split("\n"))


@pytest.mark.parametrize("line", [*lines_of(LS), *lines_of(STAT), *lines_of(FIND)])
def test_same_as_the_real_command(line: str, tmp_path: Path, simulation: Simulation[World]) -> None:
    if os.geteuid() != 0 or shutil.which("find") is None:
        pytest.skip("wants root, as the host's owner of all files")
    version = subprocess.run(["ls", "--version"], capture_output=True, text=True, check=False).stdout
    if not re.search(r"GNU coreutils\) 9\.", version):
        pytest.skip("the real tools here are not GNU coreutils 9")
    for name in ("real", "ours"):
        (tmp_path / name).mkdir()
        make_files(tmp_path / name)
    expected, found = real(line, tmp_path / "real"), ours(line, tmp_path / "ours", simulation)
    assert masked(found[0]) == masked(expected[0])
    assert masked(found[1]) == masked(expected[1])
    assert found[2] == expected[2]
