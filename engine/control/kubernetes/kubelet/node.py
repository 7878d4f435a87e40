"""The kubelet's word on its node: ready or not, and why; what its start and stop do.

It looks at the runtime every 5 s and posts what changed within 10 s; a node is not ready without runtime (after 30 s of
silence, pkg/kubelet/runtime.go) or network. Texts: pkg/kubelet/nodestatus/setters.go, runtime.go. A kubelet that starts
posts that it starts, and its node is ready after some seconds.
"""

from __future__ import annotations

from engine.control.kubernetes import cni, control_plane, devices, events_log, node_status, store
from engine.control.kubernetes.kubelet import containers, pods, registering, runs
from engine.control.kubernetes.objects import KubeDict
from engine.kernel.events import Event, Handler
from engine.kernel.simulation import Simulation
from engine.kernel.units import SECOND
from engine.world.events import FileWritten, NodeStopping, NodeUp, ServiceChanged
from engine.world.kubernetes_events import KubeObjectChanged, NodeStatusDue
from engine.world.records import BootPhase, ContainerEnd
from engine.world.world import World

Sim = Simulation[World]
READY = ("True", "KubeletReady", "kubelet is posting ready status")
_NO_NETWORK = (
    "container runtime network not ready: NetworkReady=false reason:NetworkPluginNotReady message:Network plugin "
    "returns error: cni plugin not initialized"
)
_RUNTIME_SILENT, _LOOK, _START = 30 * SECOND, 5 * SECOND, 4 * SECOND


def judged(world: World, node: str) -> tuple[str, str, str]:
    """What a kubelet that looks now says of Ready: value, reason, message."""
    if not runs.runtime_works(world, node):
        return "False", "KubeletNotReady", "container runtime is down"
    if not cni.configured(world, node):
        return "False", "KubeletNotReady", _NO_NETWORK
    return READY


def node_of(world: World, host: str) -> bool:
    """Whether a host is a node of the cluster."""
    cluster = world.inventory.kubernetes
    return cluster is not None and host in cluster.nodes


def _service_changed(simulation: Sim, event: ServiceChanged) -> None:
    world, host = simulation.world, event.host
    if not node_of(world, host):
        return
    if event.unit == runs.KUBELET:
        (_started if event.active else _stopped)(simulation, host)
    elif event.unit == runs.CONTAINERD:
        if event.active:
            _read_configuration(world, host)
        _look_in(simulation, host, _LOOK if event.active else _RUNTIME_SILENT)


def _read_configuration(world: World, host: str) -> None:
    from engine.control.kubernetes import runtime

    text = runtime.on_disk(world, host)
    same = text == runtime.default_text(world, host)
    world.container_hosts.update(host, configuration=None if same else text)


def _look_in(simulation: Sim, host: str, delay: int) -> None:
    due = simulation.now + delay
    simulation.world.kube_nodes.update(host, due=due)
    simulation.schedule(NodeStatusDue(host, "kubelet", due), delay)


def _stopped(simulation: Sim, host: str) -> None:
    """The kubelet posts no more; the node controller will notice
    (engine.control.kubernetes.controllers.node_lifecycle).
    """
    state = simulation.world.kube_nodes[host]
    if state.silent is None:
        beat = node_status.heartbeat(simulation, host)
        simulation.world.kube_nodes.update(host, silent=simulation.now)
        simulation.schedule(
            NodeStatusDue(host, "controller", simulation.now), max(0, beat + 40 * SECOND - simulation.now)
        )


def _started(simulation: Sim, host: str) -> None:
    """A kubelet starts: its plugins must register again, it looks at its pods, and says that it starts."""
    world = simulation.world
    if world.nodes[host].phase is not BootPhase.RUNNING:
        return
    devices.forget(simulation, host)
    registering.register(simulation, host)
    _static_pods(simulation, host)
    _find_ended(simulation, host)
    _look_in(simulation, host, _START)
    pods.resume(simulation, host)


def _find_ended(simulation: Sim, host: str) -> None:
    """Containers that ended while no kubelet looked: with their status, or with the system (255, Unknown)."""
    world = simulation.world
    records = {each.id: each for each in world.container_hosts[host].containers}
    for key, run in list(runs.of_node(world, host)):
        pod = store.find(world, store.PODS, key)
        gone = [
            each
            for each in (*run.init, *run.containers)
            if each.state == "running" and (each.id not in records or records[each.id].status != "running")
        ]
        rebooted = any(each.started < world.nodes[host].booted_at for each in gone)
        for each in gone if pod is not None else ():
            if rebooted:
                end = ContainerEnd(each.id, 255, "Unknown", each.started, simulation.now)
                runs.change_container(
                    simulation, key, each.name, state="waiting", reason="ContainerCreating", last=end, ready=None,
                    ends=None, stage="new", due=0, crashes=0, restarts=each.restarts + 1,
                )  # fmt: skip
            elif pod is not None:
                containers.ended(simulation, pod, each.name, records[each.id].exit_code if each.id in records else 255)
        if rebooted:
            runs.change(simulation, key, sandbox=False)


def _status_due(simulation: Sim, event: NodeStatusDue) -> None:
    world, host = simulation.world, event.node
    state = world.kube_nodes[host]
    if event.what != "kubelet" or state.due != event.due or not runs.works(world, host):
        return
    if state.silent is not None:
        world.kube_nodes.update(host, silent=None)
        node = store.find(world, store.NODES, f"/{host}")
        if node is not None:
            _say(simulation, node, "Starting", "Starting kubelet.")
    post(simulation, host)


def post(simulation: Sim, host: str) -> None:
    """The kubelet posts what it finds."""
    world, state = simulation.world, simulation.world.kube_nodes[host]
    value, reason, message = judged(world, host)
    if (state.ready, state.reason, state.message) == (value, reason, message):
        return
    since = simulation.now if state.ready != value else state.since
    world.kube_nodes.update(host, ready=value, reason=reason, message=message, since=since)
    node = store.find(world, store.NODES, f"/{host}")
    if node is not None and state.ready != value:
        word = "NodeReady" if value == "True" else "NodeNotReady"
        _say(simulation, node, word, f"Node {host} status is now: {word}")
    if value != "True":
        text = (
            f'"Container runtime network not ready" networkReady="{message}"'
            if "network" in message
            else f'"Skipping pod synchronization" err="{message}"'
        )
        runs.log(simulation, host, f"kubelet.go:2902] {text}")
    simulation.schedule(KubeObjectChanged(store.NODES, f"/{host}"), 0)


def _say(simulation: Sim, node: KubeDict, reason: str, message: str) -> None:
    name = node["metadata"]["name"]
    events_log.record(simulation, node, "Normal", reason, message, "kubelet", name)


def _file_written(simulation: Sim, event: FileWritten) -> None:
    """The runtime watches the network's configuration, the kubelet its static pods."""
    world = simulation.world
    if not node_of(world, event.host):
        return
    if event.path.startswith(cni.FOLDER):
        _look_in(simulation, event.host, _LOOK)
    elif event.path.startswith(control_plane.MANIFESTS) and runs.works(world, event.host):
        _static_pods(simulation, event.host)


def _static_pods(simulation: Sim, host: str) -> None:
    """The control plane's pods follow from the folder of manifests."""
    world = simulation.world
    cluster = world.inventory.kubernetes
    if cluster is None or host not in cluster.control_plane:
        return
    before = world.kube_nodes[host].stopped
    stopped = tuple(name for name in control_plane.STATIC_PODS if not control_plane.wanted(world, host, name))
    world.kube_nodes.update(host, stopped=stopped)
    from engine.control.kubernetes import static_pods

    static_pods.follow(simulation, host, before, stopped)


def _node_stops(simulation: Sim, event: NodeStopping) -> None:
    """The system goes down. What the API shows of its pods stays until its kubelet is back, or the node is given up."""
    if node_of(simulation.world, event.node):
        _stopped(simulation, event.node)


def _node_up(simulation: Sim, event: NodeUp) -> None:
    if node_of(simulation.world, event.node) and runs.works(simulation.world, event.node):
        _started(simulation, event.node)


HANDLERS: tuple[tuple[type[Event], Handler], ...] = ((NodeStatusDue, _status_due),)
HOST_HANDLERS: tuple[tuple[type[Event], Handler], ...] = (
    (ServiceChanged, _service_changed),
    (FileWritten, _file_written),
    (NodeStopping, _node_stops),
    (NodeUp, _node_up),
)
