"""With every fault of the catalogue, nothing that is learnt contradicts the world at that moment; and no text whatever
makes a recognizer stumble or invent a component.
"""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.control.host_names import is_found
from engine.facts.facts import Facts
from engine.faults.fault import catalogue
from engine.faults.targets import target_kinds
from engine.kernel.simulation import Simulation
from engine.kernel.units import MINUTE
from engine.world.world import World
from tests.census.census import SITE, scene
from tests.support.worlds import inventory
from tests.tui.seen.looking import look, sandbox
from tui.look.glyphs import State
from tui.seen.knowledge import Knowledge, Sighting
from tui.seen.queue import JOB, QUEUE
from tui.seen.recognize import recognize
from tui.seen.site import Site

LINES = (
    "sinfo", "scontrol show node", "squeue", "clush -bw dgx-[01-04] nvidia-smi", "pdsh -w dgx-[01-04] nvidia-smi -L",
    "clush -w dgx-[01-04] nvidia-smi --query-gpu=pci.bus_id,temperature.gpu,clocks_event_reasons.hw_thermal_slowdown,"
    "clocks_event_reasons.sw_thermal_slowdown --format=csv", "clush -bw dgx-[01-04] nvidia-smi -q",
    "clush -bw dgx-[01-04] lspci", "pdsh -w dgx-[01-04] sudo dmesg", "clush -bw dgx-[01-04] sudo ipmitool sdr",
    "clush -bw dgx-[01-04] sudo ipmitool sdr elist", "clush -bw dgx-[01-04] ibstat", "clush -w dgx-[01-04] uptime",
    "sudo iblinkinfo", "ssh dgx-01 sudo iblinkinfo -l", "ping -c 1 dgx-02", "squeue; sinfo",
    "clush -bw dgx-[01-04] 'sudo dmesg | grep Xid; lspci; nvidia-smi'", "clush -bw dgx-[01-04] dcgmi discovery -l",
)  # fmt: skip
SLOW = {"HW thermal slowdown": "hardware_thermal", "SW thermal slowdown": "software_thermal"}
NO_TEMPERATURE = -1000
SILENT = {"slurm.controller_down": ("sinfo", "squeue", "scontrol"), "slurm.wrong_address": ("ping",)}
"""Commands that teach nothing with a fault: they say only that nobody answers."""
WAITING = {"slurm.epilog_hanging": ("dcgmi",)}
"""Commands that wait without end with a fault."""


class Truth:
    """The world, asked with facts."""

    def __init__(self, simulation: Simulation[World]) -> None:
        self.simulation = simulation

    def __call__(self, text: str) -> object:
        return Facts().evaluate(self.simulation.world, self.simulation.now, text, {})

    def check(self, one: Sighting) -> bool | None:
        """Whether a sighting is true; None if no fact says so."""
        looks_good, component = one.state is State.OK, f'"{one.component}"'
        if one.aspect in ("login", "uptime", "ping"):
            reached = self(f"node.up({component})") and is_found(self.simulation.world, "head-01", one.component)
            return bool(reached) is looks_good
        if one.aspect == "driver":
            return self(f"driver.matched({component})") is looks_good
        if one.aspect == "Slurm":
            return self._slurm(one, component)
        if one.aspect == "PCI" and "/gpu" in one.component:
            listed = self(f"gpu.present({component})") and self(f"gpu.listed({component})")
            return listed is looks_good
        if one.aspect == "nvidia-smi":
            visible = self(f"gpu.visible({component})")
            return visible is False if one.state is State.UNKNOWN else visible is looks_good
        if one.aspect == "DCGM":
            return self(f"gpu.present({component})") is looks_good
        if one.aspect in SLOW:
            return self(f'gpu.slowed({component}, "{SLOW[one.aspect]}")') is not looks_good
        if one.aspect.startswith("Xid "):
            return self(f"gpu.xid_logged({component}, {one.aspect.split(' ')[1]})") is True
        if one.aspect in ("temperature", "BMC temperature") and one.value[0].isdigit():
            truth = self(f"gpu.temperature({component})")
            return truth is not None and abs(_celsius(truth) - int(one.value.split()[0])) <= 2
        if one.aspect.endswith("rotor"):
            return self(f"fan.failed({component})") is (one.state is State.DOWN)
        if one.aspect == "link" and one.state is State.DEGRADED:
            return self(f"port.active({component})") is False
        if one.aspect == "link" and one.component in inventory().cables:
            return self(f"port.up({component})") is looks_good
        if one.aspect == "jobs" and ", C" not in one.value:
            return (self(f"jobs.running({component})") == 0) is (one.value == "none")
        return None

    def _slurm(self, one: Sighting, component: str) -> bool:
        drained, up = self(f"slurm.node.drained({component})"), self(f"node.up({component})")
        down = not up or str(self(f"slurm.node.state({component})")).startswith("down")
        return {State.DRAINED: drained, State.OK: not drained}.get(one.state, drained or down) is True


def _celsius(truth: object) -> float:
    """Temperatures are facts in thousandths of a degree."""
    assert isinstance(truth, int)
    return truth / 1000


def test_the_checks_can_fail() -> None:
    truth = Truth(sandbox("gpu.fell_off_bus target=dgx-02/gpu5"))
    assert truth.check(Sighting("dgx-02/gpu5", "PCI", "rev a1", State.OK, 0, "")) is False
    assert truth.check(Sighting("dgx-02/gpu4", "PCI", "rev a1", State.OK, 0, "")) is True
    assert truth.check(Sighting("dgx-02/gpu4", "temperature", "99 C", State.UNKNOWN, 0, "")) is False


FAULTS = ("", *(name for name in catalogue() if scene(name).site == SITE))


@pytest.mark.parametrize(("fault", "minutes"), [(name, 25 * (number % 2)) for number, name in enumerate(FAULTS)])
def test_nothing_learnt_contradicts_the_truth(fault: str, minutes: int) -> None:
    example = target_kinds()[catalogue()[fault].targets[0]].example if fault else ""
    simulation = sandbox(f"{fault} target={example}" if fault else "", minutes * MINUTE)
    verdicts = judged(simulation, SILENT.get(fault, ()), WAITING.get(fault, ()))
    assert not [one for one, verdict in verdicts if verdict is False]
    assert sum(verdict is True for _, verdict in verdicts) > 200
    assert all(exists(one.component) for one, _ in verdicts)


@pytest.mark.parametrize("minutes", [1, 10])
@pytest.mark.parametrize("act", ["ssh dgx-02 sudo reboot", "ssh dgx-02 sudo poweroff"])
def test_nor_does_it_after_a_restart_without_the_gpu(act: str, minutes: int) -> None:
    simulation = sandbox("gpu.fell_off_bus target=dgx-02/gpu5 holds=0s", MINUTE)
    look(simulation, act)
    simulation.advance(minutes * MINUTE)
    verdicts = judged(simulation)
    assert not [one for one, verdict in verdicts if verdict is False]
    gpu = {one.value for one, _ in verdicts if (one.component, one.aspect) == ("dgx-02/gpu5", "nvidia-smi")}
    assert gpu == ({"not listed"} if "reboot" in act and minutes == 10 else set())


def judged(
    simulation: Simulation[World], silent: tuple[str, ...] = (), waiting: tuple[str, ...] = ()
) -> list[tuple[Sighting, bool | None]]:
    """What each line teaches, and whether it is true when the line has ended. Lines with commands that are `waiting`
    are left out.
    """
    truth, verdicts = Truth(simulation), []
    for line in LINES:
        if any(command in line for command in waiting):
            continue
        known = look(simulation, line)
        seen = [one for aspects in known.sightings.values() for one in aspects.values()]
        # A healthy log has no Xids.
        assert seen or "dmesg" in line or any(command in line for command in silent), line
        verdicts += [(one, truth.check(one)) for one in seen]
    return verdicts


def exists(component: str) -> bool:
    """Whether the site has this component."""
    site = Site(inventory())
    host, slash, _ = component.partition("/")
    if not slash:
        return host in inventory().node_index or host in inventory().switches or host.startswith((JOB, QUEUE))
    if host in inventory().switches:
        return component in inventory().cables
    return host in inventory().node_index and component in site.parts(host)


FRAGMENTS = (
    "GPU 0: NVIDIA (UUID: GPU-9938df37 ) | 00000000:1B:00.0 Off 31C 70W / 700W MiB C3:00.0 (rev ff)",
    "NVRM: Xid (PCI:0000:c3:00): 79, dgx-01 dgx-99 dgx-[01-09] dgx-[ leaf-01 drain* NODELIST STATE REASON JOBID",
    "NodeName=dgx-01 State=DOWN Reason=x CA 'mlx5_0' 'mlx5_99' State: Active SPD_FAN_SYS3_F SPD_FAN_SYS99_F | cr lcr",
    "0 RPM --- ping statistics 100% packet loss ssh: connect to host port 22: -- Chassis Power is off , ; : 7",
)
WORDS = st.sampled_from([word for line in FRAGMENTS for word in line.split(" ")] + ["\n", "\n", "\n \t", " "])
TEXTS = st.one_of(st.text(), st.lists(WORDS, max_size=60).map(" ".join))
COMMANDS = st.sampled_from(
    [*LINES, "nvidia-smi", "ibstat", "sudo dmesg", "lspci", "sudo ipmitool sdr", "nvidia-smi -q", "sinfo -R",
     "nvidia-smi --query-gpu=index,name --format=csv", "ssh dgx-02 uptime", "nvidia-smi; dmesg | tail -3"]
)  # fmt: skip


@settings(max_examples=300, deadline=None)
@given(line=st.one_of(COMMANDS, st.text()), output=TEXTS)
def test_no_text_makes_it_stumble_or_invent(line: str, output: str) -> None:
    for one in recognize(inventory(), "dgx-01", line, output, 0):
        assert exists(one.component) and one.value.isprintable() and one.source.isprintable()


@settings(max_examples=60, deadline=None)
@given(cut=st.integers(0, 8000), line=st.sampled_from(["nvidia-smi", "nvidia-smi -q", "lspci", "ibstat", "sinfo"]))
def test_a_torn_text_of_a_real_command_names_only_what_is_there(cut: int, line: str) -> None:
    text = real_text(line)[cut:]
    known = Knowledge(inventory())
    known.take("dgx-01", line, re.sub(r"[3-6]", "9", text), 0)
    assert all(exists(component) for component in known.sightings)


def real_text(line: str) -> str:
    """What a command prints on a healthy node."""
    from tests.support.sessions import last

    if line not in _TEXTS:
        _TEXTS[line] = last(sandbox(), [line], host="dgx-01")
    return _TEXTS[line]


_TEXTS: dict[str, str] = {}
