"""The sandbox of a pod: runtime, RuntimeClass and network. Each way in which it fails has containerd's or libcni's
words.

Flannel writes /run/flannel/subnet.env when it runs and /etc/cni/net.d/10-flannel.conflist when its init container did;
containerd takes the first file of /etc/cni/net.d by name. The runtimes are those of /etc/containerd/config.toml
(engine.control.kubernetes.runtime).
"""

from __future__ import annotations

from ipaddress import ip_network

from engine.control import host_names
from engine.control.kubernetes import cni, runtime, store
from engine.control.kubernetes.kubelet import runs
from engine.control.kubernetes.network_operator import multus
from engine.control.kubernetes.objects import KubeDict, name_of, namespace_of
from engine.kernel.random import hash64
from engine.kernel.simulation import Simulation
from engine.kernel.units import MILLISECOND
from engine.world.inventory import stable_hexadecimal
from engine.world.records import PodRun
from engine.world.world import World

Sim = Simulation[World]
TAKES = 450 * MILLISECOND
_RPC = "Failed to create pod sandbox: rpc error: code = Unknown desc = "


def make(simulation: Sim, pod: KubeDict) -> bool:
    """The kubelet makes a pod's sandbox, or tells why it cannot. Gives whether it did."""
    key = store.key_of(pod)
    run = simulation.world.kube_pods[key]
    why = refusal(simulation, pod, run.node, run.sandboxes)
    if why:
        runs.change(simulation, key, sandboxes=run.sandboxes + 1)
        runs.say(simulation, pod, "Warning", "FailedCreatePodSandBox", why)
        name = f"{name_of(pod)}_{namespace_of(pod)}({pod['metadata']['uid']})"
        runs.log_failure(simulation, pod, "CreatePodSandbox", name, "CreatePodSandboxError", why)
        return False
    runs.change(simulation, key, sandbox=True, address=_address(simulation, pod, run.node), sandboxes=0)
    multus.attach(simulation, key)
    return True


def refusal(simulation: Sim, pod: KubeDict, node: str, tries: int = 0) -> str | None:
    """Why a node cannot make the sandbox of a pod, or None."""
    world = simulation.world
    if not runs.runtime_works(world, node):
        socket = "unix:///run/containerd/containerd.sock"
        text = (
            f'connection error: desc = "transport: Error while dialing: dial {socket.replace(":///", " /")}: connect: '
        )
        return f'Failed to create pod sandbox: rpc error: code = Unavailable desc = {text}connection refused"'
    name = pod["spec"].get("runtimeClassName")
    kept = store.find(world, "runtimeclasses.node.k8s.io", f"/{name}") if name else None
    if name and kept is None:
        return (
            f'Failed to create pod sandbox: failed to get sandbox runtime: RuntimeClass.node.k8s.io "{name}" not found'
        )
    handler = kept["handler"] if kept else ""
    if handler and handler not in runtime.handlers(world, node):
        return f'{_RPC}failed to get sandbox runtime: no runtime for "{handler}" is configured'
    if pod["spec"].get("hostNetwork"):
        return None
    problem = cni.problem(world, node) or multus.problem(simulation, pod, node)
    if problem:
        identifier = stable_hexadecimal(64, world.seed, "sandbox", store.key_of(pod), tries)
        return f'{_RPC}failed to setup network for sandbox "{identifier}": {problem}'
    return None


def _address(simulation: Sim, pod: KubeDict, node: str) -> str:
    """The pod's address: the node's with hostNetwork, else the next free one of the node's part of the pod network."""
    world = simulation.world
    if pod["spec"].get("hostNetwork"):
        return host_names.resolve(world, node) or ""
    network = ip_network(cni.subnet(world, node))
    taken = {run.address for _, run in runs.of_node(world, node)}
    start = hash64(simulation.seed, "pod addresses", node) % 30 + world.kube[""].names % 90
    for offset in range(network.num_addresses - 3):
        address = str(network.network_address + 2 + (start + offset) % (network.num_addresses - 3))
        if address not in taken:
            return address
    return ""


def identifier(world: World, key: str, run: PodRun) -> str:
    """The id of a pod's sandbox, 64 hexadecimal digits."""
    return stable_hexadecimal(64, world.seed, "pod sandbox", key, run.bound, run.address)
