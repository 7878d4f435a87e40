"""The running system of a host: packages, services, processes, logins, and files that people changed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from types import MappingProxyType

from engine.kernel.quick_dataclass import dataclass


@dataclass(frozen=True, slots=True)
class PackageChange:
    """A transaction of the package manager, as /var/log/apt/history.log tells it."""

    time: int
    command: str
    requested_by: str
    upgrades: tuple[tuple[str, str, str], ...]


@dataclass(frozen=True, slots=True)
class Service:
    """A systemd unit's run. `result` is what the last stop or failure was (success, exit-code, signal, timeout)."""

    active: bool = True
    enabled: bool = True
    since: int = 0
    pid: int = 0
    result: str = "success"
    exit_status: int = 0
    failed: bool = False


@dataclass(frozen=True, slots=True)
class Process:
    """A running process. `gpu` names GPU indices that it holds, `gpu_memory` MiB on each; `job` its Slurm job.

    `environment` holds variables beside its user's own, `cpus` the list of CPUs that it may run on ("": all),
    `memory_lock` the KiB that it may lock in memory (None: no limit), `instance` the MIG device that it runs on (ids of
    GPU and compute instance).
    """

    pid: int
    parent: int
    user: str
    command: str
    started: int
    cpu_permille: int = 0
    resident_kib: int = 8_192
    virtual_kib: int = 16_384
    terminal: str | None = None
    state: str = "S"
    gpus: tuple[int, ...] = ()
    gpu_memory: int = 0
    job: int | None = None
    unit: str | None = None
    nice: int = 0
    workload: str | None = None
    environment: tuple[tuple[str, str], ...] = ()
    cpus: str = ""
    memory_lock: int | None = None
    instance: tuple[int, int] | None = None


@dataclass(frozen=True, slots=True)
class Login:
    """A login as wtmp keeps it: `number` is logind's session, `source` where from, `end` None while it lasts."""

    number: int
    user: str
    terminal: str
    source: str
    start: int
    end: int | None = None
    pid: int = 0


@dataclass(frozen=True, slots=True)
class ModuleBuild:
    """What DKMS made of a module's source for one kernel: `state` is built or installed, `signer` the name of the key
    that signed it ("": it bears no signature).
    """

    version: str
    state: str
    signer: str


@dataclass(frozen=True, slots=True)
class OsState:
    """The running system of a host, as far as it differs from what its role and the site's software versions give.

    `packages` are installed versions (None: removed), `modules` loaded kernel modules with the version that was loaded
    (None: unloaded), `services` units by name, `processes` those that are not a service's own, `runnable` how much CPU
    they asked for in total (time, permille of one CPU) at each change, `interfaces_down` network interfaces that were
    set down, `draws` how often programs asked the kernel for chance, `kernel_options` what the boot loader gave the
    running kernel after its root file system (None: what the image has), `kernel` the release that runs ("": the
    site's), `module_builds` what DKMS built, by `module/release` (None: nothing any more), `early_settings` modprobe's
    settings in each kernel's initramfs, `module_parameters` what modules were given when they were loaded,
    `half_configured` packages whose configuration broke off, `enrolled_keys` keys that the firmware trusts beside those
    of the image, `requested_keys` those that wait for somebody at the console.
    """

    packages: Mapping[str, str | None] = field(default_factory=lambda: MappingProxyType({}))
    package_history: tuple[PackageChange, ...] = ()
    modules: Mapping[str, str | None] = field(default_factory=lambda: MappingProxyType({}))
    services: Mapping[str, Service] = field(default_factory=lambda: MappingProxyType({}))
    processes: tuple[Process, ...] = ()
    next_pid: int = 20_000
    sysctl: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    held_packages: tuple[str, ...] = ()
    runnable: tuple[tuple[int, int], ...] = ()
    logins: tuple[Login, ...] = ()
    interfaces_down: tuple[str, ...] = ()
    draws: int = 0
    kernel_options: str | None = None
    kernel: str = ""
    module_builds: Mapping[str, ModuleBuild | None] = field(default_factory=lambda: MappingProxyType({}))
    early_settings: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    module_parameters: Mapping[str, tuple[tuple[str, str], ...]] = field(default_factory=lambda: MappingProxyType({}))
    half_configured: tuple[str, ...] = ()
    enrolled_keys: tuple[str, ...] = ()
    requested_keys: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class WrittenFile:
    """A file, directory or link that somebody made or changed on a host.

    `content` is None for a directory, `target` set for a link.

    `live` marks a change of mode, owner or time alone: what is inside is still the site's own.

    `source` names what writes into it all the time, such as `job/4711/output` ("": nobody): what is inside is worked
    out when somebody reads.
    """

    content: bytes | None
    mode: int
    uid: int
    gid: int
    modified: int
    target: str | None = None
    live: bool = False
    source: str = ""


@dataclass(frozen=True, slots=True)
class WrittenFiles:
    """What people changed in a host's file tree: path -> file, or None where one was removed."""

    files: Mapping[str, WrittenFile | None] = field(default_factory=lambda: MappingProxyType({}))
