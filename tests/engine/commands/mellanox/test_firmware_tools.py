"""mlxconfig, mlxfwreset, flint and mlxfwmanager: settings and images wait for a reset."""

from __future__ import annotations

import pytest

from engine.control import boot
from engine.faults.fault import parse_fault
from engine.kernel.simulation import Simulation
from engine.kernel.units import MINUTE
from engine.physics import links
from engine.world.records import PhysicalState
from engine.world.world import World
from tests.support.run import Result, run_command

HOST = "dgx-01"
PORT = "dgx-01/mlx5_3/1"
IMAGES = "/opt/mellanox/mlnx-fw-updater/firmware"


def on(simulation: Simulation[World], line: str, user: str = "root") -> Result:
    return run_command(simulation, HOST, user, line)


def test_a_setting_waits_for_the_reset(simulation: Simulation[World]) -> None:
    assert "        LINK_TYPE_P1                                IB(1)               " in (
        on(simulation, "mlxconfig -d mlx5_3 query").lines
    )
    result = on(simulation, "mlxconfig -y -d mlx5_3 set LINK_TYPE_P1=2 NUM_OF_VFS=4")
    assert result.lines[-4:] == [
        "",
        " Apply new Configuration? (y/n) [n] : y",
        "Applying... Done!",
        "-I- Please reboot machine to load new configurations.",
    ]
    assert links.link_up(simulation.world, PORT)
    shown = on(simulation, "mlxconfig -d mlx5_3 -e q LINK_TYPE_P1").stdout
    assert "*       LINK_TYPE_P1                                IB(1)               IB(1)               ETH(2)" in shown
    assert "-I- FW was loaded successfully." in on(simulation, "mlxfwreset -d mlx5_3 -y reset").lines
    assert "Link layer: Ethernet" in on(simulation, "ibstat mlx5_3").stdout
    assert "mlx5_3 port 1 ==> enp64s0np0 (Down)" in on(simulation, "ibdev2netdev").lines
    assert links.physical_state(simulation.world, PORT) is PhysicalState.DISABLED
    far = links.peer(simulation.world.inventory, PORT)
    assert far and links.physical_state(simulation.world, far) is PhysicalState.POLLING
    on(simulation, "mlxconfig -y -d mlx5_3 reset")
    on(simulation, "mlxfwreset -d mlx5_3 -y reset")
    simulation.advance(MINUTE)
    assert "State: Active" in on(simulation, "ibstat mlx5_3").stdout


def test_a_restart_loads_settings_too(simulation: Simulation[World]) -> None:
    simulation.apply(parse_fault("hca.ethernet_mode target=dgx-01/mlx5_3 when=next_start"))
    assert links.link_up(simulation.world, PORT)
    simulation.apply(boot.ChassisPower(HOST, "cycle", "root"))
    simulation.advance(30 * MINUTE)
    assert "Link layer: Ethernet" in on(simulation, "ibstat mlx5_3").stdout
    assert "mlx5_core 0000:40:00.0 enp64s0np0: renamed from eth3" in on(simulation, "dmesg").stdout
    assert "40:00.0 Ethernet controller" in on(simulation, "lspci -s 40:00.0").stdout


def test_nobody_agrees_by_silence(simulation: Simulation[World]) -> None:
    result = on(simulation, "mlxconfig -d mlx5_3 set LINK_TYPE_P1=2")
    assert result.status != 0 and result.lines[-1] == "-E- Aborted by user."
    assert not simulation.world.adapters["dgx-01/mlx5_3"].stored


@pytest.mark.parametrize(
    ("words", "text"),
    [
        ("-d mlx5_99 q", "-E- Failed to open the device"),
        ("-d mlx5_3 q NO_SUCH", "-E- The Device doesn't support NO_SUCH parameter"),
        ("-d mlx5_3 -y set NUM_OF_PF=2", "-E- Operation is not supported (Read only TLV: NUM_OF_PF)"),
        ("-d mlx5_3 -y set LINK_TYPE_P1=7", "-E- Failed to parse LINK_TYPE_P1=7 as Boolean"),
        ("q", "-E- No devices found, please verify that the mst driver is loaded."),
    ],
)
def test_refusals(simulation: Simulation[World], words: str, text: str) -> None:
    result = on(simulation, f"mlxconfig {words}")
    assert result.lines == [text] and result.status == 3


def test_old_firmware_is_found_and_replaced(simulation: Simulation[World]) -> None:
    simulation.apply(parse_fault("hca.firmware_old target=dgx-01/mlx5_3"))
    assert "Firmware version: 28.38.1002" in on(simulation, "ibstat mlx5_3").stdout
    asked = on(simulation, f"mlxfwmanager -d mlx5_3 -D {IMAGES}").stdout
    assert "     FW             28.38.1002     28.43.2026    \n" in asked
    assert "  Status:           Update required\n" in asked
    assert "No matching image found" in on(simulation, "mlxfwmanager -d mlx5_3").stdout
    on(simulation, f"mlxfwmanager -d mlx5_3 -D {IMAGES} -u -y")
    lines = on(simulation, "flint -d mlx5_3 q").lines
    assert lines[1:3] == ["FW Version:            28.43.2026", "FW Version(Running):   28.38.1002"]
    on(simulation, "mlxfwreset -d mlx5_3 -y reset")
    assert "FW Version(Running):" not in on(simulation, "flint -d mlx5_3 q").stdout
    assert "Firmware version: 28.43.2026" in on(simulation, "ibstat mlx5_3").stdout


def test_flint_takes_only_an_image_for_the_card(simulation: Simulation[World]) -> None:
    right = f"{IMAGES}/fw-ConnectX7-rel-28_43_2026-MT_0000000838.bin"
    assert right in {f"{IMAGES}/{name}" for name in on(simulation, f"ls {IMAGES}").stdout.split()}
    assert "PSID mismatch." in on(simulation, f"flint -d mlx5_1 -i {right} -y burn").stdout
    assert "No such file or directory" in on(simulation, "flint -d mlx5_1 -i /tmp/none.bin -y burn").stdout
    assert on(simulation, f"flint -d mlx5_3 -i {right} -y burn").status == 0
    assert "Image is bootable." in on(simulation, "flint -d mlx5_3 verify").stdout


def test_a_hung_port_needs_the_reset(simulation: Simulation[World]) -> None:
    simulation.apply(parse_fault("fabric.port_hung target=dgx-01/mlx5_3"))
    on(simulation, "mlxlink -d mlx5_3 -a TG")
    assert not links.link_up(simulation.world, PORT)
    on(simulation, "mlxfwreset -d mlx5_3 -y reset")
    assert links.link_up(simulation.world, PORT)


def test_levels_of_a_reset(simulation: Simulation[World]) -> None:
    assert "3: Driver restart and PCI reset                                  -Supported     (default)" in (
        on(simulation, "mlxfwreset -d mlx5_3 query").lines
    )
    refused = on(simulation, "mlxfwreset -d mlx5_3 -l 0 -y reset")
    assert refused.lines == ["-E- Reset-level '0' is not supported in the current state of this device."]
    assert on(simulation, "mlxfwreset -d mlx5_3 reset", user="alex").lines == ["-E- Only root user can run this tool."]
