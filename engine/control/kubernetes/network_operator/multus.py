"""Multus 4.1 (thin plugin): further interfaces for pods, by the annotation k8s.v1.cni.cncf.io/networks.

While its pod runs on a node, /etc/cni/net.d has 00-multus.conf (its preStop hook removes it: network-operator
manifests/state-multus-cni), and every sandbox goes through Multus: first the cluster's network, then each attachment
by name; a bare name is looked for in the pod's own namespace. Without it the annotation is text that nobody reads,
and the pod starts with eth0 alone. Error texts: pkg/k8sclient, pkg/multus; ipoib-cni and host-device for their own.
Addresses are whereabouts' lowest free ones of the range.
"""

from __future__ import annotations

import json
from ipaddress import ip_network
from typing import Any

from engine.control import files
from engine.control.kubernetes import cni, events_log, store
from engine.control.kubernetes.kubelet import runs
from engine.control.kubernetes.network_operator import networks, settings
from engine.control.kubernetes.objects import KubeDict, namespace_of
from engine.control.kubernetes.programs import Launch, Program
from engine.kernel.random import hash64
from engine.kernel.simulation import Simulation
from engine.world.world import World

Sim = Simulation[World]
WANTED, STATUS = "k8s.v1.cni.cncf.io/networks", "k8s.v1.cni.cncf.io/network-status"
CONFIGURATION = "/etc/cni/net.d/00-multus.conf"
_PODS, _SYSTEM = f"{settings.NAMESPACE}/kube-multus-ds-", "kube-system"
_DELEGATES = (
    "error loading k8s delegates k8s args: TryLoadPodDelegates: error in getting k8s network for pod: "
    "GetNetworkDelegates: failed getting the delegate: getKubernetesDelegate: "
)


def runs_on(world: World, node: str) -> bool:
    """Whether Multus has put its configuration before the cluster network's on a node: it makes it of that one, and
    makes it anew when that comes back.
    """
    if not cni.configured(world, node) or files.removed(world, node, CONFIGURATION):
        return False
    return any(
        key.startswith(_PODS) and any(each.state == "running" for each in run.containers)
        for key, run in runs.of_node(world, node)
    )


def configuration() -> str:
    """Its file, as its entrypoint makes it of flannel's."""
    found = {
        "cniVersion": "0.3.1", "name": "multus-cni-network", "type": "multus", "capabilities": {"portMappings": True},
        "kubeconfig": "/etc/cni/net.d/multus.d/multus.kubeconfig", "delegates": [json.loads(cni.TEXT)],
    }  # fmt: skip
    return json.dumps(found) + "\n"


def program(simulation: Sim, launch: Launch) -> Program:
    """What its pod does: it writes the file, if somebody has removed it."""
    gone = files.removed(simulation.world, launch.node, CONFIGURATION)
    return Program(writes=((CONFIGURATION, configuration()),) if gone else ())


def wanted(pod: KubeDict) -> list[tuple[str, str, str]]:
    """(namespace, name, interface) of the attachments that a pod asks for, in either form of the annotation."""
    text = str((pod["metadata"].get("annotations") or {}).get(WANTED, "")).strip()
    found: list[tuple[str, str, str]] = []
    for each in _elements(text):
        place, _, interface = each.partition("@")
        namespace, _, name = place.rpartition("/")
        found.append((namespace or namespace_of(pod), name, interface or f"net{len(found) + 1}"))
    return found


def _elements(text: str) -> list[str]:
    if not text.startswith("["):
        return [each.strip() for each in text.split(",") if each.strip()]
    try:
        listed: list[dict[str, str]] = json.loads(text)
    except ValueError:
        return []
    return [
        (f"{each['namespace']}/" if each.get("namespace") else "")
        + each.get("name", "")
        + (f"@{each['interface']}" if each.get("interface") else "")
        for each in listed
    ]


def problem(simulation: Sim, pod: KubeDict, node: str) -> str | None:
    """Why a pod does not get what it asks for, in Multus' words; None where it does, or where Multus does not run."""
    world = simulation.world
    for namespace, name, _ in wanted(pod) if runs_on(world, node) else ():
        who = f"{store.key_of(pod)}/{pod['metadata']['uid']}"
        begin = f'plugin type="multus" name="multus-cni-network" failed (add): Multus: [{who}]: '
        kept = store.look(world, networks.ATTACHMENTS, f"{namespace}/{name}")
        if kept is None:
            text = (
                f"cannot find a network-attachment-definition ({name}) in namespace ({namespace}): "
                f'network-attachment-definitions.k8s.cni.cncf.io "{name}" not found'
            )
            events_log.record(simulation, pod, "Warning", "NoNetworkFound", text, "multus")
            return begin + _DELEGATES + text
        why = _refusal(world, pod, node, kept)
        if why:
            return (
                f'plugin type="multus" name="multus-cni-network" failed (add): [{who}:{name}]: error adding container '
                f'to network "{name}": {why}'
            )
    return None


def _config(kept: KubeDict) -> dict[str, Any]:
    try:
        found: dict[str, Any] = json.loads(str(kept["spec"].get("config", "{}")))
    except ValueError:
        return {}
    return found


def _refusal(world: World, pod: KubeDict, node: str, kept: KubeDict) -> str | None:
    """What the attachment's own plugin says against it."""
    config = _config(kept)
    if config.get("type") in ("ipoib", "macvlan"):
        master = str(config.get("master", ""))
        if master not in {hca.netdev for hca in world.node(node).hcas}:
            return f'failed to lookup master "{master}": Link not found'
    resource = (kept["metadata"].get("annotations") or {}).get(networks.RESOURCE)
    if resource and not any(kind == resource for kind, _ in world.kube_pods[store.key_of(pod)].devices):
        return 'failed to load netconf: specify either "device", "hwaddr", "kernelpath" or "pciBusID"'
    return None


def attach(simulation: Sim, key: str) -> None:
    """The pod's sandbox stands: Multus writes what it has, into the pod's annotations and as events."""
    world, pod = simulation.world, store.find(simulation.world, store.PODS, key)
    run = world.kube_pods[key]
    if pod is None or pod["spec"].get("hostNetwork") or namespace_of(pod) == _SYSTEM or not runs_on(world, run.node):
        return
    found = [_status("cbr0", "eth0", run.address, key) | {"default": True, "dns": {}}]
    texts = [f"Add eth0 [{run.address}/24] from cbr0"]
    for namespace, name, interface in wanted(pod):
        place = f"{namespace}/{name}"
        address, prefix = _address(world, place)
        found.append(_status(place, interface, address, key) | {"dns": {}})
        texts.append(f"Add {interface} [{address}/{prefix}] from {place}")
    written = ",".join(json.dumps(each, indent=4) for each in found)
    pod["metadata"].setdefault("annotations", {})[STATUS] = f"[{written}]"
    store.put(simulation, store.PODS, pod)
    for text in texts:
        events_log.record(simulation, pod, "Normal", "AddedInterface", text, "multus")


def _status(name: str, interface: str, address: str, key: str) -> dict[str, Any]:
    mark = hash64("interface of a pod", key, interface)
    mac = ":".join(f"{mark >> shift & 0xFF:02x}" for shift in (32, 24, 16, 8, 0))
    return {"name": name, "interface": interface, "ips": [address] if address else [], "mac": f"0a:{mac}"}


def _address(world: World, place: str) -> tuple[str, int]:
    """The lowest address of an attachment's range that no pod has, and the range's length."""
    kept = store.look(world, networks.ATTACHMENTS, place)
    ipam = _config(kept).get("ipam") or {} if kept else {}
    try:
        network = ip_network(str(ipam.get("range") or ipam.get("subnet")), strict=False)
    except ValueError:
        return "", 0
    taken = {str(ipam.get("gateway", ""))}
    for pod in store.objects(world, store.PODS):
        text = (pod["metadata"].get("annotations") or {}).get(STATUS)
        for each in json.loads(text) if text else ():
            taken.update(each["ips"] if each["name"] == place else ())
    return next((str(each) for each in network.hosts() if str(each) not in taken), ""), network.prefixlen
