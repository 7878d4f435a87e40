"""What different commands say of the same thing is the same: rules that hold whatever is broken.

Each rule asks a running node (or the head node) with at least two commands and gives the sentences in which they
contradict each other. A command that fails says nothing, except where its failing is what the rule is about.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from engine.commands.command import installed
from engine.control.accounts import identity
from engine.hostfs.host_tree import HostTree
from engine.hostfs.tree import FileError
from engine.kernel.hostlist import expand
from engine.kernel.simulation import Simulation
from engine.kernel.units import MINUTE
from engine.world.records import BootPhase
from engine.world.world import World
from tests.support.run import run_command

Sim = Simulation[World]
Rule = Callable[[Sim, str], Iterator[str]]
HEAD = "head-01"


def contradictions(simulation: Sim, node: str) -> list[str]:
    """Every contradiction about `node` and the cluster as they are now."""
    rules = CLUSTER_RULES
    if simulation.world.nodes[node].phase is BootPhase.RUNNING:
        rules = (*NODE_RULES, *rules)
    return [sentence for rule in rules for sentence in rule(simulation, node)]


def ask(simulation: Sim, host: str, line: str, user: str = "root") -> str:
    """What a command prints on a copy of the world; nothing where it is not installed."""
    if not installed(simulation.world.inventory, host, line.split(maxsplit=1)[0]):
        return ""
    return run_command(simulation.fork(), host, user, line, interrupt_after=5 * MINUTE).stdout


def content(simulation: Sim, host: str, path: str) -> str:
    """What stands in a file; nothing where there is none."""
    tree = HostTree(simulation, host, identity(simulation.world.inventory, "root"))
    try:
        return tree.read(path).decode()
    except FileError:
        return ""


def names(simulation: Sim, host: str, path: str) -> set[str]:
    """What lies in a directory; nothing where there is none."""
    tree = HostTree(simulation, host, identity(simulation.world.inventory, "root"))
    try:
        return {name for name, _ in tree.entries(path)}
    except FileError:
        return set()


def gpus_are_counted_alike(simulation: Sim, node: str) -> Iterator[str]:
    """nvidia-smi, its query, /proc and the PCI bus: whoever lists GPUs lists those of the driver, and they are on the
    bus.
    """
    listed = re.findall(r"^GPU (\d+):", ask(simulation, node, "nvidia-smi -L"), re.M)
    queried = re.findall(
        r"^\d+, (\S+)", ask(simulation, node, "nvidia-smi --query-gpu=index,pci.bus_id --format=csv,noheader"), re.M
    )
    if not listed or not queried:
        return
    if len(listed) != len(queried):
        yield f"nvidia-smi -L lists {len(listed)} GPUs, its query {len(queried)}"
    bound = names(simulation, node, "/proc/driver/nvidia/gpus")
    addresses = {f"{address[4:].lower()}" for address in queried}
    if not addresses <= bound:
        yield f"nvidia-smi shows {sorted(addresses - bound)}, /proc/driver/nvidia/gpus does not"
    on_bus = {f"0000:{line[:7]}" for line in ask(simulation, node, "lspci").splitlines() if "NVIDIA" in line}
    if not addresses <= on_bus:
        yield f"nvidia-smi shows {sorted(addresses - on_bus)}, lspci does not"
    found = re.search(r"^(\d+) GPUs? found", ask(simulation, node, "dcgmi discovery -l"), re.M)
    if found and int(found[1]) < len(listed):
        yield f"nvidia-smi lists {len(listed)} GPUs, dcgmi {found[1]}"


def module_and_nvidia_smi_agree(simulation: Sim, node: str) -> Iterator[str]:
    """nvidia-smi works only where the module is loaded."""
    loaded = re.search(r"^nvidia\s", ask(simulation, node, "lsmod"), re.M)
    if not loaded and "GPU 0" in ask(simulation, node, "nvidia-smi -L"):
        yield "nvidia-smi lists GPUs, lsmod has no nvidia"
    version = content(simulation, node, "/proc/driver/nvidia/version")
    if bool(version) != bool(loaded):
        yield f"lsmod {'has' if loaded else 'lacks'} nvidia, /proc/driver/nvidia/version is {version[:20]!r}"


def ports_are_told_alike(simulation: Sim, node: str) -> Iterator[str]:
    """ibstat, ibv_devinfo, /sys and the fabric's own view of each port."""
    told = dict(re.findall(r"CA '(\S+)'.*?State: (\w+)", ask(simulation, node, "ibstat"), re.S))
    for device, state in told.items():
        shown = content(simulation, node, f"/sys/class/infiniband/{device}/ports/1/state").strip()
        if shown and shown.partition(": ")[2] != {"Initializing": "INIT", "Armed": "ARMED"}.get(state, state.upper()):
            yield f"ibstat says {device} is {state}, /sys {shown}"
        verbs = re.search(r"state:\s+PORT_(\w+)", ask(simulation, node, f"ibv_devinfo -d {device}"))
        if verbs and verbs[1] != {"Initializing": "INIT", "Armed": "ARMED"}.get(state, state.upper()):
            yield f"ibstat says {device} is {state}, ibv_devinfo {verbs[1]}"
    seen = set(re.findall(rf'"{node} (mlx5_\d+)"', ask(simulation, HEAD, "ibnetdiscover")))
    for device in seen & told.keys():
        if told[device] == "Down":
            yield f"ibnetdiscover reaches {device}, ibstat says it is down"


def units_are_told_alike(simulation: Sim, node: str) -> Iterator[str]:
    """What systemctl lists as failed is failed when asked for by name."""
    for line in ask(simulation, node, "systemctl --failed --no-legend --plain").splitlines():
        unit = line.replace("●", "").split()[0]
        if ask(simulation, node, f"systemctl is-failed {unit}").strip() != "failed":
            yield f"systemctl --failed lists {unit}, is-failed does not"


def power_is_told_alike(simulation: Sim, node: str) -> Iterator[str]:
    """nvidia-smi's query and its report read one sensor."""
    query = "nvidia-smi --query-gpu=index,power.draw,temperature.gpu --format=csv,noheader,nounits"
    for row in re.findall(r"^(\d+), ([\d.]+), (\d+)", ask(simulation, node, query), re.M):
        report = ask(simulation, node, f"nvidia-smi -q -i {row[0]} -d POWER,TEMPERATURE")
        if report and (f": {row[1]} W" not in report or f": {row[2]} C" not in report):
            yield f"GPU {row[0]}: the query says {row[1]} W and {row[2]} C, the report does not"
        break


def queue_and_nodes_agree(simulation: Sim, node: str) -> Iterator[str]:
    """A node is at work exactly if a running job has it; whoever is listed with a reason is drained or down."""
    del node
    states = dict(line.split() for line in ask(simulation, HEAD, "sinfo -N -h -o '%N %T'", "alex").splitlines())
    jobs = ask(simulation, HEAD, "squeue -h -t R,CG -o '%N'", "alex").split()
    busy = set(expand(",".join(jobs))) if jobs else set()
    for name, state in states.items():
        at_work = state.rstrip("*+~#!%$@^-") in ("allocated", "mixed", "draining", "completing")
        # INVALID_REG is told before what the node does: sinfo's `inval` says nothing of jobs.
        if at_work != (name in busy) and not state.startswith(("down", "unknown", "inval")):
            yield f"sinfo says {name} is {state}, squeue {'has' if name in busy else 'has no'} job there"
    for name in ask(simulation, HEAD, "sinfo -R -h -N -o '%N'", "alex").split():
        if name in states and not states[name].startswith(("drain", "down", "inval", "fail", "reboot")):
            yield f"sinfo -R lists {name}, which is {states[name]}"


def manager_and_ports_agree(simulation: Sim, node: str) -> Iterator[str]:
    """Where saquery answers, sminfo names a master."""
    del node
    if "NodeRecord" in ask(simulation, HEAD, "saquery") and "SMINFO_MASTER" not in ask(simulation, HEAD, "sminfo"):
        yield "saquery answers, sminfo finds no master"


NODE_RULES: tuple[Rule, ...] = (
    gpus_are_counted_alike,
    module_and_nvidia_smi_agree,
    ports_are_told_alike,
    units_are_told_alike,
    power_is_told_alike,
)
CLUSTER_RULES: tuple[Rule, ...] = (queue_and_nodes_agree, manager_and_ports_agree)
