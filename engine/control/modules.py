"""Kernel modules of a host: what is loaded, in which version, who uses it; loading and unloading.

A loaded module keeps its version however the files on disk change; loading takes what is installed. Texts of refusals
are kmod 31's. How many references a program holds on nvidia.ko is a guess: some per GPU.
"""

from __future__ import annotations

from collections.abc import Iterable
from types import MappingProxyType

from engine.control import dkms, journald, kernels, service_state
from engine.control.history import boot_driver
from engine.control.module_table import NOUVEAU, ModuleSpec, module_specs
from engine.kernel.actions import Action
from engine.kernel.quick_dataclass import dataclass
from engine.kernel.simulation import Simulation
from engine.physics.load import bound_gpus
from engine.physics.pcie import enumerated
from engine.world.events import ModuleChanged
from engine.world.inventory import stable_hexadecimal
from engine.world.records import Priority
from engine.world.world import World

_REFERENCES_PER_GPU = {"nvidia-persistenced.service": 1, "nvidia-dcgm.service": 11}
_REFERENCES_OF_A_PROCESS = 18
_BY_UDEV = ("nvidia_modeset", "nvidia_drm", "nvidia_uvm")
"""What the driver's udev rules load after nvidia.ko."""


@dataclass(frozen=True, slots=True)
class LoadedModule:
    """A line of lsmod: `used_by` are modules, newest first, `refs` all references."""

    name: str
    version: str | None
    size: int
    used_by: tuple[str, ...]
    refs: int


def loaded(world: World, host: str) -> list[LoadedModule]:
    """The modules in memory, the newest first, as lsmod shows them."""
    names = _loaded_names(world, host)
    users: dict[str, list[str]] = {name: [] for name in names}
    specs = module_specs()
    for name in reversed(names):
        for used in specs[name].uses:
            if used in users:
                users[used].append(name)
    return [_line(world, host, specs[name], users[name]) for name in reversed(names)]


def is_loaded(world: World, host: str, name: str) -> bool:
    """Whether a module is in memory."""
    return canonical(name) in _loaded_names(world, host)


def loaded_version(world: World, host: str, name: str) -> str | None:
    """The version of a loaded module; None where it is not loaded or has none."""
    module = canonical(name)
    return _version_in_memory(world, host, module_specs()[module]) if is_loaded(world, host, module) else None


def driver_version(world: World, host: str) -> str | None:
    """The version of the NVIDIA driver in memory, or None."""
    return loaded_version(world, host, "nvidia")


def canonical(name: str) -> str:
    """Module names have underscores, whatever people write."""
    return name.replace("-", "_")


def exists(world: World, host: str, name: str) -> bool:
    """Whether a module's file is installed."""
    spec = module_specs().get(canonical(name))
    if spec is None or not spec.on(world.node(host)):
        return False
    return spec.origin != "nvidia" or dkms.installed_build(world, host, kernels.running(world, host)) is not None


def holds_gpus(world: World, host: str) -> bool:
    """Whether nouveau is loaded and has taken the GPUs."""
    from engine.control import module_rules

    return is_loaded(world, host, NOUVEAU) and module_rules.knows_gpus(world, host)


def parameters(world: World, host: str, name: str) -> dict[str, str]:
    """What a module was given when it was loaded."""
    from engine.control import modprobe_settings

    given = world.systems[host].module_parameters.get(name)
    return modprobe_settings.default_options(world.node(host), name) if given is None else dict(given)


def module_path(world: World, host: str, name: str) -> str:
    """Where a module's file lies."""
    return f"/lib/modules/{kernels.running(world, host)}/{file_below(name)}"


def file_below(name: str) -> str:
    """Where a module's file lies below a kernel's directory."""
    spec = module_specs()[canonical(name)]
    folder = spec.place if spec.place.startswith("updates") else f"kernel/{spec.place}"
    file = spec.name.replace("_", "-") if spec.origin == "nvidia" else spec.name
    return f"{folder}/{file}.ko.zst"


def installed_version(world: World, host: str, name: str) -> str | None:
    """The version that a module's file has; None where it has none."""
    spec = module_specs()[canonical(name)]
    if spec.origin != "nvidia":
        return _version_at_the_start(world, spec)
    build = dkms.installed_build(world, host, kernels.running(world, host))
    return build.version if build else None


def module_info(world: World, host: str, name: str) -> list[tuple[str, str]] | None:
    """modinfo's fields of the file on disk, in its order; None where there is no such module."""
    module = canonical(name)
    if not exists(world, host, module):
        return None
    spec, version = module_specs()[module], installed_version(world, host, module)
    release = kernels.running(world, host)
    source = stable_hexadecimal(23, module, version or release).upper()
    fields = [("filename", module_path(world, host, module)), ("import_ns", "DMA_BUF" if module == "nvidia" else "")]
    fields += [
        ("version", version or ""),
        ("license", spec.license),
        ("description", spec.description),
        ("author", spec.author),
    ]
    fields += [
        ("firmware", f"nvidia/{version}/{part}.bin") for part in ("gsp_tu10x", "gsp_ga10x") if module == "nvidia"
    ]
    fields += [
        ("srcversion", source),
        ("depends", ",".join(spec.uses) or "\0"),
        ("intree", "Y" if spec.origin == "kernel" else ""),
    ]
    fields += [("retpoline", "Y"), ("name", module), ("vermagic", f"{release} SMP preempt mod_unload modversions ")]
    fields += _signature(world, host, spec)
    return [(key, value.rstrip("\0")) for key, value in fields if value]


def _signature(world: World, host: str, spec: ModuleSpec) -> list[tuple[str, str]]:
    """Who signed a module's file; the signature's bytes are left out."""
    from engine.control import secure_boot

    build = dkms.installed_build(world, host, kernels.running(world, host))
    signer = {"nvidia": build.signer if build else "", "ofed": secure_boot.IMAGE_KEYS[1]}.get(
        spec.origin, "Build time autogenerated kernel key"
    )
    if not signer:
        return []
    key = secure_boot.fingerprint(world, signer).upper()
    return [("sig_id", "PKCS#7"), ("signer", signer), ("sig_key", key), ("sig_hashalgo", "sha512")]


@dataclass(frozen=True, slots=True)
class LoadModule(Action):
    """modprobe NAME: with what it uses. Gives a refusal as modprobe words it after `modprobe: FATAL: ` (no such module)
    or `modprobe: ERROR: ` (`could not insert ...`), or None.
    """

    host: str
    name: str

    def perform(self, simulation: Simulation[World]) -> str | None:
        world, module = simulation.world, canonical(self.name)
        if not exists(world, self.host, module):
            return f"Module {self.name} not found in directory /lib/modules/{kernels.running(world, self.host)}"
        came = False
        for needed in _with_needs(module):
            if not is_loaded(world, self.host, needed) and exists(world, self.host, needed):
                why = _refused(simulation, self.host, needed)
                if why:
                    return _refusal_text(world, self.host, module, needed, why)
                _load(simulation, self.host, needed)
                came = came or needed == "nvidia"
        if came:
            _udev_follows(simulation, self.host)
        return None


def _udev_follows(simulation: Simulation[World], host: str) -> None:
    """Ubuntu's 71-nvidia.rules: when nvidia.ko is there, udev loads what builds on it; what is refused stays out."""
    for name in _BY_UDEV:
        if exists(simulation.world, host, name):
            LoadModule(host, name).perform(simulation)


def load_named(simulation: Simulation[World], host: str) -> None:
    """What systemd-modules-load does: load what /etc/modules-load.d names, but nothing that is blacklisted
    (modules-load.c and module-util.c of systemd 255). What cannot be loaded stays out.
    """
    from engine.control import modprobe_settings

    blacklisted = modprobe_settings.settings(simulation.world, host).blacklisted
    for name in modprobe_settings.named_to_load(simulation.world, host):
        if exists(simulation.world, host, name) and canonical(name) not in blacklisted:
            LoadModule(host, name).perform(simulation)


def _refused(simulation: Simulation[World], host: str, module: str) -> str:
    """Why the kernel or modprobe does not take a module, which the kernel's log may say too; "" if they do."""
    from engine.control import module_rules

    world = simulation.world
    if module_specs()[module].origin != "nvidia":
        return ""
    why = module_rules.refusal(world, host, module)
    if why in boot_driver.REJECTED:
        journald.kernel(simulation, host, boot_driver.REJECTED[why], Priority.NOTICE)
    elif not why and module == "nvidia" and holds_gpus(world, host):
        _say(simulation, host, boot_driver.taken(_hardware(world, host)))
        return boot_driver.NO_DEVICE
    return why


def _refusal_text(world: World, host: str, module: str, needed: str, why: str) -> str | None:
    """modprobe's words; an install command that does nothing is no error."""
    from engine.control import modprobe_settings, module_rules

    insert = f"could not insert '{module}': {module_rules.ERRORS[why]}"
    if why != module_rules.BLOCKED:
        return insert
    command = modprobe_settings.settings(world, host).blocked[needed]
    if command.endswith("true"):
        return None
    place = "../libkmod/libkmod-module.c:1047 command_do()"
    return f"{place} Error running install command '{command}' for module {needed}: retcode 1\n{insert}"


@dataclass(frozen=True, slots=True)
class UnloadModule(Action):
    """rmmod NAME. Gives a refusal as rmmod words it after `rmmod: ERROR: `, or None. `force` does not help: Ubuntu's
    kernel has no forced unloading.
    """

    host: str
    name: str
    force: bool = False

    def perform(self, simulation: Simulation[World]) -> str | None:
        module = canonical(self.name)
        line = next((line for line in loaded(simulation.world, self.host) if line.name == module), None)
        if line is None:
            return f"Module {self.name} is not currently loaded"
        if line.used_by and not self.force:
            return f"Module {self.name} is in use by: {' '.join(line.used_by)}"
        if line.refs and not self.force:
            return f"Module {self.name} is in use"
        if line.refs:
            return f"could not remove module {self.name}: Resource temporarily unavailable"
        _unload(simulation, self.host, module)
        return None


def forget(simulation: Simulation[World], host: str, names: Iterable[str]) -> None:
    """Modules are gone from memory, whoever used them: an upgrade that took a stack apart and did not load it again."""
    for name in names:
        if is_loaded(simulation.world, host, name):
            _unload(simulation, host, canonical(name))


def take_installed_versions(simulation: Simulation[World], host: str) -> None:
    """The host boots: its usual modules are loaded in the versions that are installed, and those that can be."""
    from engine.control import module_rules

    world = simulation.world
    outcome, usual = module_rules.boot_outcome(world, host), world.inventory.software.get("driver")
    found: dict[str, str | None] = {name: version for name, version in outcome.family if version != usual}
    if outcome.nouveau:
        found[NOUVEAU] = ""
    world.systems.update(host, modules=MappingProxyType(found), module_parameters=MappingProxyType({}))
    _take_parameters(world, host, "nvidia")


def _take_parameters(world: World, host: str, module: str) -> None:
    """A module that is loaded keeps what modprobe.d says at that moment."""
    from engine.control import modprobe_settings

    given = modprobe_settings.settings(world, host).options.get(module, ())
    kept = {name: pairs for name, pairs in world.systems[host].module_parameters.items() if name != module}
    if dict(given) != modprobe_settings.default_options(world.node(host), module):
        kept[module] = given
    world.systems.update(host, module_parameters=MappingProxyType(kept))


def _loaded_names(world: World, host: str) -> list[str]:
    """Modules in memory in the order of loading: those of the boot, then those that were loaded by hand."""
    changed = world.systems[host].modules
    usual = [name for name in _at_boot(world, host) if name not in changed]
    return [*usual, *(name for name, version in changed.items() if version is not None)]


def _at_boot(world: World, host: str) -> tuple[str, ...]:
    """What a boot loads."""
    node = world.node(host)

    def at_boot() -> tuple[str, ...]:
        return tuple(spec.name for spec in module_specs().values() if spec.at_boot and spec.on(node))

    return world.inventory.once(("modules", host), at_boot)


def _line(world: World, host: str, spec: ModuleSpec, users: list[str]) -> LoadedModule:
    version = _version_in_memory(world, host, spec)
    return LoadedModule(spec.name, version, spec.size, tuple(users), _references(world, host, spec, users))


def _version_in_memory(world: World, host: str, spec: ModuleSpec) -> str | None:
    """The version of a module that is loaded."""
    return world.systems[host].modules.get(spec.name) or _version_at_the_start(world, spec)


def _version_at_the_start(world: World, spec: ModuleSpec) -> str | None:
    software = world.inventory.software
    return {"nvidia": software.get("driver"), "ofed": software.get("ofed", "24.10-1.1.4")}.get(spec.origin)


def _with_needs(module: str) -> list[str]:
    """A module after everything that it uses."""
    order: dict[str, None] = {}
    for used in module_specs()[module].uses:
        order |= dict.fromkeys(_with_needs(used))
    return [*order, module]


def _references(world: World, host: str, spec: ModuleSpec, users: list[str]) -> int:
    refs = len(users) + spec.pinned
    if spec.name == "nvidia":
        refs += _users_of_driver(world, host)
    elif spec.name == "nvidia_uvm":
        refs += _users_of_driver(world, host) // 4
    return refs


def _users_of_driver(world: World, host: str) -> int:
    """References that programs hold: daemons, and processes on GPUs."""
    gpus = len(bound_gpus(world, host))
    daemons = sum(
        gpus * count for unit, count in _REFERENCES_PER_GPU.items() if service_state.is_active(world, host, unit)
    )
    switches = (
        len(world.node(host).nvswitches) if service_state.is_active(world, host, "nvidia-fabricmanager.service") else 0
    )
    working = sum(len(process.gpus) for process in world.systems[host].processes)
    return daemons + 2 * switches + _REFERENCES_OF_A_PROCESS * working


def _load(simulation: Simulation[World], host: str, module: str) -> None:
    world, spec = simulation.world, module_specs()[module]
    version = installed_version(world, host, module)
    state = {name: kept for name, kept in world.systems[host].modules.items() if name != module}
    if module == "nvidia":
        _say(simulation, host, boot_driver.probing(_hardware(world, host)))
    world.systems.update(host, modules=MappingProxyType({**state, module: version or ""}))
    if spec.origin == "nvidia":
        _take_parameters(world, host, module)
    simulation.publish(ModuleChanged(host, module, True))
    if spec.origin == "nvidia":
        gpus = [gpu.address for gpu in bound_gpus(world, host)]
        _say(simulation, host, boot_driver.loaded(module, version or "", gpus))


def _unload(simulation: Simulation[World], host: str, module: str) -> None:
    world, spec = simulation.world, module_specs()[module]
    gpus = [gpu.address for gpu in bound_gpus(world, host)]
    state = {name: kept for name, kept in world.systems[host].modules.items() if name != module}
    world.systems.update(host, modules=MappingProxyType({**state, module: None} if spec.at_boot else state))
    if spec.origin == "nvidia":
        _say(simulation, host, boot_driver.unloaded(module, gpus))
    simulation.publish(ModuleChanged(host, module, False))


def _hardware(world: World, host: str) -> boot_driver.Hardware:
    node = world.node(host)
    devices = [*(gpu.address for gpu in node.gpus), *(chip.address for chip in node.nvswitches)]
    return boot_driver.hardware(node, [address for address in devices if not enumerated(world, host, address)])


def _say(simulation: Simulation[World], host: str, messages: list[boot_driver.Message]) -> None:
    for priority, text in messages:
        journald.kernel(simulation, host, text, priority)
