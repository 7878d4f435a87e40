"""The description of a node: its conditions, what it has, and what its pods ask for.

Source: kubectl pkg/describe/describe.go (describeNode, describeNodeResource). A pod's request is the larger of the sum
of its containers and of its largest init container, and the overhead of its runtime class.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from engine.commands.kubernetes._kubectl import release, spans
from engine.commands.kubernetes._kubectl.describing import writer
from engine.commands.kubernetes._kubectl.describing.writer import Writer
from engine.commands.kubernetes._kubectl.quantities import Quantity, parse
from engine.commands.kubernetes._kubectl.session import Session
from engine.control.kubernetes.api import StatusError

Plain = Mapping[str, Any]
Amounts = dict[str, Quantity]
_ROLE = "node-role.kubernetes.io/"
_STANDARD = frozenset({"cpu", "memory", "ephemeral-storage", "pods", "storage"})
_INFO = (
    ("Machine ID", "machineID"), ("System UUID", "systemUUID"), ("Boot ID", "bootID"),
    ("Kernel Version", "kernelVersion"), ("OS Image", "osImage"), ("Operating System", "operatingSystem"),
    ("Architecture", "architecture"), ("Container Runtime Version", "containerRuntimeVersion"),
    ("Kubelet Version", "kubeletVersion"), ("Kube-Proxy Version", "kubeProxyVersion"),
)  # fmt: skip


def describe(session: Session, node: dict[str, Any]) -> str:
    """A node."""
    out = Writer(session.minor)
    metadata, spec, status = node["metadata"], node.get("spec") or {}, node.get("status") or {}
    out.pair("Name", metadata["name"])
    roles = {key.removeprefix(_ROLE) for key in metadata.get("labels") or {} if key.startswith(_ROLE)} - {""}
    out.pair("Roles", ",".join(sorted(roles)) or "<none>")
    writer.marks(out, node)
    out.pair("CreationTimestamp", spans.long(metadata.get("creationTimestamp")))
    writer.lines(out, "Taints", taints(spec.get("taints") or ()))
    out.pair("Unschedulable", str(bool(spec.get("unschedulable"))).lower())
    _lease(session, out, metadata["name"])
    _conditions(out, status.get("conditions") or ())
    out.line(0, "Addresses:")
    for address in status.get("addresses") or ():
        out.pair(address["type"], address["address"], 1)
    for title in ("capacity", "allocatable"):
        if status.get(title):
            out.line(0, f"{title.capitalize()}:")
            for name in sorted(status[title]):
                out.pair(name, parse(status[title][name]), 1)
    out.line(0, "System Info:")
    info = status.get("nodeInfo") or {}
    for title, key in _INFO:
        if key != "kubeProxyVersion" or out.minor < release.NO_PROXY_VERSION:
            out.pair(title, info.get(key, ""), 1)
    if spec.get("podCIDR"):
        out.pair("PodCIDR", spec["podCIDR"])
    if spec.get("podCIDRs"):
        out.pair("PodCIDRs", ",".join(spec["podCIDRs"]))
    if spec.get("providerID"):
        out.pair("ProviderID", spec["providerID"])
    _pods(session, out, metadata["name"], status.get("allocatable") or status.get("capacity") or {})
    # Controllers report a node by its uid, kubelets by its name.
    writer.events(session, out, node, kind="Node", uids=(str(metadata.get("uid", "")), metadata["name"]))
    return out.text()


def taints(found: Sequence[Plain]) -> list[str]:
    """Taints as kubectl writes them, in its order."""
    texts = []
    for each in sorted(found, key=lambda one: f"{one.get('effect', '')},{one.get('key', '')}"):
        value = f"={each['value']}" if each.get("value") else ""
        texts.append(f"{each['key']}{value}:{each.get('effect', '')}")
    return texts


def _lease(session: Session, out: Writer, name: str) -> None:
    try:
        lease = session.server.get(session.resource("leases"), "kube-node-lease", name)
    except StatusError as refusal:
        out.pair("Lease", f"Failed to get lease: {refusal.message}")
        return
    spec = lease.get("spec") or {}
    out.line(0, "Lease:")
    out.pair("HolderIdentity", spec.get("holderIdentity", "<unset>"), 1)
    for title, key in (("AcquireTime", "acquireTime"), ("RenewTime", "renewTime")):
        out.pair(title, spans.long(spec[key]) if spec.get(key) else "<unset>", 1)


def _conditions(out: Writer, conditions: Sequence[Plain]) -> None:
    if not conditions:
        return
    out.parts.append("Conditions:\n  Type\tStatus\tLastHeartbeatTime\tLastTransitionTime\tReason\tMessage\n")
    out.line(1, "----\t------\t-----------------\t------------------\t------\t-------")
    for each in conditions:
        times = [spans.long(each.get(key)) for key in ("lastHeartbeatTime", "lastTransitionTime")]
        reason, message = each.get("reason", ""), each.get("message", "")
        out.line(1, f"{each['type']} \t{each['status']} \t{times[0]} \t{times[1]} \t{reason} \t{message}")


def requested(pod: Plain, kind: str) -> Amounts:
    """What a pod asks for ("requests") or may use ("limits")."""
    spec = pod.get("spec") or {}
    total: Amounts = {}
    for each in spec.get("containers") or ():
        for name, text in ((each.get("resources") or {}).get(kind) or {}).items():
            total[name] = total.get(name, Quantity()) + parse(text)
    for each in spec.get("initContainers") or ():
        for name, text in ((each.get("resources") or {}).get(kind) or {}).items():
            amount = parse(text)
            if amount.nano > total.get(name, Quantity()).nano:
                total[name] = amount
    for name, text in (spec.get("overhead") or {}).items():
        if kind == "requests" or name in total:
            total[name] = total.get(name, Quantity()) + parse(text)
    return total


def _share(amount: Quantity, of: Quantity, thousandths: bool = False) -> str:
    """`96 (50%)`; Go's division of floats is cut off."""
    whole = of.milli if thousandths else of.value
    part = amount.milli if thousandths else amount.value
    percent = int(part / whole * 100) if whole else 0
    return f"{amount} ({percent}%)"


def _pods(session: Session, out: Writer, node: str, allocatable: Plain) -> None:
    """The pods that have not ended, and the sums of what they ask for."""
    resource = session.resource("pods")
    selector = f"spec.nodeName={node},status.phase!=Failed,status.phase!=Succeeded"
    pods = session.server.list(resource, "", "", selector)["items"]
    room = {name: parse(text) for name, text in allocatable.items()}
    cpu, memory = room.get("cpu", Quantity()), room.get("memory", Quantity())
    out.pair("Non-terminated Pods", f"({len(pods)} in total)")
    out.line(1, "Namespace\tName\t\tCPU Requests\tCPU Limits\tMemory Requests\tMemory Limits\tAge")
    out.line(1, "---------\t----\t\t------------\t----------\t---------------\t-------------\t---")
    sums: dict[str, Amounts] = {"requests": {}, "limits": {}}
    for pod in pods:
        amounts = {kind: requested(pod, kind) for kind in sums}
        for kind, into in sums.items():
            for name, amount in amounts[kind].items():
                into[name] = into.get(name, Quantity()) + amount
        shares = [_share(amounts[kind].get("cpu", Quantity()), cpu, thousandths=True) for kind in sums]
        shares += [_share(amounts[kind].get("memory", Quantity()), memory) for kind in sums]
        age = spans.since(pod["metadata"].get("creationTimestamp"), session.now)
        out.line(1, f"{pod['metadata']['namespace']}\t{pod['metadata']['name']}\t\t" + "\t".join([*shares, age]))
    _sums(out, room, sums)


def _sums(out: Writer, room: Amounts, sums: dict[str, Amounts]) -> None:
    out.parts.append("Allocated resources:\n  (Total limits may be over 100 percent, i.e., overcommitted.)\n")
    out.line(1, "Resource\tRequests\tLimits")
    out.line(1, "--------\t--------\t------")
    huge = sorted(name for name in room if name.startswith("hugepages-"))
    extended = sorted(name for name in room if name not in _STANDARD and name not in huge)
    for name in ("cpu", "memory", "ephemeral-storage", *huge):
        whole = room.get(name, Quantity())
        shares = [_share(sums[kind].get(name, Quantity()), whole, name == "cpu") for kind in ("requests", "limits")]
        out.line(1, f"{name}\t{shares[0]}\t{shares[1]}")
    for name in extended:
        out.line(1, f"{name}\t{sums['requests'].get(name, Quantity())}\t{sums['limits'].get(name, Quantity())}")
