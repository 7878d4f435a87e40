"""Containers of a host, the images that it holds, and what its container engine read when it started."""

from __future__ import annotations

from engine.kernel.quick_dataclass import dataclass


@dataclass(frozen=True, slots=True)
class Container:
    """A container. `pid` is its first process on the host (0: it does not run), `gpus` the GPUs that were put into it.

    `engine` is docker or enroot, `runtime` runc or nvidia, `gpu_request` what `--gpus` asked for. `specified` says that
    its devices stand in its OCI specification (CDI, `--device`), `linked` that /dev/char named the GPUs when it
    started, `access` that its device cgroup still allows the GPUs. `binds` are (place on the host, place inside, rw or
    ro), `shm_kib` the size of /dev/shm, `memory_lock` KiB (None: no limit). `stopped` says that somebody ended it by
    hand, `error` why its last start failed. Of enroot: `owner` is the user whose container it is, `driver` whether the
    hook put the driver into it, `home` whether the user's home is mounted, `remap_root` whether the user is root there.
    """

    id: str
    name: str
    image: str
    command: tuple[str, ...]
    created: int
    engine: str = "docker"
    status: str = "created"
    started: int = 0
    finished: int = 0
    exit_code: int = 0
    pid: int = 0
    runtime: str = "runc"
    gpu_request: str = ""
    gpus: tuple[str, ...] = ()
    specified: bool = False
    linked: bool = False
    cgroup_driver: str = "systemd"
    access: bool = True
    devices: tuple[str, ...] = ()
    binds: tuple[tuple[str, str, str], ...] = ()
    environment: tuple[tuple[str, str], ...] = ()
    hostname: str = ""
    directory: str = ""
    network: str = "bridge"
    ipc: str = "private"
    shm_kib: int = 65_536
    memory_lock: int | None = 8_192
    privileged: bool = False
    capabilities: tuple[str, ...] = ()
    restart: str = "no"
    remove: bool = False
    job: int | None = None
    output: str = ""
    stopped: bool = False
    error: str = ""
    owner: str = "root"
    driver: bool = False
    home: bool = False
    remap_root: bool = False


@dataclass(frozen=True, slots=True)
class ContainerHost:
    """What a host's container engines keep.

    `configuration` is the text of daemon.json that dockerd read at its last start (None: what the image has), `hook`
    whether it found the toolkit's hook then; `pulled` are images beside those of the site, `removed` those of the site
    that somebody took away.
    """

    containers: tuple[Container, ...] = ()
    pulled: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    configuration: str | None = None
    hook: bool = True
    made: int = 0
