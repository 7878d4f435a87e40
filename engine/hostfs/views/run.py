"""/run: memory of the running system: the resolver's settings, process ids of daemons, directories of logged-in
users.
"""

from __future__ import annotations

from collections.abc import Callable

from engine.control import logins, service_state
from engine.control.containers import daemon, toolkit
from engine.hostfs.machine import Machine
from engine.hostfs.nodes import Children, Node, directory, file, link
from engine.hostfs.realms import MEMORY
from engine.physics.load import bound_gpus

PID_FILES = {
    "chrony.service": "chrony/chronyd.pid",
    "cron.service": "crond.pid",
    "munge.service": "munge/munged.pid",
    "nvidia-fabricmanager.service": "nvidia-fabricmanager/nv-fabricmanager.pid",
    "nvidia-persistenced.service": "nvidia-persistenced/nvidia-persistenced.pid",
    "opensm.service": "opensm.pid",
    "rsyslog.service": "rsyslogd.pid",
    "slurmctld.service": "slurmctld.pid",
    "slurmd.service": "slurmd.pid",
    "ssh.service": "sshd.pid",
}


def resolver(machine: Machine) -> str:
    """The stub resolver's settings."""
    return f"nameserver 127.0.0.53\noptions edns0 trust-ad\nsearch {machine.inventory.domain}\n"


def _pid_files(machine: Machine) -> dict[str, Node]:
    found: dict[str, Node] = {}
    for unit, path in PID_FILES.items():
        state = service_state.service(machine.world, machine.host, unit)
        if state.active and state.pid:
            found[path] = file(f"{state.pid}\n", modified=_since(state.since))
    return found


def _since(time: int) -> Callable[[Machine], int]:
    return lambda _machine: time


def _users(machine: Machine) -> Children:
    names = {login.user for login in logins.sessions(machine.world, machine.host)}
    users = [user for user in machine.inventory.users if user.name in names]
    return {str(user.uid): directory(mode=0o700, uid=user.uid, gid=user.uid) for user in users}


def _cdi(machine: Machine) -> dict[str, Node]:
    """The CDI specification that the toolkit's service writes at each boot: its devices alone."""
    if not toolkit.cdi_there(machine.world, machine.host):
        return {}
    devices = "".join(f'    - name: "{index}"\n' for index, _ in enumerate(bound_gpus(machine.world, machine.host)))
    text = f"---\ncdiVersion: 0.5.0\nkind: {toolkit.CDI_KIND}\ndevices:\n{devices}    - name: all\n"
    return {"cdi/nvidia.yaml": file(text)}


def _table(machine: Machine) -> Children:
    return {
        **({"docker.sock": file("", mode=0o660)} if daemon.runs(machine.world, machine.host) else {}),
        **_cdi(machine),
        "lock": directory(mode=0o1777),
        "shm": link("/dev/shm"),
        "sshd": directory(),
        "sudo": directory(mode=0o711),
        "systemd/journal": directory(),
        "systemd/resolve": directory(
            {"stub-resolv.conf": file(resolver), "resolv.conf": file(resolver)}, uid=992, gid=992
        ),
        "user": directory(_users),
        **_pid_files(machine),
    }


DIRECTORY = directory(_table, realm=MEMORY)
