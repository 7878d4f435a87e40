"""NVIDIA's device plugin (k8s-device-plugin 0.17): GPUs of a node as `nvidia.com/gpu`, MIG devices by its strategy
(engine.control.kubernetes.device_plugins.mig).

It asks NVML for the GPUs when it starts, and again when the kubelet's socket is made anew. A GPU is unhealthy from the
first Xid on that it does not ignore (13, 31, 43, 45, 68, 109 of programs), until the plugin starts again; what
DP_DISABLE_HEALTHCHECKS names is ignored as well (internal/rm/health.go). A GPU that is gone when it starts is not
listed. Log texts: its sources and users' reports; their moments are guesses.
"""

from __future__ import annotations

from dataclasses import replace

from engine.control import driver
from engine.control.kubernetes import devices, store
from engine.control.kubernetes.device_plugins import mig, sharing, socket
from engine.control.kubernetes.kubelet import runs
from engine.control.kubernetes.objects import KubeDict
from engine.kernel.calendar import utc
from engine.kernel.events import Event, Handler
from engine.kernel.random import hash64
from engine.kernel.simulation import Simulation
from engine.kernel.units import MILLISECOND, SECOND
from engine.world.bus_events import XidReported
from engine.world.events import ServiceChanged
from engine.world.kubernetes_events import DevicePluginDue, KubeObjectChanged
from engine.world.records import DevicePlugin
from engine.world.world import World

Sim = Simulation[World]
RESOURCE, DAEMON_SET = "nvidia.com/gpu", "nvidia-device-plugin-daemonset"
IMAGE, FEATURES = "/k8s-device-plugin:", "gpu-feature-discovery"
IGNORED = frozenset({13, 31, 43, 45, 68, 109})
_REGISTERS = 1300 * MILLISECOND
_RETRY, _RETRIES = 35 * SECOND, 120
_AGAIN = "Failed to start one or more plugins. Retrying in 30s..."
_XID_EVENT, _WHOLE = 8, 4_294_967_295


def strategy(world: World, node: str) -> str:
    """The MIG strategy in the environment of a node's plugin."""
    return _environment(world, node).get("MIG_STRATEGY", mig.NONE)


def offers(world: World, node: str) -> mig.Offers:
    """What a node's plugin offers now, by resource; nothing where it refuses the geometry."""
    try:
        return sharing.share(world, mig.offers(world, node, strategy(world, node)))
    except mig.Invalid:
        return {}


def preference_error(world: World, node: str) -> str | None:
    """Why the plugin cannot say which GPUs it prefers: it looks at the links of all that it knows, and a lost one fails
    that for all (NVIDIA/k8s-device-plugin#2038); None where it can.
    """
    known = devices.plugin(world, node, RESOURCE)
    listed = {each.id for each in known.devices} if known else set()
    bound = [gpu for gpu in driver.bound_gpus(world, node) if world.gpus[gpu.id].uuid in listed]
    lost = [place for place, gpu in enumerate(bound) if driver.is_lost(world, gpu.id)]
    if not lost or len(bound) < 2:
        return None
    return (
        "error getting list of preferred allocation devices: unable to get device link information: error getting "
        f"NVLink for devices (0, {max(1, lost[0])}): failed to get nvlink remote pci info: failed to get nvlink state: "
        "GPU is lost"
    )


def start_lines(simulation: Sim, node: str, pod: KubeDict) -> tuple[tuple[int, str], ...]:
    """What it writes when it starts; without a way to the kubelet it tries again every 35 s."""
    begin = (
        'main.go:235] "Starting NVIDIA Device Plugin" version="v0.17.1"',
        f"main.go:238] Starting FS watcher for {socket.FOLDER}",
        "main.go:245] Starting OS watcher.",
        "main.go:260] Starting Plugins.",
        "main.go:317] Loading configuration.",
        "main.go:342] Updating config with default resource matching patterns.",
        "main.go:356] Retrieving plugins.",
    )
    lines = [_line(simulation, (60 + 4 * place) * MILLISECOND, text) for place, text in enumerate(begin)]
    resource = next(iter(offers(simulation.world, node)), "")
    if socket.reached(pod) or not resource:
        return (*lines, *_registering(simulation, node, 900 * MILLISECOND))
    tries = (_unreached(simulation, resource, 900 * MILLISECOND + number * _RETRY) for number in range(_RETRIES))
    return (*lines, *(line for one in tries for line in one))


def _endpoint(resource: str) -> str:
    return f"{socket.FOLDER}/nvidia-{resource.partition('/')[2]}.sock"


def _unreached(simulation: Sim, resource: str, at: int) -> list[tuple[int, str]]:
    """A try to register in a folder in which no kubelet listens (main.go and server.go, as remembered)."""
    later = at + 5 * SECOND
    return [
        _line(simulation, at, f"server.go:195] Starting GRPC server for '{resource}'"),
        _line(simulation, at + MILLISECOND, f"server.go:139] Starting to serve '{resource}' on {_endpoint(resource)}"),
        _line(simulation, later, f"server.go:143] Could not register device plugin: {socket.TIMEOUT}", "E"),
        _line(simulation, later + MILLISECOND, f"main.go:370] Failed to start plugin: {socket.TIMEOUT}", "E"),
        _line(simulation, later + 2 * MILLISECOND, f"main.go:264] {_AGAIN}"),
    ]


def refusal(simulation: Sim, node: str, pod: KubeDict) -> tuple[tuple[int, str], ...]:
    """The last line of a plugin that refuses the node's geometry; nothing where it takes it. The words before `error
    building device map` are a guess.
    """
    try:
        mig.offers(simulation.world, node, strategy(simulation.world, node))
    except mig.Invalid as why:
        begin = "main.go:173] error starting plugins: error getting plugins: failed to construct resource managers: "
        text = f"{begin}error building device map: error building device map from config.resources: {why}"
        return (*start_lines(simulation, node, pod)[:7], _line(simulation, 620 * MILLISECOND, text, "E"))
    return ()


def _registering(simulation: Sim, node: str, after: int) -> list[tuple[int, str]]:
    found = offers(simulation.world, node)
    if not found:
        return [_line(simulation, after, "main.go:381] No devices found. Waiting indefinitely.")]
    texts = [
        text
        for resource in found
        for text in (
            f"server.go:195] Starting GRPC server for '{resource}'",
            f"server.go:139] Starting to serve '{resource}' on {_endpoint(resource)}",
            f"server.go:146] Registered device plugin for '{resource}' with Kubelet",
        )
    ]
    return [_line(simulation, after + 110 * place * MILLISECOND, text) for place, text in enumerate(texts)]


def _line(simulation: Sim, at: int, text: str, level: str = "I") -> tuple[int, str]:
    spread = hash64(text, at) % 900_000
    moment = utc(simulation.world.inventory.start + simulation.now + at + spread)
    return at, f"{level}{moment:%m%d %H:%M:%S.%f}       1 {text}"


def _is_plugin(pod: KubeDict) -> bool:
    return any(IMAGE in c["image"] and FEATURES not in (c.get("command") or ()) for c in pod["spec"]["containers"])


def _pod(world: World, node: str) -> KubeDict | None:
    """The pod in which a node's plugin runs, or None."""
    for key, run in runs.of_node(world, node):
        pod = store.look(world, store.PODS, key)
        if pod is not None and _is_plugin(pod) and any(each.state == "running" for each in run.containers):
            return pod
    return None


def _running(world: World, node: str) -> str:
    """The id of the container in which a node's plugin runs, "" if none does."""
    for key, run in runs.of_node(world, node):
        pod = store.look(world, store.PODS, key)
        if pod is not None and _is_plugin(pod):
            for each in run.containers:
                if each.state == "running":
                    return each.id
    return ""


def _changed(simulation: Sim, event: KubeObjectChanged) -> None:
    """A plugin's container has started or ended."""
    world = simulation.world
    if event.store != store.PODS:
        return
    if event.gone:
        for node in world.kube_nodes.changed():
            _check(simulation, node)
        return
    pod = store.find(world, store.PODS, event.key)
    if pod is not None and _is_plugin(pod) and pod["spec"].get("nodeName"):
        _check(simulation, pod["spec"]["nodeName"])


def _check(simulation: Sim, node: str) -> None:
    """A new plugin registers in a moment; one that has gone is disconnected."""
    now, known = _running(simulation.world, node), _own(simulation.world, node)
    for each in known:
        if each.connected and each.owner != now:
            devices.disconnect(simulation, node, each.resource)
    if now and all(each.owner != now for each in known):
        simulation.schedule(DevicePluginDue(node, now), _REGISTERS)


def _own(world: World, node: str) -> list[DevicePlugin]:
    """What a node's kubelet knows of this plugin."""
    return [each for each in world.kube_nodes[node].plugins if each.plugin == DAEMON_SET]


def _due(simulation: Sim, event: DevicePluginDue) -> None:
    """A plugin has asked NVML and registers; resources that it no longer has stay with no device."""
    world, node = simulation.world, event.node
    if not event.pod or _running(world, node) != event.pod or not runs.works(world, node):
        return
    pod = _pod(world, node)
    if pod is None or not socket.reached(pod):
        return
    found = offers(world, node)
    for each in _own(world, node):
        if each.resource not in found and found:
            devices.register(simulation, node, each.resource, (), event.pod, DAEMON_SET)
    for resource, offered in found.items():
        known = devices.plugin(world, node, resource)
        if known is None or not known.connected or known.owner != event.pod:
            devices.register(simulation, node, resource, offered, event.pod, DAEMON_SET)


def _service_changed(simulation: Sim, event: ServiceChanged) -> None:
    """A kubelet makes its socket anew: the plugin starts its server again."""
    if event.unit != runs.KUBELET or not event.active or event.host not in simulation.world.kube_nodes:
        return
    identifier, pod = _running(simulation.world, event.host), _pod(simulation.world, event.host)
    if pod is not None and socket.reached(pod):
        texts = [
            _line(simulation, 0, f"main.go:202] inotify: {socket.FOLDER}/kubelet.sock created, restarting."),
            *_registering(simulation, event.host, _REGISTERS),
        ]
        write(simulation, identifier, texts)
        simulation.schedule(DevicePluginDue(event.host, identifier), _REGISTERS)


def _xid(simulation: Sim, event: XidReported) -> None:
    """The plugin hears of an Xid through NVML."""
    world, node = simulation.world, event.gpu.partition("/")[0]
    if node not in world.kube_nodes:
        return
    running, uuid = _running(world, node), world.gpus[event.gpu].uuid
    if not running or event.number in IGNORED | _also_ignored(world, node):
        return
    for known in _own(world, node):
        for device in known.devices if known.connected and known.owner == running else ():
            found = mig.place(world, node, device.id)
            if found is None or found[0].id != event.gpu:
                continue
            if devices.mark(simulation, node, known.resource, device.id, healthy=False):
                write(simulation, running, _xid_lines(simulation, event.number, uuid, known.resource, device.id))


def _xid_lines(simulation: Sim, number: int, uuid: str, resource: str, device: str) -> list[tuple[int, str]]:
    handle = 0x7F7500000000 + hash64(uuid, "handle") % 0xFFFFFF * 8
    texts = (
        f"health.go:159] Processing event {{Device:{{Handle:{handle:#x}}} EventType:{_XID_EVENT} "
        f"EventData:{number} GpuInstanceId:{_WHOLE} ComputeInstanceId:{_WHOLE}}}",
        f"health.go:185] XidCriticalError: Xid={number} on Device={device}; marking device as unhealthy.",
        f"server.go:276] '{resource}' device marked unhealthy: {device}",
    )
    return [_line(simulation, place * 60_000, text) for place, text in enumerate(texts)]


def _also_ignored(world: World, node: str) -> frozenset[int]:
    """Xids that the plugin's environment has it ignore."""
    text = _environment(world, node).get("DP_DISABLE_HEALTHCHECKS", "")
    if text.lower() in ("all", "xids"):
        return frozenset(range(1, 256))
    return frozenset(int(word) for word in text.split(",") if word.strip().isdecimal())


def _environment(world: World, node: str) -> dict[str, str]:
    """The plain variables of a node's plugin."""
    for key, _ in runs.of_node(world, node):
        pod = store.look(world, store.PODS, key)
        if pod is not None and _is_plugin(pod):
            return {e["name"]: str(e.get("value", "")) for c in pod["spec"]["containers"] for e in c.get("env") or ()}
    return {}


def write(simulation: Sim, identifier: str, lines: list[tuple[int, str]]) -> None:
    """The plugin writes to its log."""
    log = simulation.world.kube_logs[identifier]
    new = tuple((simulation.now + at, text) for at, text in lines)
    simulation.world.kube_logs[identifier] = replace(log, lines=(*log.lines, *new))


HANDLERS: tuple[tuple[type[Event], Handler], ...] = (
    (KubeObjectChanged, _changed),
    (DevicePluginDue, _due),
)
HOST_HANDLERS: tuple[tuple[type[Event], Handler], ...] = ((ServiceChanged, _service_changed), (XidReported, _xid))
