"""ulimit in a login's bash, in scripts and in jobs, and what /proc says."""

from __future__ import annotations

import pytest

from engine.simulation import new_simulation
from tests.support.sessions import last, type_lines
from tests.support.worlds import inventory


def typed(*lines: str, user: str = "alex", host: str = "head-01") -> str:
    return last(new_simulation(inventory(), 1), lines, user=user, host=host)


def test_all_limits_are_listed_as_bash_lists_them() -> None:
    lines = typed("ulimit -a").splitlines()
    assert len(lines) == 17
    assert lines[1] == "core file size              (blocks, -c) 0"
    assert lines[6] == "max locked memory           (kbytes, -l) unlimited"
    assert lines[8] == "open files                          (-n) 1048576"


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("ulimit", "unlimited\n"),
        ("ulimit -Sc; ulimit -Hc", "0\nunlimited\n"),
        ("ulimit -n 4096; ulimit -n; ulimit -Hn", "4096\n4096\n"),
        ("ulimit -Sn 100; ulimit -n; ulimit -Hn", "100\n1048576\n"),
        ("ulimit -Sn 100; ulimit -n hard; ulimit -n", "1048576\n"),
        ("(ulimit -n 100; ulimit -n); ulimit -n", "100\n1048576\n"),
        ("ulimit -ln",
         "max locked memory           (kbytes, -l) unlimited\nopen files                          (-n) 1048576\n"),
        ("ulimit -l 64; ulimit -l unlimited; echo $?",
         "-bash: ulimit: max locked memory: cannot modify limit: Operation not permitted\n1\n"),
        ("ulimit -l 1k; echo $?", "-bash: ulimit: 1k: invalid number\n1\n"),
        ("ulimit -z; echo $?",
         "-bash: ulimit: -z: invalid option\nulimit: usage: ulimit [-SHabcdefiklmnpqrstuvxPRT] [limit]\n2\n"),
        ("type ulimit", "ulimit is a shell builtin\n"),
    ],
)  # fmt: skip
def test_limits_are_shown_and_set(line: str, says: str) -> None:
    assert sorted(typed(line).splitlines()) == sorted(says.splitlines())


def test_an_edited_file_changes_the_next_login_and_not_this_one() -> None:
    write = "echo '* - memlock 64' | sudo tee /etc/security/limits.d/zz.conf > /dev/null"
    assert typed("ulimit -l", write, "ulimit -l; ssh head-01 'ulimit -l'") == "unlimited\n64\n"


def test_a_job_has_slurmds_limits() -> None:
    remove = "sudo rm /etc/security/limits.d/rdma.conf"
    assert typed(remove, "srun -w dgx-04 bash -c 'ulimit -l' 2> /dev/null", host="dgx-04") == "unlimited\n"


def test_proc_shows_them() -> None:
    simulation = new_simulation(inventory(), 1)
    lines = ["cat /proc/self/limits", "cat /proc/$(pgrep -u priya python | head -1)/limits"]
    own, job = (result.output.decode().splitlines() for result in type_lines(simulation, lines, host="dgx-01"))
    assert len(own) == 17
    assert "Max stack size            8388608              unlimited            bytes     " in own
    assert "Max open files            1048576              1048576              files     " in own
    assert "Max open files            131072               131072               files     " in job
