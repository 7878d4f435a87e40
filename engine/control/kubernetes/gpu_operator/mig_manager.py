"""The MIG manager: a node's label nvidia.com/mig.config becomes the geometry of its GPUs.

When the label changes (or the manager starts and finds one that it has not taken up), it sets the label
nvidia.com/mig.config.state to `pending`, sends the operands that hold GPUs away by their labels
(`paused-for-mig-change`), has mig-parted change modes and instances with the host's own GPU services stopped, lets all
come back, and sets the state to `success` or `failed` (k8s-mig-manager 0.12: reconfigure-mig.sh; mig-parted
cmd/nvidia-mig-parted). A GPU on which a program runs keeps its mode (it stays pending) or its instances, and the change
fails there; other GPUs may have changed by then.
Moments are guesses; the texts of failed changes are users' reports.
"""

from __future__ import annotations

from typing import Any

from engine.control import service_state, systemd
from engine.control.gpu_settings import HOST_ENGINE
from engine.control.kubernetes import control_plane, deleting, store
from engine.control.kubernetes.device_plugins import mig, nvidia
from engine.control.kubernetes.gpu_operator import operands
from engine.control.kubernetes.objects import KubeDict, labels_of
from engine.control.mig import actions
from engine.control.mig.devices import devices
from engine.control.mig.profiles import compute_profiles, named, profile
from engine.kernel.calendar import utc
from engine.kernel.events import Event, Handler
from engine.kernel.simulation import Simulation
from engine.kernel.units import SECOND
from engine.physics.load import gpu_processes
from engine.world.inventory import Gpu
from engine.world.kubernetes_events import KubeObjectChanged, MigChangeDue
from engine.world.world import World

Sim = Simulation[World]
CONFIG, STATE = "nvidia.com/mig.config", "nvidia.com/mig.config.state"
PAUSED, _PAUSES = "paused-for-mig-change", 12 * SECOND
CLIENTS = ("device-plugin", "gpu-feature-discovery", "dcgm-exporter", "dcgm", "node-status-exporter")
_TABLE = f"{operands.NAMESPACE}/default-mig-parted-config"

_HOOKS = "Error applying MIG configuration with hooks: "


class Failed(Exception):
    """mig-parted ends with an error: its words."""


def _changed(simulation: Sim, event: KubeObjectChanged) -> None:
    """A node's label has changed, or a manager has started."""
    world = simulation.world
    if event.gone:
        return
    if event.store == store.NODES:
        _look(simulation, event.key.removeprefix("/"))
    elif event.store == store.PODS and operands.MANAGER in event.key and event.key in world.kube_pods:
        _look(simulation, world.kube_pods[event.key].node)


def _look(simulation: Sim, name: str) -> None:
    """Take up what a node's label asks for, if that is new to the manager that runs there."""
    world = simulation.world
    node = store.find(world, store.NODES, f"/{name}")
    each = operands.running(world, name, operands.MANAGER)
    if node is None or each is None or not control_plane.serves(world):
        return
    wanted, known = labels_of(node).get(CONFIG, ""), f"{each.id}/"
    if not wanted or world.kube_nodes[name].mig_change == known + wanted:
        return
    fresh = not world.kube_nodes[name].mig_change.startswith(known)
    world.kube_nodes.update(name, mig_change=known + wanted)
    lines = [f"Updating to MIG config: {wanted}"]
    if fresh:
        lines.insert(0, "Waiting for change to 'nvidia.com/mig.config' label")
    if _fits(world, name, wanted):
        lines.append("The selected MIG configuration is already applied")
        _say(simulation, name, [*lines, "Changing the 'nvidia.com/mig.config.state' node label to 'success'"])
        _resume(node)
        node["metadata"]["labels"][STATE] = "success"
    else:
        _say(simulation, name, [*lines, *_beginning(wanted)])
        node["metadata"]["labels"][STATE] = "pending"
        for client in CLIENTS:
            if labels_of(node).get(operands.DEPLOY + client) == "true":
                node["metadata"]["labels"][operands.DEPLOY + client] = PAUSED
        simulation.schedule(MigChangeDue(name, wanted, each.id), _PAUSES)
    store.put(simulation, store.NODES, node)


def _beginning(wanted: str) -> list[str]:
    return [
        "Asserting that the requested configuration is present in the configuration file",
        "Selected MIG configuration is valid",
        "Changing the 'nvidia.com/mig.config.state' node label to 'pending'",
        "Shutting down all GPU clients in Kubernetes by disabling their component-specific nodeSelector labels",
        "Waiting for the device-plugin to shutdown",
    ]


def _fits(world: World, node: str, name: str) -> bool:
    """Whether a node's GPUs are as a configuration says."""
    try:
        return all(_is(world, gpu, rule) for gpu, rule in _rules(world, node, name))
    except Failed:
        return False


def _rules(world: World, node: str, name: str) -> list[tuple[Gpu, Any]]:
    """The GPUs of a node, each with the part of the configuration that is for it. Raises Failed."""
    import yaml

    kept = store.look(world, "configmaps", _TABLE)
    text = ((kept or {}).get("data") or {}).get("config.yaml", "")
    try:
        found = (yaml.load(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader)) or {})["mig-configs"][name]
    except (yaml.YAMLError, KeyError, TypeError):
        raise Failed(f"Error selecting config: selected mig-config not present: {name}") from None
    gpus = mig.answering(world, node)
    return [
        (gpu, rule)
        for rule in found
        for index, gpu in enumerate(gpus)
        if rule.get("devices", "all") == "all" or index in (rule["devices"] or ())
    ]


def _is(world: World, gpu: Gpu, rule: Any) -> bool:
    if _modes(world, gpu) != {bool(rule.get("mig-enabled"))}:
        return False
    return not rule.get("mig-enabled") or _geometry(world, gpu) == _wanted(rule)


def _modes(world: World, gpu: Gpu) -> set[bool]:
    """A GPU's mode, and the one that it would have after a reset."""
    return {world.gpus[gpu.id].mig_enabled, world.gpus[gpu.id].mig_pending}


def _geometry(world: World, gpu: Gpu) -> list[str]:
    return sorted(profile(gpu.product, each.profile).name for each in world.mig[gpu.id].instances)


def _wanted(rule: Any) -> list[str]:
    return sorted(name for name, count in (rule.get("mig-devices") or {}).items() for _ in range(int(count)))


def _due(simulation: Sim, event: MigChangeDue) -> None:
    """The operands have gone: the change is made, or fails; then all comes back."""
    world, name = simulation.world, event.node
    node, each = store.find(world, store.NODES, f"/{name}"), operands.running(world, name, operands.MANAGER)
    if node is None or each is None or each.id != event.manager:
        return
    state = "success"
    lines = ["Applying the MIG mode change from the selected config to the node"]
    stopped = service_state.is_active(world, name, HOST_ENGINE)
    if stopped:
        simulation.apply(systemd.StopUnit(name, HOST_ENGINE, "root"))
    try:
        _apply(simulation, name, event.config, lines)
        lines.append("MIG configuration applied successfully")
    except Failed as why:
        state = "failed"
        lines.append(_log(simulation, "fatal", str(why)))
    if stopped:
        simulation.apply(systemd.StartUnit(name, HOST_ENGINE, "root"))
    lines += [
        "Restarting any GPU clients previously shutdown on the host by restarting their systemd services",
        "Restarting validator pod to re-run all validations",
        "Restarting any GPU clients previously shutdown in Kubernetes by reenabling their component-specific "
        "nodeSelector labels",
        f"node/{name} labeled",
        f"Changing the 'nvidia.com/mig.config.state' node label to '{state}'",
    ]  # fmt: skip
    _say(simulation, name, lines)
    _resume(node)
    node["metadata"]["labels"][STATE] = state
    store.put(simulation, store.NODES, node)
    validator = operands.pod_on(world, name, operands.VALIDATOR)
    if validator:
        deleting.pod(simulation, validator)


def _resume(node: KubeDict) -> None:
    for client in CLIENTS:
        if labels_of(node).get(operands.DEPLOY + client) == PAUSED:
            node["metadata"]["labels"][operands.DEPLOY + client] = "true"


def _apply(simulation: Sim, node: str, name: str, lines: list[str]) -> None:
    """mig-parted apply: first modes, then instances. Raises Failed."""
    world = simulation.world
    rules = _rules(world, node, name)
    lines.append(_log(simulation, "debug", "Walking MigConfig for (devices=all)"))
    refused = []
    for gpu, rule in rules:
        enabled = bool(rule.get("mig-enabled"))
        if _modes(world, gpu) != {enabled}:
            index = mig.answering(world, node).index(gpu)
            if actions.SetMigMode(node, index, enabled, "root").on(simulation, gpu):
                refused.append(gpu)
    if refused:
        for gpu in refused:
            text = f"GPU {_address(gpu)} is currently in use by another process."
            lines.append(_log(simulation, "error", text))
        raise Failed(f"{_HOOKS}error resetting all GPUs: exit status 255")
    lines.append("Applying the selected MIG config to the node")
    for gpu, rule in rules:
        if rule.get("mig-enabled") and not _is(world, gpu, rule):
            lines.append(_log(simulation, "debug", f"    Updating MIG config: {_go_map(rule)}"))
            _cut(simulation, node, gpu, rule)


def _cut(simulation: Sim, node: str, gpu: Gpu, rule: Any) -> None:
    """Destroy a GPU's instances and make those that are wanted, large ones first. Raises Failed."""
    world = simulation.world
    begin = f"{_HOOKS}error setting MIGConfig: error attempting multiple config orderings: "
    if gpu_processes(world, gpu.id) and devices(world, gpu):
        raise Failed(f"{begin}error clearing MigConfig: error destroying Compute instance: In use by another client")
    index = mig.answering(world, node).index(gpu)
    world.mig.forget(gpu.id)
    kinds = [named(gpu.product, each) for each in _wanted(rule)]
    for kind in sorted((each for each in kinds if each), key=lambda each: (-each.size, -each.slices)):
        if actions.CreateGpuInstance(node, index, kind.id, None, "root").on(simulation, gpu):
            raise Failed(f"{begin}all orderings failed")
        made = next(one for one in world.mig[gpu.id].instances if not one.compute)
        whole = next(c for c in compute_profiles(gpu.product, kind) if c.full)
        actions.CreateComputeInstance(node, index, made.id, whole.id, "root").on(simulation, gpu)
    if None in kinds:
        raise Failed(f"{begin}all orderings failed")


def _address(gpu: Gpu) -> str:
    return "0000" + gpu.address.upper()


def _go_map(rule: Any) -> str:
    pairs = sorted((rule.get("mig-devices") or {}).items())
    return "map[" + " ".join(f"{key}:{count}" for key, count in pairs) + "]"


def _log(simulation: Sim, level: str, text: str) -> str:
    """A line of mig-parted's, as logrus writes it."""
    return (
        f'time="{utc(simulation.world.inventory.start + simulation.now):%Y-%m-%dT%H:%M:%SZ}" level={level} msg="{text}"'
    )


def _say(simulation: Sim, node: str, lines: list[str]) -> None:
    each = operands.running(simulation.world, node, operands.MANAGER)
    if each is not None:
        nvidia.write(simulation, each.id, [(place * 40_000_000, text) for place, text in enumerate(lines)])


HANDLERS: tuple[tuple[type[Event], Handler], ...] = ((KubeObjectChanged, _changed), (MigChangeDue, _due))
