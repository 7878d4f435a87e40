"""Cells of the server's tables that are more than a value at a path (pkg/printers/internalversion/printers.go)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from engine.control.kubernetes import selectors
from engine.control.kubernetes.objects import KubeDict

NONE = "<none>"
_MODES = {"ReadWriteOnce": "RWO", "ReadOnlyMany": "ROX", "ReadWriteMany": "RWX", "ReadWriteOncePod": "RWOP"}


def ready_containers(pod: KubeDict) -> str:
    """`1/2`: the ready ones of a pod's containers."""
    statuses = pod["status"].get("containerStatuses") or ()
    ready = sum(each["ready"] and "running" in each["state"] for each in statuses)
    return f"{ready}/{len(pod['spec']['containers'])}"


def restarts(pod: KubeDict, since: Callable[[str], str]) -> str:
    """`3 (2m ago)`: restarts of the containers (of the init containers until these are through), and the last one."""
    found = pod["status"]
    init = found.get("initContainerStatuses") or ()
    waiting = any("terminated" not in each["state"] or each["state"]["terminated"]["exitCode"] for each in init)
    statuses = init if waiting else found.get("containerStatuses") or ()
    count = sum(each["restartCount"] for each in statuses)
    ends = [each["lastState"]["terminated"]["finishedAt"] for each in statuses if each["lastState"].get("terminated")]
    return f"{count} ({since(max(ends))} ago)" if count and ends else str(count)


def node_word(node: KubeDict) -> str:
    """Ready, NotReady, Ready,SchedulingDisabled."""
    ready = next((each["status"] for each in node["status"]["conditions"] if each["type"] == "Ready"), None)
    words = ["Unknown" if ready is None else "Ready" if ready == "True" else "NotReady"]
    if node.get("spec", {}).get("unschedulable"):
        words.append("SchedulingDisabled")
    return ",".join(words)


def address(node: KubeDict, kind: str) -> str:
    """The first address of a kind that a node has."""
    found = (each["address"] for each in node["status"].get("addresses", ()) if each["type"] == kind)
    return next(found, NONE)


def ready_replicas(thing: KubeDict) -> str:
    """`2/3`."""
    return f"{thing['status'].get('readyReplicas', 0)}/{thing['spec'].get('replicas', 1)}"


def _template(thing: KubeDict) -> KubeDict:
    found: KubeDict = thing["spec"]["template"]["spec"]
    return found


def container_names(thing: KubeDict) -> str:
    """Names of a template's containers."""
    return ",".join(each["name"] for each in _template(thing)["containers"])


def images(thing: KubeDict) -> str:
    """Images of a template's containers."""
    return ",".join(each["image"] for each in _template(thing)["containers"])


def selector(thing: KubeDict) -> str:
    """A workload's selector."""
    return selectors.text_of(thing["spec"].get("selector"))


def label_selector(found: KubeDict | None) -> str:
    """A LabelSelector."""
    return selectors.text_of(found)


def pairs(found: Mapping[str, str] | None) -> str:
    """`a=b,c=d`."""
    return ",".join(f"{key}={value}" for key, value in sorted((found or {}).items())) or NONE


def node_selector(thing: KubeDict) -> str:
    """A template's nodeSelector."""
    return pairs(_template(thing).get("nodeSelector"))


def job_word(job: KubeDict) -> str:
    """Complete, Failed, Suspended, Terminating or Running."""
    conditions = {each["type"]: each["status"] for each in job.get("status", {}).get("conditions") or ()}
    for kind, word in (("Complete", "Complete"), ("Failed", "Failed"), ("Suspended", "Suspended")):
        if conditions.get(kind) == "True":
            return word
    if job["metadata"].get("deletionTimestamp"):
        return "Terminating"
    return "FailureTarget" if conditions.get("FailureTarget") == "True" else "Running"


def completions(job: KubeDict) -> str:
    """`1/3`, or for a Job without a number `0/1 of 2`."""
    done = job.get("status", {}).get("succeeded", 0)
    wanted = job["spec"].get("completions")
    if wanted is not None:
        return f"{done}/{wanted}"
    parallel = job["spec"].get("parallelism", 1)
    return f"{done}/1 of {parallel}" if parallel > 1 else f"{done}/1"


def ports(service: KubeDict) -> str:
    """`80/TCP,443:30443/TCP`."""
    found = []
    for each in service["spec"].get("ports") or ():
        node = f":{each['nodePort']}" if each.get("nodePort") else ""
        found.append(f"{each['port']}{node}/{each.get('protocol', 'TCP')}")
    return ",".join(found) or NONE


def few(texts: Sequence[str], nothing: str = NONE) -> str:
    """Three of them, and how many more there are."""
    if not texts:
        return nothing
    more = len(texts) - 3
    return ",".join(texts[:3]) + (f" + {more} more..." if more > 0 else "")


def endpoints(thing: KubeDict) -> str:
    """The ready addresses with their ports."""
    found = [
        f"{each['ip']}:{port['port']}"
        for subset in thing.get("subsets") or ()
        for port in subset["ports"]
        for each in subset.get("addresses") or ()
    ]
    return few(found)


def slice_endpoints(thing: KubeDict) -> str:
    """The addresses of an EndpointSlice."""
    return few([each["addresses"][0] for each in thing.get("endpoints") or ()], "<unset>")


def involved(event: KubeDict) -> KubeDict:
    """What an event is about."""
    found: KubeDict = event.get("involvedObject") or event.get("regarding") or {}
    return found


def event_object(event: KubeDict) -> str:
    """`pod/trainer-0`."""
    about = involved(event)
    return f"{about.get('kind', '').lower()}/{about.get('name', '')}"


def event_source(event: KubeDict) -> str:
    """Who tells an event, and from which host."""
    source = event.get("source") or event.get("deprecatedSource") or {}
    parts = [source.get("component", ""), source.get("host", "")]
    return ", ".join(part for part in parts if part)


def modes(found: Sequence[str]) -> str:
    """Access modes in short: `RWO,RWX`."""
    return ",".join(_MODES[each] for each in _MODES if each in found)


def claim_word(claim: KubeDict) -> str:
    """A claim's phase."""
    if claim["metadata"].get("deletionTimestamp"):
        return "Terminating"
    return str(claim.get("status", {}).get("phase", "Pending"))


def claim_modes(claim: KubeDict) -> str:
    """A bound claim's access modes."""
    return modes(claim["spec"].get("accessModes") or ()) if claim["spec"].get("volumeName") else ""


def claim_reference(volume: KubeDict) -> str:
    """A volume's claim."""
    found = volume["spec"].get("claimRef")
    return f"{found['namespace']}/{found['name']}" if found else ""


def storage_class_name(thing: KubeDict) -> str:
    """The name of a storage class, marked if it is the usual one."""
    marks = thing["metadata"].get("annotations") or {}
    default = marks.get("storageclass.kubernetes.io/is-default-class") == "true"
    return f"{thing['metadata']['name']} (default)" if default else str(thing["metadata"]["name"])


def ingress_hosts(thing: KubeDict) -> str:
    """The hosts of an Ingress' rules."""
    hosts = [each["host"] for each in thing["spec"].get("rules") or () if each.get("host")]
    return few(hosts, "*")


def autoscaler_targets(thing: KubeDict) -> str:
    """`cpu: <unknown>/80%`: there is no metrics server to ask."""
    found = []
    for each in thing["spec"].get("metrics") or ():
        part = each.get(str(each.get("type", ""))[:1].lower() + str(each.get("type", ""))[1:]) or {}
        target = part.get("target") or {}
        aim = f"{target['averageUtilization']}%" if "averageUtilization" in target else target.get("averageValue")
        name = f"{part['name']}: " if part.get("name") else ""
        found.append(f"{name}<unknown>/{aim or target.get('value', '<auto>')}")
    return few(found)


def quota(thing: KubeDict, *, limits: bool) -> str:
    """`requests.cpu: 0/4` for each resource that a quota bounds."""
    hard, used = thing["spec"].get("hard") or {}, thing.get("status", {}).get("used") or {}
    names = [name for name in sorted(hard) if name.startswith("limits.") == limits]
    return ", ".join(f"{name}: {used.get(name, 0)}/{hard[name]}" for name in names)


def role(binding: KubeDict) -> str:
    """What a binding grants."""
    found = binding["roleRef"]
    return f"{found['kind']}/{found['name']}"
