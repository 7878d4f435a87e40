"""CPU affinity: taskset and nproc, sessions that are confined to a socket, and what far memory costs."""

from __future__ import annotations

import re

import pytest

from engine.faults.fault import parse_fault
from engine.simulation import new_simulation
from tests.support.sessions import last
from tests.support.worlds import inventory

NODE, FIRST_SOCKET = "dgx-04", "0-55,112-167"
COPY = "nvbandwidth -t host_to_device_memcpy_ce"


def typed(*lines: str, pinned: bool = False, user: str = "alex") -> str:
    simulation = new_simulation(inventory(), 1)
    if pinned:
        simulation.apply(parse_fault(f"cpu.sessions_pinned target={NODE}"))
    return last(simulation, lines, user=user, host=NODE)


def rates(output: str) -> list[float]:
    row = next(line for line in output.splitlines() if re.match(r" 0 +\d", line))
    return [float(word) for word in row.split()[1:]]


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("taskset -c 0-3,8 nproc", "5\n"),
        ("taskset 0xf nproc", "4\n"),
        ("taskset -c 0-3 nproc --all", "224\n"),
        ("taskset -c 0-30:10 nproc", "4\n"),
        ("nproc", "224\n"),
        ("taskset -cp 1", "pid 1's current affinity list: 0-223\n"),
        ("taskset -p 1", f"pid 1's current affinity mask: {'f' * 56}\n"),
        ("taskset -cp 999999", "taskset: failed to get pid 999999's affinity: No such process\n"),
        ("taskset -c 3- true", "taskset: failed to parse CPU list: 3-\n"),
        ("taskset xyz true", "taskset: failed to parse CPU mask: xyz\n"),
        ("taskset -cp abc", "taskset: invalid PID argument: 'abc'\n"),
        ("taskset -c 500 true", "taskset: failed to set pid 0's affinity: Invalid argument\n"),
    ],
)
def test_what_taskset_says(line: str, says: str) -> None:
    assert typed(line) == says


def test_a_process_is_moved_by_its_owner_alone() -> None:
    assert "pid 1's new affinity" not in typed("taskset -cp 0-3 1")
    moved = typed("taskset -cp 0-3 $$", "taskset -cp $$; grep Cpus_allowed_list /proc/$$/status")
    assert "affinity list: 0-3\n" in moved and "Cpus_allowed_list:\t0-3\n" in moved


def test_a_confined_session_reaches_far_gpus_a_tenth_slower_and_a_job_is_free() -> None:
    near, far = rates(typed(COPY))[:4], rates(typed(COPY, pinned=True))[4:]
    assert max(far) < 0.93 * min(near)
    assert min(rates(typed(COPY, pinned=True))[:4]) > 0.98 * min(near)
    assert min(rates(typed(f"srun -w {NODE} --gpus-per-node=8 {COPY}", pinned=True))) > 0.98 * min(near)


def test_a_confined_session_says_so_and_is_free_once_the_drop_in_is_gone() -> None:
    assert typed("taskset -cp $$; nproc", pinned=True).endswith(f"affinity list: {FIRST_SOCKET}\n112\n")
    gone = "sudo rm /etc/systemd/system/user.slice.d/50-cpus.conf"
    assert typed(gone, f"ssh {NODE} nproc", pinned=True) == "224\n"


def test_numactl_moves_what_is_not_confined() -> None:
    far = rates(typed(f"numactl -N 0 -m 0 {COPY}"))[4:]
    assert max(far) < 0.93 * min(rates(typed(COPY)))
