"""slurmd: what it needs to start, what it finds on its host when it does, and how it reports to slurmctld.

slurmd reads slurm.conf, gres.conf and cgroup.conf of its own host when it starts, and anew at `scontrol reconfigure`
(it then executes itself: slurm.conf(5) of 23.11 and later). It looks for GPUs only then: a GPU that is lost later
changes nothing until slurmd starts again or the node does. Rules and texts: SchedMD/slurm src/slurmd/slurmd/slurmd.c,
src/interfaces/gres.c (_my_stat, _merge_system_gres_conf, _load_specific_gres_plugins) and cgroup.c.
"""

from __future__ import annotations

from engine.control import driver, processes, service_state
from engine.control.slurm import charge, configuration, contact, files, logs
from engine.control.slurm.config_file import ConfigurationError, FileParser
from engine.control.slurm.gres_file import GresLine, parse_gres_conf
from engine.kernel.quick_dataclass import dataclass
from engine.kernel.simulation import Simulation
from engine.kernel.units import SECOND
from engine.physics.load import bound_gpus
from engine.world.records import BusState
from engine.world.world import World

_MIB = 1 << 20


@dataclass(frozen=True, slots=True)
class Hardware:
    """What a slurmd reports of its host beside GPUs: CPUs, sockets, cores of a socket, threads of a core; memory and
    /tmp in MiB.
    """

    cpus: int
    sockets: int
    cores: int
    threads: int
    memory: int
    temporary_disk: int


def hardware(world: World, host: str) -> Hardware:
    """What slurmd finds on a host."""
    cpu = world.node(host).cpu
    return Hardware(
        cpus=cpu.sockets * cpu.cores * cpu.threads,
        sockets=cpu.sockets,
        cores=cpu.cores,
        threads=cpu.threads,
        memory=processes.memory(world, host).total // 1024,
        temporary_disk=next((drive.bytes // _MIB for drive in world.node(host).drives if drive.purpose == "boot"), 0),
    )


def detected_gpus(world: World, host: str, gres_conf: str | None = None) -> int:
    """How many GPUs a slurmd reports that reads `gres_conf` (None: the file as it stands on the host).

    AutoDetect=nvml: those that NVML opens and whose product has the configured type in its name; none where driver and
    library differ. `File=`: one for each file, without looking at the device.
    """
    text = configuration.on_host(world, host)[1] if gres_conf is None else gres_conf
    detection, lines = parse_gres_conf(text).of(host)
    if detection not in ("nvml", "nvidia"):
        return sum(len(line.device_files) or (line.count or 0) for line in lines)
    if detection == "nvml" and driver.nvml(world, host).status is not driver.NvmlStatus.OK:
        return 0
    names = [gpu.product.name for gpu in bound_gpus(world, host) if world.gpus[gpu.id].bus is BusState.PRESENT]
    return sum(_is_wanted(name, lines) for name in names)


def missing_device(world: World, host: str) -> str | None:
    """The first device file of gres.conf that is not there, for which slurmd waits 19 seconds and then gives up."""
    _, lines = parse_gres_conf(configuration.on_host(world, host)[1]).of(host)
    present = {f"/dev/nvidia{index}" for index in range(len(bound_gpus(world, host)))}
    wanted = [path for line in lines for path in line.device_files]
    return next((path for path in wanted if path.startswith("/dev/nvidia") and path not in present), None)


def refusal(world: World, host: str) -> tuple[str, ...]:
    """Why slurmd would not start on `host`: its last lines, none if it would. For the start check of the unit."""
    slurm_conf, gres_conf = configuration.on_host(world, host)
    try:
        known = configuration.parse_for_node(slurm_conf)
        if host not in known.nodes:
            return (
                f"error: Unable to find node record for {host}",
                "fatal: Unable to determine this slurmd's NodeName",
            )
        parse_gres_conf(gres_conf).check(host)
        check_cgroup_conf(configuration.text_on(world, host, files.CGROUP_CONF))
        device = missing_device(world, host)
    except ConfigurationError as error:
        return error.lines
    if device is None:
        return ()
    return (
        f"error: Waiting for gres.conf file {device}",
        f"fatal: can't stat gres.conf file {device}: No such file or directory",
    )


def check_cgroup_conf(text: str) -> None:
    """Raises ConfigurationError for what slurmd could not read."""
    parser = FileParser("cgroup.conf", files.CGROUP_CONF)
    parser.parse(text)
    if parser.errors:
        raise ConfigurationError(
            *parser.errors, f"fatal: Could not open/read/parse cgroup.conf file {files.CGROUP_CONF}"
        )


def begin(simulation: Simulation[World], node: str) -> int:
    """slurmd starts on a node: it reads its files and looks at the hardware. Returns the number of GPUs it found."""
    world = simulation.world
    texts = (*configuration.on_host(world, node), configuration.text_on(world, node, files.CGROUP_CONF))
    found = detected_gpus(world, node, texts[1])
    world.slurm_nodes.update(
        node,
        files=texts,
        slurmd_start=service_state.service(world, node, logs.SLURMD).since,
    )
    _log_start(simulation, node, texts[1], found)
    return found


def reported_gpus(world: World, node: str) -> int:
    """What the slurmd that runs on a node has found; it does not look again because slurmctld asks."""
    known = world.slurm_nodes[node].registered_gpus
    return configuration.in_force(world).nodes[node].gpus if known is None else known


def log_unregistered(simulation: Simulation[World], node: str, obstacle: contact.Obstacle) -> None:
    """slurmd could not register: what stands in its log, and in slurmctld's where that saw the message."""
    message = "MESSAGE_NODE_REGISTRATION_STATUS"
    if obstacle.kind == "munge_down":
        lines = [
            *contact.SOCKET_LINES,
            f"error: slurm_send_node_msg: auth_g_create: {message} has authentication error",
            "error: Unable to register: Protocol authentication error",
        ]
    elif obstacle.kind == "credential":
        contact.log_refused(simulation, node, charge.in_charge(simulation.world), message, obstacle.status)
        lines = ["error: Unable to register: Zero Bytes were transmitted or received"]
    else:
        lines = ["error: Unable to register: Unable to contact slurm controller (connect failure)"]
    for line in lines:
        logs.write(simulation, node, logs.SLURMD, line)


def _is_wanted(product: str, lines: list[GresLine]) -> bool:
    """Whether a GPU that was found is of a type that the lines ask for: the type is a part of the product's name."""
    name = product.lower().replace(" ", "_")
    types = [line.type.lower() for line in lines if line.type]
    return not types or any(each in name for each in types)


def _log_start(simulation: Simulation[World], node: str, gres_conf: str, found: int) -> None:
    world, known = simulation.world, hardware(simulation.world, node)
    detection, lines = parse_gres_conf(gres_conf).of(node)
    said = [f"error: Ignoring gres.conf record, invalid name: {name}" for name in parse_gres_conf(gres_conf).ignored]
    if detection == "nvml":
        present = detected_gpus(world, node, "AutoDetect=nvml\n")
        said.append(f"gpu/nvml: _get_system_gpu_list_nvml: {present} GPU system device(s) detected")
        if present > found and lines:
            said.append("error: WARNING: The following autodetected GPUs are being ignored:")
    said.append(
        f"CPUs={known.cpus} Boards=1 Sockets={known.sockets} Cores={known.cores} Threads={known.threads} "
        f"Memory={known.memory} TmpDisk={known.temporary_disk} "
        f"Uptime={(simulation.now - world.nodes[node].booted_at) // SECOND} CPUSpecList=(null) "
        "FeaturesAvail=(null) FeaturesActive=(null)"
    )
    for line in said:
        logs.write(simulation, node, logs.SLURMD, line)
