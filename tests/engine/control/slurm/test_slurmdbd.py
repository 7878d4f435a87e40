"""slurmdbd: what keeps it from starting, and who notices."""

from __future__ import annotations

import pytest

from engine.control import files as host_files
from engine.control import systemd
from engine.control.slurm import files, slurmdbd
from tests.engine.control.slurm.scene import log, opened

HEAD = "head-01"


def test_the_sites_own_file_is_good() -> None:
    assert slurmdbd.refusal(opened().world, HEAD) == ()


@pytest.mark.parametrize(
    ("change", "mode", "line"),
    [
        (("", ""), 0o644, "should be 600 is 644 accessible for group or others"),
        (
            ("DbdPort", "DbdPorst"),
            0o600,
            "fatal: Could not open/read/parse slurmdbd.conf file /etc/slurm/slurmdbd.conf",
        ),
        (("DbdHost=head-01\n", ""), 0o600, "fatal: slurmdbd.conf lacks DbdHost parameter"),
    ],
)
def test_a_file_that_it_does_not_take(change: tuple[str, str], mode: int, line: str) -> None:
    simulation = opened()
    text = files.slurmdbd_conf(simulation.world.inventory).replace(*change)
    host_files.write(simulation, HEAD, slurmdbd.PATH, text.encode(), uid=64030, gid=64030, mode=mode)
    assert slurmdbd.refusal(simulation.world, HEAD)[-1].endswith(line)
    assert simulation.apply(systemd.RestartUnit(HEAD, "slurmdbd", "root")) is not None
    assert not systemd.is_active(simulation.world, HEAD, "slurmdbd")


def test_without_its_database_it_does_not_start_and_slurmctld_says_so() -> None:
    simulation = opened()
    simulation.apply(systemd.StopUnit(HEAD, "mariadb", "root"))
    simulation.apply(systemd.RestartUnit(HEAD, "slurmdbd", "root"))
    assert slurmdbd.refusal(simulation.world, HEAD)[-1] == "fatal: Couldn't connect to database"
    assert log(simulation)[-1] == "error: Sending PersistInit msg: Connection refused"
    simulation.apply(systemd.StartUnit(HEAD, "mariadb", "root"))
    assert simulation.apply(systemd.StartUnit(HEAD, "slurmdbd", "root")) is None
