"""Secondary networks of the Network Operator: each IPoIBNetwork, HostDeviceNetwork and MacvlanNetwork becomes a
NetworkAttachmentDefinition of the same name in the namespace that it names (`networkNamespace`, else default), and
moves when that changes (24.10, controllers/*network_controller.go and manifests/state-*-network).
"""

from __future__ import annotations

import json
from typing import Any

from engine.control.kubernetes import control_plane, creating, deleting, store
from engine.control.kubernetes.objects import KubeDict, name_of, owner_reference
from engine.kernel.events import Event, Handler
from engine.kernel.simulation import Simulation
from engine.world.kubernetes_events import KubeObjectChanged
from engine.world.world import World

Sim = Simulation[World]
STORES = ("hostdevicenetworks.mellanox.com", "ipoibnetworks.mellanox.com", "macvlannetworks.mellanox.com")
ATTACHMENTS = "network-attachment-definitions.k8s.cni.cncf.io"
RESOURCE = "k8s.v1.cni.cncf.io/resourceName"


def status(simulation: Sim, thing: KubeDict) -> KubeDict:
    """The status of a network."""
    place = f"/apis/k8s.cni.cncf.io/v1/namespaces/{_namespace(thing)}/network-attachment-definitions/{name_of(thing)}"
    there = store.exists(simulation.world, ATTACHMENTS, _key(thing))
    return {"hostDeviceNetworkAttachmentDef" if "resourceName" in thing["spec"] else "networkAttachmentDef": place} | {
        "state": "ready" if there else "notReady"
    }


def _namespace(thing: KubeDict) -> str:
    return str(thing["spec"].get("networkNamespace") or "default")


def _key(thing: KubeDict) -> str:
    return f"{_namespace(thing)}/{name_of(thing)}"


def _definition(thing: KubeDict) -> KubeDict:
    """The attachment that a network asks for."""
    spec, annotations = thing["spec"], dict[str, str]()
    config: dict[str, Any] = {"cniVersion": "0.3.1", "name": name_of(thing)}
    if thing["kind"] == "HostDeviceNetwork":
        config["type"] = "host-device"
        annotations[RESOURCE] = f"nvidia.com/{spec.get('resourceName', '')}"
    else:
        config |= {"type": "ipoib" if thing["kind"] == "IPoIBNetwork" else "macvlan", "master": spec.get("master", "")}
        config |= {name: spec[name] for name in ("mode", "mtu") if name in spec}
    config["ipam"] = _ipam(str(spec.get("ipam") or "{}"))
    metadata: KubeDict = {"name": name_of(thing), "namespace": _namespace(thing)}
    metadata["ownerReferences"] = [owner_reference(thing)]
    if annotations:
        metadata["annotations"] = annotations
    return {
        "apiVersion": "k8s.cni.cncf.io/v1", "kind": "NetworkAttachmentDefinition", "metadata": metadata,
        "spec": {"config": json.dumps(config)},
    }  # fmt: skip


def _ipam(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return {}


def _changed(simulation: Sim, event: KubeObjectChanged) -> None:
    """A network was made or changed; one that goes takes its attachment along (its owner's collector does that)."""
    world = simulation.world
    if event.store not in STORES or event.gone or not control_plane.controls(world):
        return
    thing = store.find(world, event.store, event.key)
    if thing is None:
        return
    for key in store.keys(world, ATTACHMENTS):
        kept = store.look(world, ATTACHMENTS, key)
        owners = (kept or {"metadata": {}})["metadata"].get("ownerReferences") or ()
        if key != _key(thing) and any(each["uid"] == thing["metadata"]["uid"] for each in owners):
            deleting.now(simulation, ATTACHMENTS, key)
    wanted, there = _definition(thing), store.find(world, ATTACHMENTS, _key(thing))
    if there is None:
        creating.make(simulation, ATTACHMENTS, wanted, custom=True)
    elif there["spec"] != wanted["spec"]:
        store.put(simulation, ATTACHMENTS, there | {"spec": wanted["spec"]})


HANDLERS: tuple[tuple[type[Event], Handler], ...] = ((KubeObjectChanged, _changed),)
