"""/usr/lib: libraries by what is installed, kernel modules, firmware, systemd's units, os-release."""

from __future__ import annotations

from engine.control import packages
from engine.hostfs.machine import Machine
from engine.hostfs.nodes import Children, Node, directory, file, link
from engine.hostfs.views import _systemd_units
from engine.hostfs.views._kernel_modules import modules_on_disk
from engine.hostfs.views._programs import binary, package_files
from engine.hostfs.views.etc import lsb_values

LIBRARIES = "x86_64-linux-gnu"
SONAME = ".so.1"
# Libraries of the driver besides those that the package table names.
DRIVER_LIBRARIES = ("libcuda", "libnvidia-ml", "libnvidia-nvvm", "libnvidia-ptxjitcompiler", "libnvidia-opencl")


def os_release(machine: Machine) -> str:
    """/etc/os-release."""
    release = lsb_values(machine)
    full, number, codename = release["DISTRIB_DESCRIPTION"], release["DISTRIB_RELEASE"], release["DISTRIB_CODENAME"]
    fields = {
        "PRETTY_NAME": f'"{full}"',
        "NAME": '"Ubuntu"',
        "VERSION_ID": f'"{number}"',
        "VERSION": f'"{full.removeprefix("Ubuntu ")} ({LONG_NAMES.get(codename, codename)})"',
        "VERSION_CODENAME": codename,
        "ID": "ubuntu",
        "ID_LIKE": "debian",
        "HOME_URL": '"https://www.ubuntu.com/"',
        "SUPPORT_URL": '"https://help.ubuntu.com/"',
        "BUG_REPORT_URL": '"https://bugs.launchpad.net/ubuntu/"',
        "UBUNTU_CODENAME": codename,
        "LOGO": "ubuntu-logo",
    }
    return "".join(f"{name}={text}\n" for name, text in fields.items())


LONG_NAMES = {"focal": "Focal Fossa", "jammy": "Jammy Jellyfish", "noble": "Noble Numbat"}


def _libraries(machine: Machine) -> Children:
    """Files with their version, links by their soname: after an upgrade the links lead to the new version."""
    brought = package_files(machine, f"/usr/lib/{LIBRARIES}")
    found: dict[str, Node] = {path: binary(package) for path, package in brought.items()}
    version = packages.library_version(machine.world, machine.host)
    owner = next((package for package in brought.values() if package.startswith("libnvidia-compute")), None)
    if version and owner:
        for name in DRIVER_LIBRARIES:
            found[f"{name}.so.{version}"] = binary(owner)
            found[f"{name}{SONAME}"] = link(f"{name}.so.{version}")
    return found


def _firmware(machine: Machine) -> Children:
    return {path: binary(package) for path, package in package_files(machine, "/lib/firmware").items()}


def _table(machine: Machine) -> Children:
    return {
        LIBRARIES: directory(_libraries),
        "firmware": directory(_firmware),
        "modules": directory(modules_on_disk),
        "openssh": directory(),
        "os-release": file(os_release),
        "systemd/system": directory(_systemd_units.units_on_disk),
        "systemd/systemd": binary("systemd"),
    }


DIRECTORY = directory(_table, fixed=True)
