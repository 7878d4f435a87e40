"""roce-qos.service and its file; what a reset of an adapter loses."""

from __future__ import annotations

from engine.control import adapter_firmware, adapter_qos, boot, files, systemd
from engine.kernel.simulation import Simulation
from engine.kernel.units import MINUTE
from engine.world.world import World
from tests.support.roce_pod import pod

HOST, PORT = "hgx-01", "hgx-01/mlx5_0/1"


def rewrite(simulation: Simulation[World], old: str, new: str) -> None:
    text = adapter_qos.usual_file(simulation.world, HOST)
    assert old in text
    files.write(simulation, HOST, adapter_qos.FILE, text.replace(old, new).encode(), uid=0, gid=0)


def test_the_file_says_what_the_site_begins_with() -> None:
    simulation = pod()
    before = simulation.world.port_qos[PORT], simulation.world.roce[PORT]
    adapter_qos.begin_anew(simulation, HOST)
    assert (simulation.world.port_qos[PORT], simulation.world.roce[PORT]) == before


def test_a_reset_loses_the_settings_and_the_unit_sets_them_again() -> None:
    simulation = pod()
    usual = simulation.world.port_qos[PORT], simulation.world.roce[PORT]
    simulation.apply(adapter_firmware.ResetAdapter(f"{HOST}/mlx5_0"))
    assert simulation.world.port_qos[PORT].trust == "pcp" and simulation.world.roce[PORT].traffic_class is None
    assert simulation.world.port_qos["hgx-01/mlx5_1/1"].trust == "dscp"
    simulation.apply(systemd.RestartUnit(HOST, adapter_qos.UNIT, "root"))
    assert (simulation.world.port_qos[PORT], simulation.world.roce[PORT]) == usual


def test_a_changed_file_counts_at_the_next_boot() -> None:
    simulation = pod()
    rewrite(simulation, "PFC=0,0,0,1,0,0,0,0", "PFC=0,0,0,0,1,0,0,0")
    assert simulation.world.port_qos[PORT].pause_sent[3]
    simulation.apply(boot.Reboot(HOST, "alex"))
    simulation.advance(15 * MINUTE)
    assert [number for number, on in enumerate(simulation.world.port_qos[PORT].pause_sent) if on] == [4]


def test_lines_that_make_no_sense_change_nothing() -> None:
    simulation = pod()
    before = simulation.world.port_qos[PORT], simulation.world.roce[PORT]
    rewrite(simulation, "PFC=0,0,0,1,0,0,0,0", "PFC=3\nTRUST=both\nCNP_DSCP=99\nTRAFFIC_CLASS=much")
    adapter_qos.apply_file(simulation, HOST)
    assert (simulation.world.port_qos[PORT], simulation.world.roce[PORT]) == before
