"""/proc: the kernel's view of itself, by Linux 6.8's fs/proc; processes are in `_proc_pid`, the NVIDIA driver in
`_proc_nvidia`.
"""

from __future__ import annotations

from engine.control import boot, kernel_image, modules
from engine.control.boot import ChassisPower
from engine.control.module_table import module_specs
from engine.control.processes import load_average, processes
from engine.hostfs.machine import Machine
from engine.hostfs.nodes import Children, Effect, Node, control_file, directory, file, link
from engine.hostfs.realms import PROC
from engine.hostfs.tree import ErrorCode
from engine.hostfs.views import _proc_md
from engine.hostfs.views._proc_cpu import cpuinfo, idle_time, meminfo, stat
from engine.hostfs.views._proc_nvidia import driver_files
from engine.hostfs.views._proc_pid import own_pid, process_directories
from engine.hostfs.views.sys_module import TAINT
from engine.kernel.units import MILLISECOND

MEMORY_FILE_SYSTEMS = ("sysfs", "tmpfs", "proc", "cgroup2", "devtmpfs", "devpts", "nfs4")
FILE_SYSTEMS = "".join(f"nodev\t{name}\n" for name in MEMORY_FILE_SYSTEMS) + "\text4\n\tvfat\n"
SWAPS = "Filename\t\t\t\tType\t\tSize\t\tUsed\t\tPriority\n"
CHARACTER_MAJORS = {
    1: "mem",
    5: "/dev/tty",
    10: "misc",
    195: "nvidia",
    231: "infiniband_verbs",
    234: "nvidia-uvm",
    240: "nvme",
    510: "nvidia-nvswitch",
}
BLOCK_MAJORS = {9: "md", 259: "blkext"}
_CENTISECOND = 10 * MILLISECOND


def uptime(machine: Machine) -> str:
    """Seconds since the boot, and what all CPUs were idle."""
    up = boot.uptime(machine.world, machine.host, machine.now)
    return f"{_hundredths(up // _CENTISECOND)} {_hundredths(idle_time(machine) // _CENTISECOND)}\n"


def load(machine: Machine) -> str:
    """/proc/loadavg."""
    averages = " ".join(_hundredths(value) for value in load_average(machine.world, machine.host, machine.now))
    known = processes(machine.world, machine.host)
    running = max(1, sum(process.cpu_permille >= 1000 for process in known))
    return f"{averages} {running}/{len(known)} {machine.system.next_pid - 1}\n"


def module_lines(machine: Machine) -> str:
    """/proc/modules; addresses are hidden from everybody but root, and from root as well where kptr_restrict says
    so.
    """
    return "".join(_module_line(line) for line in modules.loaded(machine.world, machine.host))


def _module_line(line: modules.LoadedModule) -> str:
    users = "".join(f"{name}," for name in line.used_by) or "-"
    taint = TAINT.get(module_specs()[line.name].origin, "")
    marks = f" ({taint})" if taint else ""
    return f"{line.name} {line.size} {line.refs} {users} Live 0x0000000000000000{marks}\n"


def devices(machine: Machine) -> str:
    """/proc/devices: majors of drivers that are loaded."""
    driver = modules.is_loaded(machine.world, machine.host, "nvidia")
    rdma = bool(machine.node.hcas)
    shown = {
        number: name
        for number, name in CHARACTER_MAJORS.items()
        if (driver or "nvidia" not in name) and (rdma or name != "infiniband_verbs")
    }
    lines = ["Character devices:", *(f"{number:3d} {name}" for number, name in shown.items()), ""]
    return "\n".join([*lines, "Block devices:", *(f"{number:3d} {name}" for number, name in BLOCK_MAJORS.items()), ""])


def sysrq(machine: Machine, content: bytes) -> Effect:
    """/proc/sysrq-trigger: b restarts and o switches off at once; syncing and remounting have nothing to do."""
    letter = content[:1].decode("latin-1")
    if letter in "bo":
        return ChassisPower(machine.host, "reset" if letter == "b" else "off", machine.user)
    return None if letter in "suh" else ErrorCode.NOT_MODELLED


def _hundredths(number: int) -> str:
    return f"{number // 100}.{number % 100:02d}"


def _table(machine: Machine) -> Children:
    pid = own_pid(machine)
    release = kernel_image.running(machine.world, machine.host)
    files: dict[str, Node] = {
        "cmdline": file(lambda m: f"{kernel_image.command_line(m.world, m.host)}\n", 0o444),
        "cpuinfo": file(cpuinfo, 0o444),
        "devices": file(devices, 0o444),
        "filesystems": file(FILE_SYSTEMS, 0o444),
        "loadavg": file(load, 0o444),
        "mdstat": file(_proc_md.mdstat, 0o444),
        "meminfo": file(meminfo, 0o444),
        "modules": file(module_lines, 0o444),
        "partitions": file(_proc_md.partitions, 0o444),
        "stat": file(stat, 0o444),
        "swaps": file(SWAPS, 0o444),
        "sysrq-trigger": control_file(sysrq),
        "uptime": file(uptime, 0o444),
        "version": file(lambda m: f"{kernel_image.banner(kernel_image.running(m.world, m.host))}\n", 0o444),
        "version_signature": file(f"Ubuntu {_package(machine, release)}\n", 0o444),
        "mounts": link("self/mounts"),
        "net": link("self/net"),
        "self": link(str(pid)),
        "thread-self": link(f"{pid}/task/{pid}"),
    }
    return {**files, **driver_files(machine), **process_directories(machine)}


def _package(machine: Machine, release: str) -> str:
    """The kernel's package, as the banner names it at its end."""
    banner = kernel_image.banner(release)
    return banner.rpartition("(Ubuntu ")[2].rstrip(")") or release


DIRECTORY = directory(_table, 0o555, personal=True, realm=PROC)
