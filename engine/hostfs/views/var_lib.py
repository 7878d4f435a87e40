"""/var/lib: what dpkg knows about installed packages, and directories of daemons."""

from __future__ import annotations

from engine.control import packages
from engine.control.package_table import Package
from engine.hostfs.machine import Machine
from engine.hostfs.nodes import Children, directory, file
from engine.hostfs.views._dkms_tree import dkms_tree
from engine.hostfs.views._programs import BINARY, latest_change

SLURM, CHRONY_UID, CHRONY_GID, MUNGE_UID, MUNGE_GID = 64030, 110, 112, 111, 113


def dpkg_status(machine: Machine) -> str:
    """/var/lib/dpkg/status."""
    known = packages.installed(machine.world, machine.host)
    held, waiting = packages.holds(machine.world, machine.host), packages.unfinished(machine.world, machine.host)
    states = {name: "half-configured" if name == waiting[0] else "unpacked" for name in waiting}
    return "\n".join(
        _paragraph(package, package.name in held, states.get(package.name, "installed")) for package in known.values()
    )


def _paragraph(package: Package, held: bool, state: str) -> str:
    fields = {
        "Package": package.name,
        "Status": f"{'hold' if held else 'install'} ok {state}",
        "Section": package.section.rstrip("*"),
        "Architecture": package.architecture,
        "Version": package.version,
        "Description": package.summary,
    }
    return "".join(f"{name}: {text}\n" for name, text in fields.items())


def _table(machine: Machine) -> Children:
    return {
        "apt/lists": directory(),
        "chrony": directory(
            {"chrony.drift": file("           -3.412             0.057\n")}, uid=CHRONY_UID, gid=CHRONY_GID
        ),
        "dkms": directory(dkms_tree),
        "dpkg/status": file(dpkg_status, modified=latest_change),
        "dpkg/info": directory(),
        "logrotate": directory(),
        "munge": directory(mode=0o700, uid=MUNGE_UID, gid=MUNGE_GID),
        "nfs": directory(),
        "shim-signed/mok/MOK.der": file(BINARY),
        "shim-signed/mok/MOK.priv": file(BINARY, 0o600),
        "slurm": directory(uid=SLURM, gid=SLURM),
        "systemd": directory(),
    }


DIRECTORY = directory(_table, fixed=True)
