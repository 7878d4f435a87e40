"""/sys/module: what is loaded, by Linux 6.8's kernel/module/sysfs.c. Versions are those of the memory, not of the
files on disk.
"""

from __future__ import annotations

from engine.control import modules
from engine.control.module_table import module_specs
from engine.control.modules import LoadedModule
from engine.hostfs.machine import Machine
from engine.hostfs.nodes import Children, Node, directory, file, link
from engine.hostfs.realms import SYSFS
from engine.world.inventory import stable_hexadecimal

TAINT = {"nvidia": "OE", "ofed": "OE", "kernel": ""}
# Parameters that people look at, with the values that the site's modprobe.d gives.
PARAMETERS = {
    "nvidia_drm": {"modeset": "Y", "fbdev": "Y"},
    "nvme_core": {"io_timeout": "30", "admin_timeout": "60"},
    "mlx5_core": {"prof_sel": "2", "probe_vf": "Y"},
    "bonding": {"max_bonds": "0", "miimon": "0"},
}


def _modules(machine: Machine) -> Children:
    return {line.name: _module(line) for line in modules.loaded(machine.world, machine.host)}


def _module(line: LoadedModule) -> Node:
    return directory(lambda machine: _files(line))


def _files(line: LoadedModule) -> Children:
    origin = module_specs()[line.name].origin
    texts = {
        "coresize": str(line.size),
        "initsize": "0",
        "initstate": "live",
        "refcnt": str(line.refs),
        "taint": TAINT.get(origin, ""),
        "srcversion": stable_hexadecimal(23, line.name, line.version or "").upper(),
    }
    if line.version:
        texts["version"] = line.version
    holders: dict[str, Node] = {name: link(f"../../{name}") for name in line.used_by}
    files: dict[str, Node] = {name: file(f"{text}\n", 0o444) for name, text in texts.items()}
    known = PARAMETERS.get(line.name, {})
    parameters: dict[str, Node] = {f"parameters/{name}": file(f"{value}\n", 0o444) for name, value in known.items()}
    return {**files, **parameters, "holders": directory(holders)}


DIRECTORY = directory(_modules, realm=SYSFS)
