"""/var/log: what rsyslog, the package manager, Slurm, the fabric manager and opensm write, out of the journal and
the packages' history.

Forms: dpkg.log(5) and apt's history.log of Ubuntu 24.04, Slurm 24.11's log_time=iso8601_ms, captures of a fabric
manager's log and of opensm's.
"""

from __future__ import annotations

from engine.control import journald, kernel_image, service_state
from engine.hostfs.machine import Machine
from engine.hostfs.nodes import Children, Node, directory, file
from engine.hostfs.views import _log_apt, etc_opensm
from engine.hostfs.views._log_files import ADM, LogFile, Worded, files, is_authentication, packed, syslog_line
from engine.kernel.units import MILLISECOND
from engine.world.records import LogEntry, Priority

ROOT, SYSLOG_GID, UTMP, JOURNAL, SLURM = 0, 102, 43, 999, 64030
MUNGE_UID, MUNGE_GID = 111, 113

SYSLOG_FILES = {
    "syslog": LogFile(lambda entry: not is_authentication(entry), syslog_line),
    "kern.log": LogFile(lambda entry: entry.source == "kernel", syslog_line),
    "auth.log": LogFile(is_authentication, syslog_line),
}


def slurm_line(machine: Machine, entry: LogEntry) -> str:
    """A line of a Slurm daemon's own log, which does not name the daemon."""
    stamp = machine.calendar(entry.time).replace(tzinfo=None).isoformat(timespec="milliseconds")
    return f"[{stamp}] {entry.text.removeprefix(entry.source + ': ')}\n"


def fabric_manager_line(machine: Machine, entry: LogEntry) -> str:
    """A line of fabricmanager.log."""
    stamp = machine.calendar(entry.time).strftime("%b %d %Y %H:%M:%S")
    level = "ERROR" if entry.priority.value <= Priority.ERR.value else "INFO"
    return f"[{stamp}] [{level}] [tid {entry.pid or 1}] {entry.text}\n"


def opensm_line(machine: Machine, entry: LogEntry) -> str:
    """A line of opensm.log with its flag: changes of state are for the system's log too (SYS), errors and traps ERROR,
    a duplicated GUID both, the rest INFO.
    """
    moment = machine.calendar(entry.time)
    states, errors = entry.text.startswith(_OPENSM_STATES), _is_error(entry.text)
    flag = f"0x{0x80 * states | 0x01 * errors or 0x02:02x}"
    thread = f"{(entry.pid or 1) * 0x1000 & 0xFFFFFFFF:08X}"
    return f"{moment.strftime('%b %d %H:%M:%S')} {moment.microsecond:06d} [{thread}] {flag} -> {entry.text}\n"


_OPENSM_STATES = ("Entering", "OpenSM", "Exiting SM", "SM port is", "Found remote SM", "report_duplicated")


def _is_error(text: str) -> bool:
    return ": ERR " in text or text.startswith(_OPENSM_ERRORS)


_OPENSM_ERRORS = ("log_trap_info", "Received SMP on", "osm_prtn_make", "parse_part_conf", "Directed Path Dump")


def _program(source: str, worded: Worded, owner: int = ROOT) -> LogFile:
    return LogFile(lambda entry: entry.source == source, worded, 0o644, owner, owner, rotated=False)


def boot_messages(machine: Machine, index: int) -> str:
    """/var/log/dmesg: the kernel's messages of a boot up to the moment when dmesg.service kept them."""
    boot = journald.boots(machine.world, machine.host)[index - 1]
    entries = journald.kernel_entries(machine.world, machine.host, boot.start, boot.start + KEPT_AFTER)
    return "".join(f"[{_since(entry, boot)}] kernel: {entry.text}\n" for entry in entries)


KEPT_AFTER = 40_000 * MILLISECOND


def _since(entry: LogEntry, boot: journald.Boot) -> str:
    seconds, rest = divmod((entry.time - boot.start) // 1000, 1_000_000)
    return f"{seconds:5d}.{rest:06d}"


def _dmesg_files(machine: Machine) -> dict[str, Node]:
    boots = journald.boots(machine.world, machine.host)
    whole = [index for index in range(len(boots)) if index or len(boots) == 1]
    found: dict[str, Node] = {}
    for age, index in enumerate(reversed(whole)):
        name = "dmesg" if age == 0 else f"dmesg.{age - 1}" if age == 1 else f"dmesg.{age - 1}.gz"
        found[name] = _dmesg(index + 1, boots[index].start + KEPT_AFTER, compressed=age > 1)
    return dict(list(found.items())[:6])


def _dmesg(number: int, kept_at: int, compressed: bool) -> Node:
    def content(machine: Machine) -> bytes:
        plain = boot_messages(machine, number).encode()
        return packed(plain) if compressed else plain

    return file(content, 0o640, gid=ADM, modified=lambda _: kept_at)


def _table(machine: Machine) -> Children:
    table: dict[str, Node] = {}
    for name, kind in SYSLOG_FILES.items():
        table |= files(machine, name, kind)
    table |= _dmesg_files(machine)
    table |= _log_apt.files(machine)
    table |= {
        "btmp": file(b"", 0o660, gid=UTMP),
        "lastlog": file(b"", 0o664, gid=UTMP),
        "wtmp": file(b"", 0o664, gid=UTMP),
        "journal": directory(
            {kernel_image.machine_id(machine.inventory, machine.host): _journal()}, 0o2755, gid=JOURNAL
        ),
        "chrony": directory(mode=0o750, uid=110, gid=112),
        "private": directory(mode=0o700),
    }
    return {**table, **_cluster(machine)}


def _journal() -> Node:
    """The journal's own files; journalctl reads them, and nothing else does."""
    return directory({"system.journal": file(b"LPKSHHRH", 0o640, gid=JOURNAL)}, 0o2755, gid=JOURNAL)


def _cluster(machine: Machine) -> dict[str, Node]:
    """Logs of the cluster's daemons, which write them themselves and never rotate them."""
    table: dict[str, Node] = {}
    if machine.inventory.partitions:
        table["slurm"] = directory(_slurm_logs, uid=SLURM, gid=SLURM)
        log = file(_munge_log, 0o640, uid=MUNGE_UID, gid=MUNGE_GID, modified=_munge_log_time)
        table["munge"] = directory({"munged.log": log}, 0o700, uid=MUNGE_UID, gid=MUNGE_GID)
    if machine.node.nvswitches:
        table |= files(machine, "fabricmanager.log", _program("nv-fabricmanager", fabric_manager_line))
    if machine.node.gpus:
        table["nvidia-dcgm"] = directory({"nv-hostengine.log": file("")})
    if etc_opensm.present(machine):
        table |= files(machine, "opensm.log", _program("OpenSM", opensm_line))
    return table


def _munge_log(machine: Machine) -> str:
    """What munged has written since the site's start (log.c of munge: the time with its zone, then the line)."""
    lines = machine.world.munge[machine.host].log
    return "".join(f"{machine.calendar(time):%Y-%m-%d %H:%M:%S %z} {text}\n" for time, text in lines)


def _munge_log_time(machine: Machine) -> int:
    lines = machine.world.munge[machine.host].log
    return lines[-1][0] if lines else machine.booted


def _slurm_logs(machine: Machine) -> Children:
    found: dict[str, Node] = {}
    for name, owner in (("slurmctld", SLURM), ("slurmdbd", SLURM), ("slurmd", ROOT)):
        if service_state.find(machine.world, machine.host, name):
            found |= files(machine, f"{name}.log", _program(name, slurm_line, owner))
    return found


DIRECTORY = directory(_table, 0o775, gid=SYSLOG_GID)
