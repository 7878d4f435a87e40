"""/dev: device nodes with Linux's numbers (Documentation/admin-guide/devices.txt) and udev's owners.

NVIDIA's nodes: major 195, GPUs by the driver's minor numbers, 255 the control node; NVSwitch and capabilities have
dynamic majors. Devices without end can't be read whole: /dev/zero, /dev/full and /dev/urandom give a piece; random
bytes follow from seed, host and time.
"""

from __future__ import annotations

from dataclasses import replace
from hashlib import shake_256

from engine.control import accounts, logins, modules
from engine.control.containers import device_cgroup
from engine.control.history.boot_driver import NVSWITCH_MAJOR, UVM_MAJOR
from engine.hostfs.machine import Machine
from engine.hostfs.nodes import Children, Effect, Node, block_device, character_device, directory, link
from engine.hostfs.realms import MEMORY
from engine.hostfs.tree import ErrorCode, FileError
from engine.hostfs.views._sys_infiniband import UMAD_FIRST_MINOR, UVERBS_FIRST_MINOR, UVERBS_MAJOR, device_number
from engine.hostfs.views._sys_nvme import BLOCK_MAJOR, NVME_MAJOR, number
from engine.hostfs.views._sys_pci import rdma_devices
from engine.physics.load import bound_gpus

PIECE = 1 << 18
NVIDIA_MAJOR, NVIDIA_CONTROL, NVIDIA_MODESET = 195, 255, 254
NVSWITCH_CONTROL, CAPABILITIES_MAJOR = 255, 509
TTY, DISK, KVM = 5, 6, 993
MEMORY_MAJOR, TTY_MAJOR, MISC_MAJOR = 1, 5, 10
MD_MAJOR, PTS_MAJOR = 9, 136


def _swallow(_machine: Machine, _content: bytes) -> Effect:
    return None


def _full(_machine: Machine, _content: bytes) -> Effect:
    return ErrorCode.NO_SPACE


def random_bytes(machine: Machine) -> bytes:
    """A piece of the kernel's random bytes."""
    name = f"{machine.world.seed}/{machine.host}/urandom/{machine.now}/{machine.world.generation}"
    return shake_256(name.encode()).digest(PIECE)


def _not_modelled(_machine: Machine) -> str:
    raise FileError(ErrorCode.NOT_MODELLED)


def _terminals(machine: Machine) -> Children:
    """Pseudo-terminals of the sessions that last; what is written to one is seen by nobody."""
    found = {"ptmx": character_device(TTY_MAJOR, 2, 0o000)}
    people = {account.name: account.uid for account in accounts.accounts(machine.inventory)}
    for session in logins.sessions(machine.world, machine.host):
        kind, _, number = session.terminal.rpartition("/")
        if kind == "pts":
            found[number] = terminal(int(number), people.get(session.user, 0))
    return found


def terminal(number: int, uid: int) -> Node:
    """A pseudo-terminal of a user."""
    return replace(character_device(PTS_MAJOR, number, 0o620, TTY, on_write=_swallow), uid=uid)


def _general() -> Children:
    zeros = bytes(PIECE)
    return {
        "null": character_device(MEMORY_MAJOR, 3, content=lambda _: b"", on_write=_swallow),
        "zero": character_device(MEMORY_MAJOR, 5, content=lambda _: zeros, on_write=_swallow),
        "full": character_device(MEMORY_MAJOR, 7, content=lambda _: zeros, on_write=_full),
        "random": character_device(MEMORY_MAJOR, 8, content=random_bytes, on_write=_swallow),
        "urandom": character_device(MEMORY_MAJOR, 9, content=random_bytes, on_write=_swallow),
        "kmsg": character_device(MEMORY_MAJOR, 11, 0o644, content=_not_modelled),
        "tty": character_device(TTY_MAJOR, 0, gid=TTY),
        "console": character_device(TTY_MAJOR, 1, 0o600, TTY),
        "ptmx": character_device(TTY_MAJOR, 2, gid=TTY),
        "fuse": character_device(MISC_MAJOR, 229),
        "kvm": character_device(MISC_MAJOR, 232, 0o660, KVM),
        "ipmi0": character_device(238, 0, 0o600),
        "cpu_dma_latency": character_device(MISC_MAJOR, 124, 0o600),
        "shm": directory(mode=0o1777),
        "pts": directory(_terminals),
        "mqueue": directory(mode=0o1777),
        "hugepages": directory(),
        "fd": link("/proc/self/fd"),
        "stdin": link("/proc/self/fd/0"),
        "stdout": link("/proc/self/fd/1"),
        "stderr": link("/proc/self/fd/2"),
        "log": link("/run/systemd/journal/dev-log"),
    }


def _drives(machine: Machine) -> dict[str, Node]:
    found: dict[str, Node] = {}
    boot = [drive for drive in machine.node.drives if drive.purpose == "boot"]
    for drive in machine.node.drives:
        minor = number(drive)
        found[drive.name] = character_device(NVME_MAJOR, minor, 0o600)
        found[f"{drive.name}n1"] = block_device(BLOCK_MAJOR, minor, DISK)
    for index, drive in enumerate(boot):
        for part in (1, 2):
            minor = len(machine.node.drives) + 2 * index + part
            found[f"{drive.name}n1p{part}"] = block_device(BLOCK_MAJOR, minor, DISK)
    arrays = (len(boot) > 1, any(drive.purpose == "data" for drive in machine.node.drives))
    return found | {f"md{index}": block_device(MD_MAJOR, index, DISK) for index, there in enumerate(arrays) if there}


def _nvidia(machine: Machine) -> dict[str, Node]:
    """Nodes that nvidia-modprobe made for the devices of the loaded driver; their minors count the GPUs that it
    holds.
    """
    world, host = machine.world, machine.host
    if not modules.is_loaded(world, host, "nvidia"):
        return {}
    gpus = range(len(bound_gpus(world, host)))
    found = {f"nvidia{minor}": character_device(NVIDIA_MAJOR, minor) for minor in gpus}
    found |= {"nvidiactl": character_device(NVIDIA_MAJOR, NVIDIA_CONTROL)}
    capabilities = {
        f"nvidia-cap{minor}": character_device(CAPABILITIES_MAJOR, minor, 0o400 if minor == 1 else 0o444)
        for minor in (1, 2)
    }
    found |= {"nvidia-caps": directory(capabilities)}
    if modules.is_loaded(world, host, "nvidia_modeset"):
        found["nvidia-modeset"] = character_device(NVIDIA_MAJOR, NVIDIA_MODESET)
    if modules.is_loaded(world, host, "nvidia_uvm"):
        found |= {"nvidia-uvm": character_device(UVM_MAJOR, 0), "nvidia-uvm-tools": character_device(UVM_MAJOR, 1)}
    switches = machine.node.nvswitches
    if switches:
        found["nvidia-nvswitchctl"] = character_device(NVSWITCH_MAJOR, NVSWITCH_CONTROL)
        found |= {f"nvidia-nvswitch{chip.index}": character_device(NVSWITCH_MAJOR, chip.index) for chip in switches}
    return found


def _infiniband(machine: Machine) -> Children:
    """What the modules ib_uverbs, ib_umad and rdma_ucm make for each RDMA device."""
    found: dict[str, Node] = {}
    loaded = {name: modules.is_loaded(machine.world, machine.host, name) for name in ("ib_uverbs", "ib_umad")}
    for hca in rdma_devices(machine):
        index = device_number(hca.name)
        if loaded["ib_uverbs"]:
            found[f"uverbs{index}"] = character_device(UVERBS_MAJOR, UVERBS_FIRST_MINOR + index)
        if loaded["ib_umad"]:
            found[f"umad{index}"] = character_device(UVERBS_MAJOR, UMAD_FIRST_MINOR + index, 0o600)
            found[f"issm{index}"] = character_device(UVERBS_MAJOR, 64 + index, 0o600)
    if modules.is_loaded(machine.world, machine.host, "rdma_ucm"):
        found["rdma_cm"] = character_device(MISC_MAJOR, 58)
    return found


def _numbered(machine: Machine) -> Children:
    """Links by number. udev makes none for NVIDIA's devices, whose modules do not register with sysfs, unless a rule
    says so; those of other devices are left out.
    """
    if not device_cgroup.by_rule(machine.world, machine.host):
        return {}
    return {name: link(target) for name, target in device_cgroup.link_targets(machine.world, machine.host).items()}


def _table(machine: Machine) -> Children:
    folders = {"infiniband": directory(_infiniband), "char": directory(_numbered)}
    return {**_general(), **_drives(machine), **_nvidia(machine), **folders}


DIRECTORY = directory(_table, realm=MEMORY)
