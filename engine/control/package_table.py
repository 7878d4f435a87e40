"""The packages that a host was installed with, from tables/packages.txt and the site's software versions.

NVIDIA's driver packages are those of the Ubuntu 24.04 archive: version `590.48.01-0ubuntu0.24.04.1`, one name per
branch, kernel modules built by DKMS; the fabric manager is a source package of its own and may lag behind.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from engine.control import kernel_image
from engine.control.tables import rows
from engine.kernel.quick_dataclass import dataclass
from engine.world.inventory import Inventory, Node

_UBUNTU_REVISION = "-0ubuntu0.24.04.1"


@dataclass(frozen=True, slots=True)
class Package:
    """An installed package. `family` is driver or fabric for packages that follow the NVIDIA driver's version."""

    name: str
    version: str
    architecture: str
    section: str
    summary: str
    files: tuple[str, ...] = ()
    family: str = ""


def base_packages(inventory: Inventory, host: str) -> Mapping[str, Package]:
    """What `host` was installed with, by name."""
    return inventory.once(("packages", host), lambda: MappingProxyType(_base(inventory, inventory.node(host))))


def driver_branch(version: str) -> str:
    """590 of 590.48.01."""
    return version.partition(".")[0]


def driver_package_version(driver: str) -> str:
    """The Ubuntu package version of a driver version; one that has a revision already is returned as it is."""
    return driver if "-" in driver else driver + _UBUNTU_REVISION


def upstream(version: str) -> str:
    """590.48.01 of 590.48.01-0ubuntu0.24.04.1, 4.4.2 of 1:4.4.2-1."""
    return version.rpartition(":")[2].partition("-")[0]


def _base(inventory: Inventory, node: Node) -> dict[str, Package]:
    words = _words(inventory)
    present = {
        "all": True,
        "gpu": bool(node.gpus),
        "rdma": bool(node.hcas),
        "head": node.role == "head",
        "compute": node.role != "head",
        "slurm": "slurm" in node.clusters,
        "slurm-head": "slurm" in node.clusters and node.role == "head",
        "slurm-compute": "slurm" in node.clusters and node.role not in ("head", "service"),
        "slurmctld": "slurm" in node.clusters and node.role in ("head", "service"),
        "kubernetes": "kubernetes" in node.clusters,
        "kubectl": inventory.kubernetes is not None and ("kubernetes" in node.clusters or node.role == "head"),
        "containerd": bool(node.gpus) or "kubernetes" in node.clusters,
        "docker": bool(node.gpus) and "kubernetes" not in node.clusters,
        "nvlink5": bool(node.gpus) and node.gpus[0].product.architecture == "Blackwell",
    }
    packages = [_package(cells, words) for cells in rows("packages") if present[cells[0].split()[2]]]
    return {package.name: package for package in sorted(packages, key=lambda package: package.name)}


def _package(cells: tuple[str, ...], words: Mapping[str, str]) -> Package:
    name, version, _, section = cells[0].split()
    family = {"{driver_package}": "driver", "{fabric_package}": "fabric"}.get(version, "")
    files = tuple(path.format_map(words) for path in cells[2].split())
    architecture = "all" if section.endswith("*") else "amd64"
    return Package(
        name.format_map(words),
        version.format_map(words),
        architecture,
        section.rstrip("*"),
        cells[1].format_map(words),
        files,
        family,
    )


def _words(inventory: Inventory) -> Mapping[str, str]:
    """What the braces of the table stand for."""
    software, kernel = inventory.software, kernel_image.release(inventory)
    driver = software.get("driver", "0")
    base, _, abi = kernel.removesuffix("-generic").partition("-")
    ofed = software.get("ofed", "24.10-1.1.4")
    return {
        **software,
        "driver": driver,
        "branch": driver_branch(driver),
        "driver_package": driver_package_version(driver),
        "fabric_package": driver_package_version(software.get("fabric_manager", driver)),
        "kernel": kernel,
        "kernel_base": f"{base}-{abi}",
        "kernel_package": f"{base}-{abi}.{int(abi) + 1 if abi.isdigit() else 1}",
        "ofed_module": f"{ofed.partition('-')[0]}.OFED.{ofed.replace('-', '.')}-1",
        "slurm": software.get("slurm", "24.11.5"),
        "kubernetes": software.get("kubernetes", "1.32.4"),
        "containerd": software.get("containerd", "1.7.25"),
        "dcgm": software.get("dcgm", "4.4.2"),
        "mft": software.get("mft", "4.30.1"),
        "opensm": software.get("opensm", "5.21.12"),
        "nccl": software.get("nccl", "2.28.9"),
        "cuda": software.get("cuda", "13.1"),
    }
