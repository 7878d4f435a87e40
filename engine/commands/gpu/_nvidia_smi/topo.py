"""`nvidia-smi topo`: the matrix of GPUs and RDMA devices, and the peer-to-peer matrix.

Formats: captures of H100 (driver 590.48.01, one GPU; eight GPUs), L40S and an eight-GPU B200 with RDMA devices for
`-m`; of an H100 node and of driver 590.48.01 for `-p2p r`. RDMA devices are listed in the order of their bus addresses.
That the list ends with an empty line is from memory.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from engine.commands.context import Context
from engine.commands.gpu._nvidia_smi import topology
from engine.commands.gpu._nvidia_smi.devices import Device
from engine.commands.gpu._nvidia_smi.library import INVALID_ARGUMENT, OK, answering, open_library, refuse
from engine.commands.gpu._nvidia_smi.words import HELP, Switch, parse, section_help
from engine.world.inventory import Hca, Node

UNDERLINED, PLAIN = "\x1b[4m", "\x1b[0m"

SWITCHES = (
    HELP,
    Switch("matrix", ("-m", "--matrix"), None, "The matrix of GPUs and RDMA devices."),
    Switch("pci", ("-mp", "--matrix_pci"), None, "The same over PCIe alone."),
    Switch("p2p", ("-p2p", "--p2pstatus"), "CAPABILITY", "What GPUs can do to each other's memory: r, w, n, a or p."),
    Switch("id", ("-i", "--id"), "ID", "One GPU, or two with a comma.", modelled=False),
    Switch("cpu", ("-c", "--cpu"), "CPU", "GPUs near a CPU.", modelled=False),
    Switch("near", ("-n", "--nearest_gpus"), "PATH", "GPUs as far away as a path.", modelled=False),
    Switch("path", ("-p", "--gpu_path"), None, "The path between two GPUs.", modelled=False),
    Switch("numa", ("-C", "--cpu_numa_id"), None, "NUMA nodes of the CPUs near a GPU.", modelled=False),
    Switch("memory", ("-M", "--mem_numa_id"), None, "NUMA nodes of the memory near a GPU.", modelled=False),
    Switch("own", ("-gnid", "--gpu_numa_id"), None, "A GPU's own NUMA node.", modelled=False),
    Switch("nvme", ("-nvme", "--matrix_nvme"), None, "The matrix with NVMe drives.", modelled=False),
)

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
    devices = await answering(context, library, library.devices)
    if "p2p" in given:
        lines = _p2p_lines(context, devices, given["p2p"] or "")
    else:
        lines = matrix_lines(context.node, devices, over_nvlink="pci" not in given)
    context.write("".join(f"{line}\n" for line in lines))
    return OK


def matrix_lines(node: Node, devices: Sequence[Device], over_nvlink: bool = True) -> Iterator[str]:
    """The matrix of `-m`, with its legends."""
    hcas = sorted(node.hcas, key=lambda hca: hca.address)
    names = [f"GPU{device.index}" for device in devices] + [f"NIC{number}" for number in range(len(hcas))]
    yield "\t" + UNDERLINED + "\t".join([*names, "CPU Affinity", "NUMA Affinity", "GPU NUMA ID"]) + PLAIN
    for device in devices:
        cells = [topology.gpu_relation(node, device.gpu, other.gpu, over_nvlink) for other in devices]
        cells += [topology.relation(node, device.gpu.address, hca.address) for hca in hcas]
        numa = device.gpu.numa
        yield f"GPU{device.index}\t" + _row(cells) + f"{topology.cpu_list(node, numa)}\t{numa}\t\tN/A"
    for number, hca in enumerate(hcas):
        yield f"NIC{number}\t" + _row(_hca_cells(node, devices, hcas, hca)) + "\t\t\t"
    yield from ("", "Legend:", "")
    for name, text in (*topology.LEGEND, *((topology.NVLINK_LEGEND,) if over_nvlink else ())):
        yield f"  {name:<4} = {text}"
    if hcas:
        yield from ("", "NIC Legend:", "")
        yield from (f"  NIC{number}: {hca.name}" for number, hca in enumerate(hcas))
    yield ""


def _row(cells: Sequence[str]) -> str:
    return "".join(f" {cell} \t" if cell == topology.SELF else f"{cell}\t" for cell in cells)


def _hca_cells(node: Node, devices: Sequence[Device], hcas: Sequence[Hca], hca: Hca) -> list[str]:
    addresses = [device.gpu.address for device in devices] + [other.address for other in hcas]
    return [topology.relation(node, hca.address, address) for address in addresses]


def _p2p_lines(context: Context, devices: Sequence[Device], capability: str) -> Iterator[str]:
    """The matrix of `-p2p`: GPUs that NVLinks join can do everything to each other. Raises Refused."""
    if capability not in tuple("rwnap"):
        raise refuse(context, f"Invalid p2p capability: {capability}", INVALID_ARGUMENT)
    yield "\t" + UNDERLINED + "\t".join(f"GPU{device.index}" for device in devices) + PLAIN
    for device in devices:
        cells = [_peer(context.node, device, other) for other in devices]
        yield f" GPU{device.index}\t" + "\t".join(cells) + "\t"
    yield from ("", "Legend:", "")
    for name, text in _P2P_LEGEND:
        yield f"  {name:<4} = {text}"
    yield ""


def _peer(node: Node, device: Device, other: Device) -> str:
    if device.index == other.index:
        return topology.SELF
    return "OK" if topology.nvlinks(node, device.gpu, other.gpu) else "NS"
