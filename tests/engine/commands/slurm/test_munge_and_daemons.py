"""munge, unmunge, remunge, mungekey, chronyc, and the daemons typed by hand."""

from __future__ import annotations

import pytest

from engine.kernel.simulation import Simulation
from engine.simulation import open_site
from engine.world.world import World
from tests.support.sessions import screen

UNMUNGED = """\
STATUS:          Success (0)
ENCODE_HOST:     head-01 (10.20.0.10)
ENCODE_TIME:     2026-11-30 09:00:00 +0000 (1796029200)
DECODE_TIME:     2026-11-30 09:00:00 +0000 (1796029200)
TTL:             300
CIPHER:          aes128 (4)
MAC:             sha256 (5)
ZIP:             none (0)
UID:             alex (1001)
GID:             alex (1001)
LENGTH:          0

"""


@pytest.fixture
def site() -> Simulation[World]:
    return open_site("dgx-h100-4")


def test_a_credential_across(site: Simulation[World]) -> None:
    assert screen(site, ["munge -n | ssh dgx-01 unmunge"]) == UNMUNGED


@pytest.mark.parametrize(
    ("line", "text"),
    [
        ("echo hello | munge | unmunge -n -k STATUS,LENGTH", "STATUS:          Success (0)\nLENGTH:          6\n\n"),
        ("munge -s hi | unmunge -m /dev/null", "breakfix: not modelled: unmunge --metadata\n"),
        ("echo nonsense | unmunge; echo $?", "unmunge: Error: Invalid credential format\n8\n"),
        ("munge -n -u priya | unmunge; echo $?", "unmunge: Error: Unauthorized credential\n18\n"),
        ("munge -n -t 10 | unmunge -N -k TTL", "TTL:             10\n\n"),
        ("sudo systemctl stop munge; munge -n; echo $?",
         'munge: Error: Failed to access "/run/munge/munge.socket.2": No such file or directory\n6\n'),
        ("sudo mungekey --create", 'mungekey: Error: Failed to create "/etc/munge/munge.key": File exists\n'),
        ("ssh dgx-04 sudo systemctl stop chrony; ssh dgx-04 chronyc tracking; echo $?",
         "506 Cannot talk to daemon\n1\n"),
        ("chronyc makestep", "501 Not authorised\n"),
        ("slurmctld -V", "slurm 24.11.5\n"),
    ],
)  # fmt: skip
def test_a_line_and_what_it_prints(site: Simulation[World], line: str, text: str) -> None:
    assert screen(site, [line]) == text


def test_a_clock_that_was_set_shows_everywhere(site: Simulation[World]) -> None:
    lines = [
        "ssh dgx-02 sudo date -s '@1796025600'",
        "ssh dgx-02 date +%s",
        "ssh dgx-02 chronyc tracking | grep 'System time'",
        "munge -n | ssh dgx-02 unmunge -k STATUS",
        "ssh dgx-02 sudo chronyc makestep",
        "ssh dgx-02 date +%s",
    ]
    said = screen(site, lines)
    assert said.count("1796025600\n") == 1 and said.endswith("200 OK\n1796029200\n")
    assert "3600.0" in said and "seconds slow of NTP time" in said
    assert "Rewound credential (16)" in said


def test_slurmd_tells_what_it_finds(site: Simulation[World]) -> None:
    said = screen(site, ["ssh dgx-04 slurmd -C", "ssh dgx-04 slurmd -G"])
    assert said.startswith("NodeName=dgx-04 CPUs=224 Boards=1 SocketsPerBoard=2 CoresPerSocket=56 ThreadsPerCore=2 ")
    assert said.count("slurmd: Gres Name=gpu Type=h100 Count=1 Index=") == 8


def test_no_client_works_with_a_file_that_it_cannot_read(site: Simulation[World]) -> None:
    said = screen(site, ["sudo sed -i s/KillWait/KillWayt/ /etc/slurm/slurm.conf", "squeue; echo $?", "scontrol ping"])
    assert "squeue: error: _parse_next_key: Parsing error at unrecognized key: KillWayt\n" in said
    assert said.count("fatal: Unable to process configuration file") == 2
    assert "\n1\n" in said
