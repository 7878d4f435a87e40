"""`nvidia-smi topo`: the matrix of GPUs and RDMA devices, and the peer-to-peer matrix.

Formats: captures of H100 (driver 590.48.01, one GPU; eight GPUs), L40S and an eight-GPU B200 with RDMA devices for
`-m`; of an H100 node and of driver 590.48.01 for `-p2p r`. RDMA devices are listed in the order of their bus addresses.
That the list ends with an empty line is from memory. Which capabilities PCIe gives is a guess (reading and writing:
yes, atomics: no, as boards without NVLink show).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from engine.commands.context import Context
from engine.commands.gpu._nvidia_smi.devices import Device
from engine.commands.gpu._nvidia_smi.library import INVALID_ARGUMENT, OK, answering, open_library, refuse, select
from engine.commands.gpu._nvidia_smi.words import HELP, Switch, parse, section_help
from engine.physics.paths import nvlink, topology
from engine.physics.paths.near import cpu_list
from engine.world.inventory import Hca
from engine.world.world import World

UNDERLINED, PLAIN = "\x1b[4m", "\x1b[0m"

SWITCHES = (
    HELP,
    Switch("matrix", ("-m", "--matrix"), None, "The matrix of GPUs and RDMA devices."),
    Switch("pci", ("-mp", "--matrix_pci"), None, "The same over PCIe alone."),
    Switch("id", ("-i", "--id"), "ID", "GPUs for -n (one), -p (two), -C, -M and -gnid, with commas."),
    Switch("cpu", ("-c", "--cpu"), "CPU", "GPUs near a CPU."),
    Switch("near", ("-n", "--nearest_gpus"), "PATH", "GPUs as far from one as a path: 0 to 5."),
    Switch("path", ("-p", "--gpu_path"), None, "The path between two GPUs."),
    Switch("p2p", ("-p2p", "--p2pstatus"), "CAPABILITY", "What GPUs can do to each other's memory: r, w, n, a or p."),
    Switch("cpu_numa", ("-C", "--get-numa-id-of-nearby-cpu"), None, "The NUMA node of the CPUs near a GPU."),
    Switch("memory_numa", ("-M", "--get-numa-id-of-nearby-mem"), None, "The NUMA node of the memory near a GPU."),
    Switch("own_numa", ("-gnid", "--gpu-numa-id"), None, "A GPU's own NUMA node."),
    Switch("nvme", ("-nvme", "--matrix_nvme"), None, "The matrix of GPUs and NVMe drives.", modelled=False),
)

LEGEND = (
    (topology.SELF, "Self"),
    (topology.SYSTEM, "Connection traversing PCIe as well as the SMP interconnect between NUMA nodes (e.g., QPI/UPI)"),
    (
        topology.SAME_NUMA,
        "Connection traversing PCIe as well as the interconnect between PCIe Host Bridges within a NUMA node",
    ),
    (topology.HOST_BRIDGE, "Connection traversing PCIe as well as a PCIe Host Bridge (typically the CPU)"),
    (topology.BRIDGES, "Connection traversing multiple PCIe bridges (without traversing the PCIe Host Bridge)"),
    (topology.SAME_BRIDGE, "Connection traversing at most a single PCIe bridge"),
)
NVLINK_LEGEND = ("NV#", "Connection traversing a bonded set of # NVLinks")

_OVER_PCIE = tuple("rwp")
_P2P_LEGEND = (
    ("X", "Self"), ("OK", "Status Ok"), ("CNS", "Chipset not supported"), ("GNS", "GPU not supported"),
    ("TNS", "Topology not supported"), ("NS", "Not supported"), ("U", "Unknown"),
)  # fmt: skip


async def topo(context: Context, words: Sequence[str]) -> int:
    """Run `nvidia-smi topo`."""
    given = parse(context, SWITCHES, words, "topo")
    if "help" in given or not given:
        context.write("\n".join(section_help("topo", "How GPUs and RDMA devices are connected.", SWITCHES)) + "\n")
        return OK
    missing = next((switch for switch in SWITCHES if switch.key in given and not switch.modelled), None)
    if missing:
        return context.not_modelled(f"nvidia-smi topo {missing.names[0]}")
    library = await open_library(context)
    devices = await answering(context, library, select(context, library, given.get("id")))
    context.write("".join(f"{line}\n" for line in _lines(context, given, devices)))
    return OK


def _lines(context: Context, given: Mapping[str, str | None], devices: Sequence[Device]) -> Iterator[str]:
    """What was asked for. Raises Refused."""
    if "p2p" in given:
        return _p2p_lines(context, devices, given["p2p"] or "")
    if set(given) - {"matrix", "pci"}:
        from engine.commands.gpu._nvidia_smi.topo_near import near_lines

        return near_lines(context, given, devices)
    return matrix_lines(context.world, context.host, devices, over_nvlink="pci" not in given)


def matrix_lines(world: World, host: str, devices: Sequence[Device], over_nvlink: bool = True) -> Iterator[str]:
    """The matrix of `-m`, with its legends."""
    node = world.node(host)
    hcas = sorted(node.hcas, key=lambda hca: hca.address)
    names = [f"GPU{device.index}" for device in devices] + [f"NIC{number}" for number in range(len(hcas))]
    yield "\t" + UNDERLINED + "\t".join([*names, "CPU Affinity", "NUMA Affinity", "GPU NUMA ID"]) + PLAIN
    for device in devices:
        cells = [topology.gpu_relation(world, device.gpu, other.gpu, over_nvlink) for other in devices]
        cells += [topology.relation(node, device.gpu.address, hca.address) for hca in hcas]
        numa = device.gpu.numa
        yield f"GPU{device.index}\t" + _row(cells) + f"{cpu_list(node, numa)}\t{numa}\t\tN/A"
    for number, hca in enumerate(hcas):
        yield f"NIC{number}\t" + _row(_hca_cells(world, devices, hcas, hca)) + "\t\t\t"
    yield from ("", "Legend:", "")
    for name, text in (*LEGEND, *((NVLINK_LEGEND,) if over_nvlink else ())):
        yield f"  {name:<4} = {text}"
    if hcas:
        yield from ("", "NIC Legend:", "")
        yield from (f"  NIC{number}: {hca.name}" for number, hca in enumerate(hcas))
    yield ""


def _row(cells: Sequence[str]) -> str:
    return "".join(f" {cell} \t" if cell == topology.SELF else f"{cell}\t" for cell in cells)


def _hca_cells(world: World, devices: Sequence[Device], hcas: Sequence[Hca], hca: Hca) -> list[str]:
    node = world.node(hca.node)
    addresses = [device.gpu.address for device in devices] + [other.address for other in hcas]
    return [topology.relation(node, hca.address, address) for address in addresses]


def _p2p_lines(context: Context, devices: Sequence[Device], capability: str) -> Iterator[str]:
    """The matrix of `-p2p`. Raises Refused."""
    if capability not in tuple("rwnap"):
        raise refuse(context, f"Invalid p2p capability: {capability}", INVALID_ARGUMENT)
    yield "\t" + UNDERLINED + "\t".join(f"GPU{device.index}" for device in devices) + PLAIN
    for device in devices:
        cells = [_peer(context.world, device, other, capability) for other in devices]
        yield f" GPU{device.index}\t" + "\t".join(cells) + "\t"
    yield from ("", "Legend:", "")
    for name, text in _P2P_LEGEND:
        yield f"  {name:<4} = {text}"
    yield ""


def _peer(world: World, device: Device, other: Device, capability: str) -> str:
    """NVLinks give everything; PCIe alone reading and writing, if the fabric manager's partition gives any access."""
    if device.index == other.index:
        return topology.SELF
    if device.state.mig_enabled or other.state.mig_enabled:
        return "NS"
    if capability != "p" and nvlink.joined(world, device.gpu.id, other.gpu.id):
        return "OK"
    over_pcie = capability in _OVER_PCIE and world.nvlink_fabric[device.gpu.node].peer_access
    return "OK" if over_pcie else "NS"
