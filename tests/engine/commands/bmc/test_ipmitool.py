"""ipmitool: who may ask which BMC, what it changes, and forms that the real tool's judge does not see."""

from __future__ import annotations

from dataclasses import replace

import pytest

from engine.control import bmc
from engine.kernel.simulation import Simulation
from engine.kernel.units import MINUTE
from engine.simulation import new_simulation, open_site
from engine.sites.build import load_site
from engine.world.records import BusState, Power
from engine.world.world import World
from tests.support.run import Result, run_command

NO_DEVICE = "Could not open device at /dev/ipmi0 or /dev/ipmi/0 or /dev/ipmidev/0: No such file or directory\n"
NO_SESSION = "Error: Unable to establish IPMI v2 / RMCP+ session\n"
REMOTE = "ipmitool -I lanplus -H dgx-01-bmc -U admin -P secret"


@pytest.fixture(scope="module")
def site() -> Simulation[World]:
    return open_site("dgx-h100-4", 1)


@pytest.fixture
def simulation(site: Simulation[World]) -> Simulation[World]:
    return site.fork()


def changed_site(**fields: object) -> Simulation[World]:
    """The site with some of its facts changed."""
    inventory = replace(load_site("dgx-h100-4"), _nodes={}, _once={}, **fields)  # type: ignore[arg-type]
    return new_simulation(inventory, 1)


def output(simulation: Simulation[World], line: str, user: str = "root", **words: str) -> str:
    """What a command prints on dgx-01, which must succeed."""
    result = run_command(simulation, "dgx-01", user, line, environment=words)
    assert (result.status, result.stderr) == (0, ""), line
    return result.stdout


def test_only_root_may_use_the_device(simulation: Simulation[World]) -> None:
    refused = run_command(simulation, "dgx-01", "alex", "ipmitool sdr")
    assert (refused.stdout, refused.stderr, refused.status) == ("", NO_DEVICE, 1)
    assert output(simulation, "ipmitool power status") == "Chassis Power is on\n"


def test_another_device_is_not_there(simulation: Simulation[World]) -> None:
    result = run_command(simulation, "dgx-01", "root", "ipmitool -d 1 sdr")
    assert result.stderr == NO_DEVICE.replace("ipmi0", "ipmi1").replace("/0", "/1")


@pytest.mark.parametrize("name", ["dgx-01-bmc", "10.20.1.11", "dgx-01-bmc.aurora.example"])
def test_a_session_over_the_network_needs_no_root(simulation: Simulation[World], name: str) -> None:
    line = f"ipmitool -I lanplus -H {name} -U admin -P secret sdr type Temperature"
    assert run_command(simulation, "head-01", "alex", line).stdout.startswith("TEMP_AMBIENT ")


@pytest.mark.parametrize(
    ("options", "error"),
    [
        ("-H dgx-01-bmc -U nobody -P x", NO_SESSION),
        ("-H dgx-01 -U admin -P x", NO_SESSION),
        ("-H leaf-01 -U admin -P x", NO_SESSION),
        ("-H dgx-01-bmc -U monitor -P x", NO_SESSION),
        ("-H nowhere -U admin -P x", f"Address lookup for nowhere failed\nCould not open socket!\n{NO_SESSION}"),
        ("-U admin -P x", "No hostname specified!\n"),
        ("-H dgx-01-bmc -U admin -P 123456789012345678901", "lanplus: password is longer than 20 bytes.\n"),
        ("-H dgx-01-bmc -U administrator-name -P x", "Username is too long (> 16 bytes)\n"),
        ("-H dgx-01-bmc -U admin -E", f"Unable to read password from environment\n{NO_SESSION}"),
    ],
)
def test_sessions_that_do_not_come_about(simulation: Simulation[World], options: str, error: str) -> None:
    result = run_command(simulation, "head-01", "alex", f"ipmitool -I lanplus {options} power status")
    assert (result.stderr, result.status) == (error, 1)


def test_the_password_may_come_from_the_environment_or_a_file(simulation: Simulation[World]) -> None:
    line = "ipmitool -I lanplus -H dgx-01-bmc -U admin -E power status"
    assert output(simulation, line, "alex", IPMI_PASSWORD="x") == "Chassis Power is on\n"
    assert output(simulation, line.replace("-E", "-f /etc/hostname"), "alex") == "Chassis Power is on\n"


def test_a_lower_account_reads_and_does_not_switch(simulation: Simulation[World]) -> None:
    line = "ipmitool -I lanplus -H dgx-02-bmc -U monitor -P x -L USER power"
    assert output(simulation, f"{line} status", "alex") == "Chassis Power is on\n"
    refused = run_command(simulation, "dgx-01", "alex", f"{line} off")
    assert refused.stderr == "Set Chassis Power Control to Down/Off failed: Insufficient privilege level\n"
    assert simulation.world.nodes["dgx-02"].power is Power.ON


def test_power_off_and_on_again(simulation: Simulation[World]) -> None:
    def remote(words: str) -> Result:
        return run_command(simulation, "head-01", "alex", f"{REMOTE} {words}")

    assert remote("power off").stdout == "Chassis Power Control: Down/Off\n"
    assert remote("power status").stdout == "Chassis Power is off\n"
    refused = remote("power cycle")
    expected = "Set Chassis Power Control to Cycle failed: Command not supported in present state\n"
    assert (refused.stderr, refused.status) == (expected, 1)
    assert "TEMP_CPU0        | no reading        | ns\n" in remote("sdr").stdout
    assert remote("chassis power on").stdout == "Chassis Power Control: Up/On\n"
    last = remote("sel elist last 3").stdout
    assert "System ACPI Power State ACPI_PWR | S4/S5: soft-off | Asserted\n" in last
    assert "System Boot Initiated SEL_NV_BOOT | Initiated by power up | Asserted\n" in last


def test_a_failed_fan_shows_in_readings_and_log(simulation: Simulation[World]) -> None:
    fan = simulation.world.node("dgx-01").fans[3]
    simulation.world.fans.update(fan.id, failed=True)
    bmc.check(simulation, "dgx-01")
    simulation.advance(MINUTE)
    readings = output(simulation, "ipmitool sdr type Fan").splitlines()
    stopped = [line for line in readings if "| lcr |" in line]
    assert len(stopped) == fan.rotors
    assert stopped[0] == "SPD_FAN_SYS3_F   | 21h | lcr | 29.4 | 0 RPM"
    log = output(simulation, "ipmitool sel elist")
    assert "Fan SPD_FAN_SYS3_F | Lower Critical going low  | Asserted | Reading 0 < Threshold 2000 RPM\n" in log
    assert "Fan #0x21 | Lower Critical going low  | Asserted\n" in output(simulation, "ipmitool sel list")
    assert "Cooling/Fan Fault    : true" in output(simulation, "ipmitool chassis status")


def test_a_lost_gpu_has_no_temperature(simulation: Simulation[World]) -> None:
    gpu = simulation.world.node("dgx-01").gpus[2]
    simulation.world.gpus.update(gpu.id, bus=BusState.LOST)
    name = f"TEMP_GPU_SXM_{gpu.module}"
    assert f"{name:<16} | no reading        | ns\n" in output(simulation, "ipmitool sdr")
    assert f"{name:<16} | na         | degrees C  | na    |" in output(simulation, "ipmitool sensor")


def test_clear_leaves_one_entry(simulation: Simulation[World]) -> None:
    simulation.advance(MINUTE)
    told = "Clearing SEL.  Please allow a few seconds to erase.\n"
    assert output(simulation, "ipmitool sel clear") == told
    assert output(simulation, "ipmitool sel elist") == (
        "   1 | 11/30/26 | 09:01:00 UTC | Event Logging Disabled SEL | Log area reset/cleared | Asserted\n"
    )
    assert "Last Del Time    : 11/30/26 09:01:00 UTC\n" in output(simulation, "ipmitool sel info")


def test_save_writes_the_records(simulation: Simulation[World]) -> None:
    output(simulation, "ipmitool sel clear")
    output(simulation, "ipmitool sel save /root/sel.txt")
    tree = run_command(simulation, "dgx-01", "root", "tail -n 5 /root/sel.txt")
    assert tree.stdout == "0x04 0x10 0x72 0x6f 0x02 0xff 0xff # Event Logging Disabled #0x72 Log area reset/cleared\n"


@pytest.mark.parametrize(
    ("environment", "option", "expected"),
    [
        ({}, "", "11/30/26 10:00:00 CET"),
        ({}, "-Z ", "11/30/26 09:00:00 UTC"),
        ({"LC_ALL": "en_US.UTF-8"}, "", "11/30/2026 10:00:00 AM CET"),
    ],
)
def test_times_are_those_of_host_and_locale(environment: dict[str, str], option: str, expected: str) -> None:
    simulation = changed_site(timezone="Europe/Berlin")
    assert output(simulation, f"ipmitool {option}sel time get", "root", **environment) == expected + "\n"


def test_an_older_tool_has_plain_times_and_keeps_the_sign() -> None:
    simulation = changed_site(software={**load_site("dgx-h100-4").software, "ipmitool": "1.8.18"})
    bmc.add_sel(
        simulation, "dgx-01", "Temperature", "TEMP_AMBIENT", "Upper Critical going high", asserted=False,
        detail="Reading 39 > Threshold 40 degrees C",
    )  # fmt: skip
    assert output(simulation, "ipmitool -V") == "ipmitool version 1.8.18\n"
    last = output(simulation, "ipmitool sel elist last 1", LANG="en_US.UTF-8").partition(" | ")[2]
    assert last == (
        "11/30/2026 | 09:00:00 | Temperature TEMP_AMBIENT | Upper Critical going high | Deasserted | "
        "Reading 39 > Threshold 40 degrees C\n"
    )
    assert "STATUS_PSU0      | 0x00              | ok\n" in output(simulation, "ipmitool sdr")


@pytest.mark.parametrize("line", ["sol activate", "raw 0x06 0x01", "sensor thresh X lower 1 2 3", "mc guid"])
def test_what_is_not_modelled_says_so(simulation: Simulation[World], line: str) -> None:
    result = run_command(simulation, "dgx-01", "root", f"ipmitool {line}")
    assert (result.status, result.stderr.startswith("breakfix: not modelled: ipmitool ")) == (125, True)


@pytest.mark.parametrize(
    ("line", "first"),
    [
        ("-x", "ipmitool: invalid option -- 'x'"),
        ("-I nothing sdr", "Error loading interface nothing"),
        ("nonsense", "Invalid command: nonsense"),
        ("sel nonsense", "Invalid SEL command: nonsense"),
        ("sdr nonsense", "Invalid SDR command: nonsense"),
        ("sensor get NOPE", 'Sensor data record "NOPE" not found!'),
        ("power nonsense", "Invalid chassis power command: nonsense"),
        ("sel get x", "Given SEL ID 'x' is invalid."),
    ],
)
def test_mistakes(simulation: Simulation[World], line: str, first: str) -> None:
    result = run_command(simulation, "dgx-01", "root", f"ipmitool {line}")
    assert (result.stderr.splitlines()[0], result.status) == (first, 1)
