"""Error lines letter by letter: the same line given to the machine's own tool and to ours; none changes anything.

Skipped where a tool is not installed. Versions differ (Debian 12's here); the texts chosen are the same in both.
"""

from __future__ import annotations

import shlex
import shutil
import subprocess

import pytest

LINES = [
    "umount", "umount /nosuch", "umount --frob", "mount --frob", "mount /nosuch", "mount a b c",
    "findmnt --frob", "findmnt -o FOO", "findmnt /nosuch", "lsblk --frob", "lsblk -o FOO", "lsblk /dev/nosuch",
    "lsblk /etc", "swapon --frob", "pgrep", "pgrep a b", "pgrep -u nosuch", "pgrep -P x", "pgrep '['", "pgrep nosuchxx",
    "pgrep -G nosuch", "pgrep -F /nosuch", "pgrep abcdefghijklmnopqr", "pidof nosuch", "sysctl nosuch.x", "sysctl -w",
    "sysctl -p /nosuch", "sysctl -w vm.swappiness", "fuser /nosuch", "lsof /nosuch", "whatis", "whatis nosuch",
    "whatis --frob", "apropos", "apropos nosuchx", "man", "man nosuch", "man 5 ls", "man --frob", "dpkg -l nosuch",
    "dpkg -s nosuch", "dpkg -L nosuch", "dpkg -S /nosuch", "dpkg-query -W nosuch", "dpkg-query --frob", "dpkg-query",
    "dpkg-query -f", "dpkg-query -L", "dpkg-query -S", "dpkg-query -l -s", "dpkg-query -p nosuch", "apt-get frob",
    "apt-get --frob", "apt-get -z", "apt-get -o", "apt-cache search", "apt-cache frob", "apt-mark frob",
    "apt-mark hold", "apt-mark auto --frob",
    "logger -p frob x", "logger -f /nosuch", "logger -t", "logger --frob", "wall --frob",
    "curl", "curl --frob", "curl -o", "curl -Z", "curl foo://x", "curl http://", "curl -m x http://a",
    "curl -sS http://127.0.0.1:1/", "curl -sS http://nosuch.invalid/", "curl file:///nosuch", "wget", "wget --frob",
    "wget -z", "wget foo://x", "wget -q http://nosuch.invalid/", "zcat /nosuch", "zcat /etc/passwd", "zcat --frob",
    "zcat /etc", "zgrep -r x", "zgrep x /nosuch",
]  # fmt: skip


@pytest.mark.parametrize("line", LINES)
def test_the_same_words(run, line: str) -> None:
    words = shlex.split(line)
    tool = shutil.which(words[0])
    if tool is None:
        pytest.skip(f"{words[0]} is not installed here")
    environment = {"LANG": "C.UTF-8", "LC_ALL": "C.UTF-8", "PATH": "/usr/sbin:/usr/bin:/sbin:/bin"}
    real = subprocess.run(
        words, env=environment, capture_output=True, text=True, timeout=30, stdin=subprocess.DEVNULL, check=False
    )
    ours = run(line, user="root", stdin=b"", environment={"LC_ALL": "C.UTF-8"})
    assert (ours.stdout, ours.stderr, ours.status) == (real.stdout, real.stderr, real.returncode)


BUILTIN_LINES = [
    "kill", "kill abc", "kill -FOO 1", "kill 99999999", "kill -s", "kill -n 9", "kill %1", "kill ''", "kill -l",
    "kill -l 9 137 TERM", "kill -l foo", "kill -99 1", "kill -x 1",
]  # fmt: skip


@pytest.mark.parametrize("line", BUILTIN_LINES)
def test_the_builtin_s_words(run, line: str) -> None:
    if shutil.which("bash") is None:
        pytest.skip("bash is not installed here")
    real = subprocess.run(["bash", "-c", line], capture_output=True, text=True, timeout=30, check=False)
    ours = run(line)
    assert (ours.stdout, ours.stderr, ours.status) == (real.stdout, real.stderr, real.returncode)
