"""The operator's validator: what its init containers check, and who waits for them.

driver-validation asks the host's driver once; where it does not answer it takes the driver for one that the operator
brings, and waits for that, until its pod is made anew. Other operands wait in their init container toolkit-validation
for the file that the validator's leaves behind. plugin-validation asks the node every 5 s, 30 times, for a resource
(validator/main.go of gpu-operator 25.3). Durations are guesses.
"""

from __future__ import annotations

from dataclasses import replace

from engine.control import driver
from engine.control.kubernetes import store
from engine.control.kubernetes.device_plugins import nvidia
from engine.control.kubernetes.gpu_operator import operands
from engine.control.kubernetes.kubelet import runs
from engine.control.kubernetes.programs import Launch, Program
from engine.kernel.calendar import utc
from engine.kernel.events import Event, Handler
from engine.kernel.simulation import Simulation
from engine.kernel.units import MILLISECOND, SECOND
from engine.world.kubernetes_events import KubeObjectChanged
from engine.world.world import World

Sim = Simulation[World]
TOOLKIT, PLUGIN = "toolkit-validation", "plugin-validation"
_PERIOD, _TRIES = 5 * SECOND, 30
_OPERANDS = (operands.DISCOVERY, operands.MANAGER, "nvidia-device-plugin-daemonset-", "nvidia-dcgm-exporter-")


def program(simulation: Sim, launch: Launch) -> Program:
    """What a container of the validator's image does."""
    name, world = launch.container["name"], simulation.world
    if name == "nvidia-operator-validator":
        return Program(stops=None, lines=((0, "all validations are successful"),))
    if launch.words[-1] != "nvidia-validator":
        return _waits(world, launch)
    if name == "driver-validation":
        return _driver(simulation, launch)
    if name == TOOLKIT and not _answers(world, launch.node):
        return _ends(simulation, "toolkit is not ready", status=1, level="info")
    if name == PLUGIN and not _offered(world, launch.node):
        tries = range(1, _TRIES + 1)
        text = "GPU resources are not yet discovered by the node, retry: {}"
        lines = tuple((n * _PERIOD, _text(simulation, n * _PERIOD, text.format(n))) for n in tries)
        return Program(runs=_PERIOD * _TRIES, status=1, lines=lines)
    return Program(runs=1300 * MILLISECOND)


def _answers(world: World, node: str) -> bool:
    return driver.nvml(world, node).status is driver.NvmlStatus.OK


def _offered(world: World, node: str) -> bool:
    return any(each.devices for each in world.kube_nodes[node].plugins if each.plugin == nvidia.DAEMON_SET)


def _waits(world: World, launch: Launch) -> Program:
    """`until [ -f toolkit-ready ]; do echo ...; sleep 5; done`."""
    if operands.validated(world, launch.node, TOOLKIT):
        return Program(runs=60 * MILLISECOND)
    said = launch.words[-1].partition("echo ")[2].partition(";")[0]
    return Program(stops=None, lines=tuple((n * _PERIOD, said) for n in range(120)))


def _driver(simulation: Sim, launch: Launch) -> Program:
    status = driver.nvml(simulation.world, launch.node).status
    begin = (150 * MILLISECOND, _text(simulation, 150, "Attempting to validate a pre-installed driver on the host"))
    if status is driver.NvmlStatus.OK:
        found = (1400 * MILLISECOND, _text(simulation, 1400, "Detected a pre-installed driver on the host"))
        return Program(runs=1600 * MILLISECOND, lines=(begin, found))
    said = {
        driver.NvmlStatus.MISMATCH: "Failed to initialize NVML: Driver/library version mismatch",
        driver.NvmlStatus.NOT_LOADED: (
            "NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver. Make sure that the latest "
            "NVIDIA driver is installed and running."
        ),
    }.get(status, "chroot: failed to run command 'nvidia-smi': No such file or directory")
    texts = (
        "No pre-installed driver detected on the host: exit status 1",
        "Attempting to validate a driver container installation",
    )
    lines = [(400 * MILLISECOND, said)]
    lines += [(450 * MILLISECOND, _text(simulation, 450, text)) for text in texts]
    return Program(stops=None, lines=(begin, *lines))


def _ends(simulation: Sim, text: str, *, status: int, level: str) -> Program:
    return Program(runs=SECOND, status=status, lines=((900 * MILLISECOND, _text(simulation, 900, text, level)),))


def _text(simulation: Sim, milliseconds: int, text: str, level: str = "info") -> str:
    """A line as logrus writes it."""
    after = milliseconds if milliseconds >= SECOND else milliseconds * MILLISECOND
    moment = utc(simulation.world.inventory.start + simulation.now + after)
    return f'time="{moment:%Y-%m-%dT%H:%M:%SZ}" level={level} msg="{text}"'


def _changed(simulation: Sim, event: KubeObjectChanged) -> None:
    """What somebody waits for may be there: the validator's file, or the node's resource."""
    world = simulation.world
    if event.gone or not (event.store == store.NODES or operands.VALIDATOR in event.key):
        return
    if event.store == store.NODES:
        node = event.key.removeprefix("/")
        key = operands.pod_on(world, node, operands.VALIDATOR)
        if key and _offered(world, node):
            _let_go(simulation, key, PLUGIN)
    elif event.store == store.PODS and event.key in world.kube_pods:
        node = world.kube_pods[event.key].node
        if operands.validated(world, node, TOOLKIT):
            for prefix in _OPERANDS:
                key = operands.pod_on(world, node, prefix)
                if key:
                    _let_go(simulation, key, TOOLKIT)


def _let_go(simulation: Sim, key: str, name: str) -> None:
    """An init container that waits ends well at its next look."""
    world, pod = simulation.world, store.look(simulation.world, store.PODS, key)
    each = next((one for one in world.kube_pods[key].init if one.name == name), None)
    if pod is None or each is None or each.state != "running":
        return
    left = _PERIOD - (simulation.now - each.started) % _PERIOD
    if each.ends is not None and each.ends <= simulation.now + left:
        return
    world.kube_logs[each.id] = replace(world.kube_logs[each.id], status=0)
    runs.change_container(simulation, key, name, ends=simulation.now + left)
    runs.later(simulation, key, pod["metadata"]["uid"], name, left)


HANDLERS: tuple[tuple[type[Event], Handler], ...] = ((KubeObjectChanged, _changed),)
