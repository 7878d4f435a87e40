"""DKMS's own files: /var/lib/dkms with what was built and the log of each build, and the sources in /usr/src."""

from __future__ import annotations

from engine.control import dkms, kernels, packages
from engine.hostfs.machine import Machine
from engine.hostfs.nodes import Children, Node, directory, file, link
from engine.hostfs.views._programs import BINARY, brought_by


def dkms_tree(machine: Machine) -> Children:
    """/var/lib/dkms: a directory for each version, below it one for each kernel."""
    world, host = machine.world, machine.host
    source = dkms.source_version(world, host)
    found: dict[str, Node] = {}
    if source is None:
        return found
    found[f"{dkms.NVIDIA}/{source}/source"] = link(f"/usr/src/nvidia-{source}")
    for release in kernels.installed(world, host):
        made = dkms.build(world, host, release)
        if made is None:
            continue
        folder = f"{dkms.NVIDIA}/{made.version}/{release}/x86_64"
        found[f"{folder}/log/make.log"] = file(_log(made.version, release), modified=brought_by("dkms"))
        found |= {f"{folder}/module/{name}.ko.zst": file(BINARY) for name in dkms.MODULE_FILES}
        if made.state == "installed":
            found[f"{dkms.NVIDIA}/kernel-{release}-x86_64"] = link(f"{made.version}/{release}/x86_64")
    return found


def sources(machine: Machine) -> Children:
    """/usr/src: headers of kernels, sources of modules."""
    world, host = machine.world, machine.host
    names = [name for name in packages.installed(world, host) if name.startswith(kernels.HEADERS)]
    found: dict[str, Node] = {name: directory({"Makefile": file("")}) for name in names}
    source = dkms.source_version(world, host)
    if source:
        found[f"nvidia-{source}/dkms.conf"] = file(_configuration(source))
    return found


def _log(version: str, release: str) -> str:
    """What a build that went well leaves: its first lines and its end."""
    place = f"/var/lib/dkms/nvidia/{version}/build"
    objects = "".join(f"  LD [M]  {place}/{name}.ko\n" for name in dkms.MODULE_FILES)
    return (
        f"DKMS make.log for nvidia-{version} for kernel {release} (x86_64)\n"
        f"make[1]: Entering directory '/usr/src/linux-headers-{release}'\n{objects}"
        f"make[1]: Leaving directory '/usr/src/linux-headers-{release}'\n"
    )


def _configuration(version: str) -> str:
    """dkms.conf, as nvidia-kernel-source brings it."""
    lines = [f'PACKAGE_NAME="nvidia"\nPACKAGE_VERSION="{version}"\nCLEAN="make clean"\nAUTOINSTALL="yes"\n']
    for number, name in enumerate(dkms.MODULE_FILES):
        lines.append(f'BUILT_MODULE_NAME[{number}]="{name}"\nDEST_MODULE_LOCATION[{number}]="/updates/dkms"\n')
    return "".join(lines)
