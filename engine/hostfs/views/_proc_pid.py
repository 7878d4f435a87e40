"""/proc/PID in a first form, by Linux 6.8's fs/proc: what a process is called, whose it is, its state and memory,
its environment.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from engine.control import accounts, limits
from engine.control.accounts import Account, Identity
from engine.control.containers import CONTAINER
from engine.control.cpu_times import cpu_used
from engine.control.process_table import is_kernel_thread
from engine.control.processes import processes
from engine.hostfs import mounts
from engine.hostfs.machine import Machine
from engine.hostfs.nodes import Children, Node, directory, file, link
from engine.hostfs.realms import PROC_PID
from engine.hostfs.views._cpu_sets import cpu_count
from engine.hostfs.views._proc_cpu import TICKS
from engine.hostfs.views._proc_net import net_files
from engine.kernel.units import SECOND
from engine.world.records import Process

LONGEST_NAME = 15
PAGE_KIB = 4
STATES = {"R": "running", "S": "sleeping", "D": "disk sleep", "T": "stopped", "Z": "zombie", "I": "idle"}
Shown = Callable[[Machine, Process], str]


def process_directories(machine: Machine) -> dict[str, Node]:
    """One directory for each process, and one for the shell that looks. Like every table, they are made anew when
    the world changes.
    """
    known = {process.pid: process for process in processes(machine.world, machine.host)}
    own = own_pid(machine)
    people = {account.name: account for account in accounts.accounts(machine.inventory)}
    found = {str(pid): _directory(process, people.get(process.user)) for pid, process in known.items()}
    if own not in known:
        shell = Process(own, 1, machine.user, "-bash", machine.now, state="Ss")
        found[str(own)] = _directory(shell, people.get(shell.user), personal=True)
    return found


def own_pid(machine: Machine) -> int:
    """What /proc/self means: the shell's pid, or that of the user's latest login, or the next one that would be
    given.
    """
    if machine.shell is not None:
        return machine.shell
    mine = [process.pid for process in machine.system.processes if process.user == machine.user and process.terminal]
    return max(mine, default=machine.system.next_pid)


def _directory(process: Process, account: Account | None, personal: bool = False) -> Node:
    uid, gid = (account.uid, account.gid) if account else (0, 0)
    table, started = _Table(process, uid, gid), lambda _: process.started
    return directory(table, 0o555, uid=uid, gid=gid, personal=personal, realm=PROC_PID, modified=started)


@dataclass(frozen=True, slots=True)
class _Table:
    """The table of a process's directory."""

    process: Process
    uid: int
    gid: int

    def __call__(self, _machine: Machine) -> Children:
        return {
            **{name: self._file(shown) for name, shown in _FILES.items()},
            "environ": self._file(_environment, 0o400),
            "mounts": file(mount_lines, 0o444, uid=self.uid, gid=self.gid),
            "fd": directory(
                {str(number): link(self._stream) for number in range(3)}, 0o500, uid=self.uid, gid=self.gid
            ),
            "task": directory({str(self.process.pid): directory({"comm": self._file(_name)}, 0o555)}, 0o555),
            "net": directory(net_files(), 0o555),
            "root": link("/"),
        }

    @property
    def _stream(self) -> str:
        """Where the standard streams lead."""
        return f"/dev/{self.process.terminal}" if self.process.terminal else "/dev/null"

    def _file(self, shown: Shown, mode: int = 0o444) -> Node:
        return file(lambda machine: shown(machine, self.process), mode, uid=self.uid, gid=self.gid)


def _identity(machine: Machine, user: str) -> Identity | None:
    """The account of a process, if it is one of the host's."""
    known = any(account.name == user for account in accounts.accounts(machine.inventory))
    return accounts.identity(machine.inventory, user) if known else None


def mount_lines(machine: Machine) -> str:
    """/proc/mounts."""
    return "".join(f"{each.source} {each.target} {each.kind} {each.options} 0 0\n" for each in mounts.mounts(machine))


def name_of(process: Process) -> str:
    """The name that the kernel keeps: of a thread, or of the program."""
    if process.command.startswith("["):
        return process.command.strip("[]")[:LONGEST_NAME]
    word = process.command.split()[0] if process.command.split() else ""
    return word.rstrip(":").lstrip("-").rpartition("/")[2][:LONGEST_NAME]


def _name(_machine: Machine, process: Process) -> str:
    return f"{name_of(process)}\n"


def _command_line(_machine: Machine, process: Process) -> str:
    """Words with NUL between them; kernel threads have none."""
    if is_kernel_thread(process):
        return ""
    return "\0".join(process.command.split()) + "\0"


def _environment(machine: Machine, process: Process) -> str:
    """What the model knows of a process's environment: the user's, and the job's."""
    identity = _identity(machine, process.user)
    if is_kernel_thread(process) or identity is None:
        return ""
    known = {
        "HOME": identity.home,
        "LOGNAME": identity.name,
        "PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
        "USER": identity.name,
    }
    if process.job is not None:
        known |= {"SLURM_JOB_ID": str(process.job), "SLURM_JOB_USER": identity.name, "SLURMD_NODENAME": machine.host}
    if process.gpus:
        known["CUDA_VISIBLE_DEVICES"] = ",".join(map(str, process.gpus))
    known |= dict(process.environment)
    return "".join(f"{name}={value}\0" for name, value in known.items() if name != CONTAINER)


def _cgroup(machine: Machine, process: Process) -> str:
    if is_kernel_thread(process):
        return "0::/\n"
    if process.job is not None:
        return f"0::/system.slice/slurmstepd.scope/job_{process.job}/step_0/user/task_0\n"
    if process.unit == "init.scope":
        return "0::/init.scope\n"
    if process.unit:
        return f"0::/system.slice/{process.unit}\n"
    identity = _identity(machine, process.user)
    uid = identity.uid if identity else 0
    return f"0::/user.slice/user-{uid}.slice/session-1.scope\n"


_LIMITS = (
    ("cpu time", "seconds", "t"), ("file size", "bytes", "f"), ("data size", "bytes", "d"),
    ("stack size", "bytes", "s"), ("core file size", "bytes", "c"), ("resident set", "bytes", "m"),
    ("processes", "processes", "u"), ("open files", "files", "n"), ("locked memory", "bytes", "l"),
    ("address space", "bytes", "v"), ("file locks", "locks", "x"), ("pending signals", "signals", "i"),
    ("msgqueue size", "bytes", "q"), ("nice priority", "", "e"), ("realtime priority", "", "r"),
    ("realtime timeout", "us", "R"),
)  # fmt: skip
"""Names, units and order of fs/proc/base.c, and the letter of bash's ulimit."""
_SCALES = {resource.letter: resource.scale for resource in limits.RESOURCES}


def _in_session(machine: Machine, process: Process) -> bool:
    """Whether a person's login started it."""
    if process.unit:
        return process.unit.startswith("session-")
    return not is_kernel_thread(process) and _identity(machine, process.user) is not None


def _limits(machine: Machine, process: Process) -> str:
    """A process of a login has what a login of its user gets now, one of a job what slurmd gives it."""
    if process.job is not None:
        found = limits.of_unit(machine.world, machine.host, "slurmd.service")
    elif _in_session(machine, process):
        found = limits.of_login(machine.world, machine.host, process.user)
    else:
        found = limits.of_unit(machine.world, machine.host, process.unit or "")
    lines = [f"{'Limit':<25} {'Soft Limit':<20} {'Hard Limit':<20} {'Units':<10}"]
    for name, unit, letter in _LIMITS:
        scale, limit = _SCALES[letter], found[letter]
        soft, hard = ("unlimited" if side is None else str(side * scale) for side in (limit.soft, limit.hard))
        lines.append(f"{'Max ' + name:<25} {soft:<20} {hard:<20} {unit:<10}")
    return "\n".join(lines) + "\n"


def _status(machine: Machine, process: Process) -> str:
    identity = _identity(machine, process.user)
    uid, gid = (identity.uid, identity.gid) if identity else (0, 0)
    letter = process.state[:1]
    lines = [
        f"Name:\t{name_of(process)}",
        "Umask:\t0022",
        f"State:\t{letter} ({STATES.get(letter, 'sleeping')})",
        f"Tgid:\t{process.pid}",
        "Ngid:\t0",
        f"Pid:\t{process.pid}",
        f"PPid:\t{process.parent}",
        "TracerPid:\t0",
        "Uid:\t" + "\t".join([str(uid)] * 4),
        "Gid:\t" + "\t".join([str(gid)] * 4),
        "FDSize:\t64",
        "Groups:\t" + "".join(f"{number} " for number in sorted(identity.group_ids if identity else ())),
    ]
    if not is_kernel_thread(process):
        lines += [f"VmPeak:\t{process.virtual_kib:>8} kB", f"VmSize:\t{process.virtual_kib:>8} kB"]
        lines += [
            "VmLck:\t       0 kB",
            f"VmHWM:\t{process.resident_kib:>8} kB",
            f"VmRSS:\t{process.resident_kib:>8} kB",
        ]
    every = cpu_count(machine.node)
    lines += [
        "Threads:\t1",
        f"Cpus_allowed_list:\t{process.cpus or f'0-{every - 1}'}",
        f"Mems_allowed_list:\t0-{machine.node.cpu.sockets - 1}",
    ]
    return "\n".join(lines) + "\n"


def _stat(machine: Machine, process: Process) -> str:
    """The 52 fields of proc(5); those that are not modelled are 0."""
    used = cpu_used(process, machine.now) * TICKS // SECOND
    start = max(0, process.started - machine.booted) * TICKS // SECOND
    fields = [0] * 52
    fields[3:8] = [process.parent, process.pid, process.pid, 0, -1]
    fields[13:15] = [used * 5 // 6, used // 6]
    fields[17:20] = [20 + process.nice, process.nice, 1]
    fields[21:25] = [start, process.virtual_kib * 1024, process.resident_kib // PAGE_KIB, 2**64 - 1]
    return f"{process.pid} ({name_of(process)}) {process.state[:1]} " + " ".join(map(str, fields[3:])) + "\n"


_FILES: dict[str, Shown] = {
    "cgroup": _cgroup,
    "cmdline": _command_line,
    "comm": _name,
    "limits": _limits,
    "oom_score": lambda _machine, _process: "0\n",
    "stat": _stat,
    "status": _status,
}
