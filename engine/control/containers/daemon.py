"""dockerd (27.5): its configuration, and what it takes from it when it starts.

/etc/docker/daemon.json is read at start; a mistake in it keeps dockerd down (texts: daemon/config/config.go and Go's
encoding/json; the position of the mistake is Python's parser's, the words for the usual ones are Go's). A runtime is
known only by what was read then, and so is the hook of the NVIDIA container toolkit: dockerd looks for it in PATH once
(daemon/nvidia_linux.go). The cgroup driver is systemd on a host with cgroup v2 unless native.cgroupdriver says
otherwise.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from engine.control import files, packages, service_state
from engine.kernel.events import Event, Handler
from engine.kernel.quick_dataclass import dataclass
from engine.kernel.simulation import Simulation
from engine.world.events import ServiceChanged
from engine.world.world import World

SERVICE = "docker.service"
DAEMON_JSON = "/etc/docker/daemon.json"
TOOLKIT = "nvidia-container-toolkit"
LIBRARY = "libnvidia-container1"
DEFAULT = """{
    "runtimes": {
        "nvidia": {
            "args": [],
            "path": "nvidia-container-runtime"
        }
    }
}
"""
"""What `nvidia-ctk runtime configure --runtime=docker` made of an empty file when the node was installed."""

_KNOWN = frozenset(
    {
        "allow-nondistributable-artifacts", "bip", "bridge", "cgroup-parent", "containerd", "data-root", "debug",
        "default-address-pools", "default-cgroupns-mode", "default-ipc-mode", "default-runtime", "default-shm-size",
        "default-ulimits", "dns", "dns-opts", "dns-search", "exec-opts", "exec-root", "experimental", "features",
        "group", "hosts", "icc", "init", "insecure-registries", "ip", "ip-forward", "ip-masq", "iptables", "ipv6",
        "labels", "live-restore", "log-driver", "log-level", "log-opts", "max-concurrent-downloads", "metrics-addr",
        "mtu", "pidfile", "registry-mirrors", "runtimes", "selinux-enabled", "shutdown-timeout", "storage-driver",
        "storage-opts", "userland-proxy", "userns-remap",
    }
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Settings:
    """What dockerd goes by: the names of its runtimes, the usual one, the cgroup driver, limits and /dev/shm (KiB), and
    whether devices may be asked for by their CDI names.
    """

    runtimes: tuple[str, ...]
    default_runtime: str
    cgroup_driver: str
    memory_lock: int | None
    shm_kib: int
    cdi: bool


def on_disk(world: World, host: str) -> str:
    """The text of daemon.json as it lies there."""
    return files.text(world, host, DAEMON_JSON, DEFAULT)


def mistake(text: str) -> str | None:
    """What dockerd says of a daemon.json that it cannot take, or None."""
    if not text.strip():
        return None
    try:
        document = json.loads(text)
    except json.JSONDecodeError as error:
        return _syntax(text, error)
    if not isinstance(document, dict):
        return "json: cannot unmarshal array into Go value of type map[string]interface {}"
    unknown = sorted(name for name in document if name not in _KNOWN)
    if unknown:
        return f"the following directives don't match any configuration option: {', '.join(unknown)}"
    runtimes = {*document.get("runtimes", {}), "runc", "io.containerd.runc.v2"}
    default = document.get("default-runtime", "runc")
    return None if default in runtimes else f"specified default runtime '{default}' does not exist"


def _syntax(text: str, error: json.JSONDecodeError) -> str:
    """Go's words for a mistake of syntax."""
    character = text[error.pos : error.pos + 1]
    if not character:
        return "unexpected EOF"
    where = {
        "Expecting property name": "looking for beginning of object key string",
        "Illegal trailing comma": "looking for beginning of object key string",
        "Expecting ',' delimiter": "after object key:value pair" if "{" in text else "after array element",
        "Expecting ':' delimiter": "after object key",
        "Extra data": "after top-level value",
    }
    found = next((words for start, words in where.items() if error.msg.startswith(start)), None)
    if error.msg.startswith("Illegal trailing comma"):
        character = text[error.pos + 1 :].lstrip()[:1]
    return f"invalid character '{character}' {found or 'looking for beginning of value'}"


def refusal(world: World, host: str) -> str | None:
    """Why dockerd would not start now, or None."""
    why = mistake(on_disk(world, host))
    if why is None:
        return None
    return f"unable to configure the Docker daemon with file {DAEMON_JSON}: {why}"


def settings(world: World, host: str) -> Settings:
    """What the running dockerd goes by: what it read when it started."""
    read = world.container_hosts[host].configuration
    return parsed(DEFAULT if read is None else read)


def parsed(text: str) -> Settings:
    """The settings of a daemon.json without mistakes."""
    document: Mapping[str, Any] = json.loads(text) if text.strip() else {}
    options = dict(option.partition("=")[::2] for option in document.get("exec-opts", ()))
    lock = document.get("default-ulimits", {}).get("memlock", {}).get("Soft", 8_388_608)
    shm = str(document.get("default-shm-size", "64m"))
    return Settings(
        ("io.containerd.runc.v2", *sorted(document.get("runtimes", {})), "runc"),
        document.get("default-runtime", "runc"),
        options.get("native.cgroupdriver", "systemd"),
        None if lock < 0 else lock // 1024,
        kib(shm),
        bool(document.get("features", {}).get("cdi", False)),
    )


def kib(text: str) -> int:
    """KiB of a size such as 64m, 1g, 8gb or a number of bytes."""
    digits = text.lower().rstrip("bi")
    scale = {"k": 1, "m": 1 << 10, "g": 1 << 20, "t": 1 << 30}.get(digits[-1:], 0)
    return int(float(digits[:-1]) * scale) if scale else int(digits) >> 10


def has_toolkit(world: World, host: str) -> bool:
    """Whether the NVIDIA container toolkit is installed on a host."""
    return TOOLKIT in packages.installed(world, host)


def toolkit_version(world: World, host: str) -> str:
    """The version of the installed toolkit, "" without one."""
    found = packages.installed(world, host).get(TOOLKIT)
    return packages.upstream(found.version) if found else ""


def library_version(world: World, host: str) -> str:
    """The version of the installed libnvidia-container, "" without one."""
    found = packages.installed(world, host).get(LIBRARY)
    return packages.upstream(found.version) if found else ""


def runs(world: World, host: str) -> bool:
    """Whether dockerd answers."""
    return service_state.is_active(world, host, SERVICE)


def _service_changed(simulation: Simulation[World], event: ServiceChanged) -> None:
    """dockerd starts: it reads its file and looks for the hook."""
    if event.unit != SERVICE or not event.active:
        return
    world, host = simulation.world, event.host
    text = on_disk(world, host)
    world.container_hosts.update(host, configuration=None if text == DEFAULT else text, hook=has_toolkit(world, host))


HANDLERS: tuple[tuple[type[Event], Handler], ...] = ((ServiceChanged, _service_changed),)
