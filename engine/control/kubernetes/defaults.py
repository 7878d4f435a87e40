"""What the server fills into objects that leave it out (pkg/apis/*/v1/defaults.go and the admission plugins that
kubeadm turns on: ServiceAccount, DefaultTolerationSeconds, Priority, DefaultStorageClass).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from engine.control.kubernetes import registries, store
from engine.control.kubernetes.objects import KubeDict, amount, bytes_text, cores_text, milli, random_name
from engine.world.world import World

_DEFAULT_CLASS = "storageclass.kubernetes.io/is-default-class"
_TOKEN_SECONDS = 3607
_SYSTEM_PRIORITIES = {"system-cluster-critical": 2_000_000_000, "system-node-critical": 2_000_001_000}


def fill(world: World, of_store: str, thing: KubeDict) -> None:
    """Fill in what an object leaves out."""
    make = _MAKERS.get(of_store)
    if make is not None:
        make(world, thing)


def _set(into: KubeDict, **values: Any) -> None:
    for key, value in values.items():
        into.setdefault(key, value)


def pod_spec(spec: KubeDict) -> None:
    """A pod's spec, as it stands in a template too."""
    _set(
        spec, dnsPolicy="ClusterFirst", restartPolicy="Always", schedulerName="default-scheduler", securityContext={},
        terminationGracePeriodSeconds=30,
    )  # fmt: skip
    if spec.get("serviceAccountName"):
        _set(spec, serviceAccount=spec["serviceAccountName"])
    for each in [*spec.get("initContainers", ()), *spec.get("containers", ())]:
        _container(each)
    for volume in spec.get("volumes", ()):
        for kind in ("configMap", "secret", "projected", "downwardAPI"):
            if kind in volume:
                _set(volume[kind], defaultMode=420)
        if "hostPath" in volume:
            _set(volume["hostPath"], type="")


def _container(each: KubeDict) -> None:
    image = str(each.get("image", ""))
    latest = registries.canonical(image).endswith(":latest") if image else False
    _set(
        each, imagePullPolicy="Always" if latest else "IfNotPresent", resources={},
        terminationMessagePath="/dev/termination-log", terminationMessagePolicy="File",
    )  # fmt: skip
    for port in each.get("ports", ()):
        _set(port, protocol="TCP")
    for name in ("livenessProbe", "readinessProbe", "startupProbe"):
        if name in each:
            _probe(each[name])
    resources = each["resources"]
    for words in ("limits", "requests"):
        if words in resources:
            resources[words] = {name: quantity(name, value) for name, value in resources[words].items()}
    limits = resources.get("limits") or {}
    if limits:
        requests = resources.setdefault("requests", {})
        for name, value in limits.items():
            requests.setdefault(name, value)


def quantity(name: str, value: object) -> str:
    """A quantity as the server writes it back."""
    text = str(value)
    try:
        thousandths = milli(text)
    except ValueError:
        return text
    if name == "cpu":
        return cores_text(thousandths)
    if text.endswith("i") and text[:-2].isdecimal():
        return bytes_text(amount(text))
    return text


def _probe(probe: KubeDict) -> None:
    _set(probe, failureThreshold=3, periodSeconds=10, successThreshold=1, timeoutSeconds=1)
    if "httpGet" in probe:
        _set(probe["httpGet"], path="/", scheme="HTTP")


def _pod(world: World, thing: KubeDict) -> None:
    spec = thing["spec"]
    pod_spec(spec)
    _set(spec, enableServiceLinks=True, preemptionPolicy="PreemptLowerPriority")
    _priority(world, spec)
    _set(spec, serviceAccountName="default", serviceAccount=spec.get("serviceAccountName", "default"))
    tolerations = spec.setdefault("tolerations", [])
    for key in ("node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable"):
        if not any(
            each.get("key") in (key, None) and each.get("effect") in ("NoExecute", None) for each in tolerations
        ):
            tolerations.append({"effect": "NoExecute", "key": key, "operator": "Exists", "tolerationSeconds": 300})
    if spec.get("automountServiceAccountToken", True) and not spec.get("hostNetwork"):
        _mount_token(world, thing)


def _priority(world: World, spec: KubeDict) -> None:
    name = spec.get("priorityClassName")
    kept = store.find(world, "priorityclasses.scheduling.k8s.io", f"/{name}") if name else None
    _set(spec, priority=kept["value"] if kept else _SYSTEM_PRIORITIES.get(str(name), 0))


def _mount_token(world: World, thing: KubeDict) -> None:
    """The volume with the service account's token, in every container."""
    spec = thing["spec"]
    if any(volume["name"].startswith("kube-api-access-") for volume in spec.get("volumes", ())):
        return
    name = "kube-api-access-" + random_name(world.seed, f"token/{store.key_of(thing)}/{world.kube[''].version}", 5)
    field = {"fieldRef": {"apiVersion": "v1", "fieldPath": "metadata.namespace"}, "path": "namespace"}
    sources = [
        {"serviceAccountToken": {"expirationSeconds": _TOKEN_SECONDS, "path": "token"}},
        {"configMap": {"items": [{"key": "ca.crt", "path": "ca.crt"}], "name": "kube-root-ca.crt"}},
        {"downwardAPI": {"items": [field]}},
    ]
    spec.setdefault("volumes", []).append({"name": name, "projected": {"defaultMode": 420, "sources": sources}})
    for each in [*spec.get("initContainers", ()), *spec["containers"]]:
        mounts = each.setdefault("volumeMounts", [])
        place = "/var/run/secrets/kubernetes.io/serviceaccount"
        mounts.append({"mountPath": place, "name": name, "readOnly": True})


def _template(thing: KubeDict) -> None:
    template = thing["spec"].get("template")
    if isinstance(template, dict):
        template.setdefault("metadata", {}).setdefault("creationTimestamp", None)
        pod_spec(template.setdefault("spec", {}))


def _deployment(_: World, thing: KubeDict) -> None:
    spec = thing["spec"]
    rolling = {"rollingUpdate": {"maxSurge": "25%", "maxUnavailable": "25%"}, "type": "RollingUpdate"}
    _set(spec, progressDeadlineSeconds=600, replicas=1, revisionHistoryLimit=10, strategy=rolling)
    if spec["strategy"].get("type", "RollingUpdate") == "RollingUpdate":
        _set(spec["strategy"], type="RollingUpdate", rollingUpdate={})
        _set(spec["strategy"]["rollingUpdate"], maxSurge="25%", maxUnavailable="25%")
    _template(thing)


def _replica_set(_: World, thing: KubeDict) -> None:
    _set(thing["spec"], replicas=1)
    _template(thing)


def _stateful_set(_: World, thing: KubeDict) -> None:
    update = {"rollingUpdate": {"partition": 0}, "type": "RollingUpdate"}
    _set(
        thing["spec"], podManagementPolicy="OrderedReady", replicas=1, revisionHistoryLimit=10, updateStrategy=update,
        persistentVolumeClaimRetentionPolicy={"whenDeleted": "Retain", "whenScaled": "Retain"},
    )  # fmt: skip
    _template(thing)


def _daemon_set(_: World, thing: KubeDict) -> None:
    update = {"rollingUpdate": {"maxSurge": 0, "maxUnavailable": 1}, "type": "RollingUpdate"}
    _set(thing["spec"], revisionHistoryLimit=10, updateStrategy=update)
    _template(thing)


def _job(_: World, thing: KubeDict) -> None:
    spec, uid = thing["spec"], thing["metadata"].get("uid", "")
    _set(
        spec, backoffLimit=6, completionMode="NonIndexed", manualSelector=False, parallelism=1,
        podReplacementPolicy="TerminatingOrFailed", suspend=False,
    )  # fmt: skip
    spec.setdefault("completions", 1)
    labels = spec["template"].setdefault("metadata", {}).setdefault("labels", {})
    name = thing["metadata"]["name"]
    for prefix in ("batch.kubernetes.io/", ""):
        labels.setdefault(f"{prefix}controller-uid", uid)
        labels.setdefault(f"{prefix}job-name", name)
    spec.setdefault("selector", {"matchLabels": {"batch.kubernetes.io/controller-uid": uid}})
    _template(thing)


def _cron_job(_: World, thing: KubeDict) -> None:
    spec = thing["spec"]
    _set(spec, concurrencyPolicy="Allow", failedJobsHistoryLimit=1, successfulJobsHistoryLimit=3, suspend=False)
    template = spec.setdefault("jobTemplate", {})
    template.setdefault("metadata", {}).setdefault("creationTimestamp", None)
    job = template.setdefault("spec", {})
    job.setdefault("template", {}).setdefault("metadata", {}).setdefault("creationTimestamp", None)
    pod_spec(job["template"].setdefault("spec", {}))


def _autoscaler(_: World, thing: KubeDict) -> None:
    _set(thing["spec"], minReplicas=1)
    if not thing["spec"].get("metrics"):
        target = {"averageUtilization": 80, "type": "Utilization"}
        thing["spec"]["metrics"] = [{"resource": {"name": "cpu", "target": target}, "type": "Resource"}]


def _network_policy(_: World, thing: KubeDict) -> None:
    spec = thing["spec"]
    _set(spec, policyTypes=["Ingress", *(["Egress"] if spec.get("egress") else [])], podSelector={})
    for rule in [*(spec.get("ingress") or ()), *(spec.get("egress") or ())]:
        for port in rule.get("ports") or ():
            _set(port, protocol="TCP")


def _service(_: World, thing: KubeDict) -> None:
    spec = thing["spec"]
    _set(spec, internalTrafficPolicy="Cluster", sessionAffinity="None", type="ClusterIP")
    _set(spec, ipFamilies=["IPv4"], ipFamilyPolicy="SingleStack")
    for port in spec.get("ports", ()):
        _set(port, protocol="TCP", targetPort=port.get("port"))


def _claim(world: World, thing: KubeDict) -> None:
    spec = thing["spec"]
    _set(spec, volumeMode="Filesystem")
    if "storageClassName" not in spec:
        for each in store.objects(world, "storageclasses.storage.k8s.io"):
            if (each["metadata"].get("annotations") or {}).get(_DEFAULT_CLASS) == "true":
                spec["storageClassName"] = each["metadata"]["name"]


def _storage_class(_: World, thing: KubeDict) -> None:
    _set(thing, reclaimPolicy="Delete", volumeBindingMode="Immediate")


def _namespace(_: World, thing: KubeDict) -> None:
    thing.setdefault("spec", {}).setdefault("finalizers", ["kubernetes"])
    labels = thing["metadata"].setdefault("labels", {})
    labels.setdefault("kubernetes.io/metadata.name", thing["metadata"]["name"])


def _secret(_: World, thing: KubeDict) -> None:
    import base64

    _set(thing, type="Opaque")
    for key, value in (thing.pop("stringData", None) or {}).items():
        thing.setdefault("data", {})[key] = base64.b64encode(str(value).encode()).decode()


_MAKERS: dict[str, Callable[[World, KubeDict], None]] = {
    store.PODS: _pod,
    store.DEPLOYMENTS: _deployment,
    store.REPLICA_SETS: _replica_set,
    store.STATEFUL_SETS: _stateful_set,
    store.DAEMON_SETS: _daemon_set,
    store.JOBS: _job,
    store.SERVICES: _service,
    "cronjobs.batch": _cron_job,
    "horizontalpodautoscalers.autoscaling": _autoscaler,
    "networkpolicies.networking.k8s.io": _network_policy,
    store.NAMESPACES: _namespace,
    "persistentvolumeclaims": _claim,
    "storageclasses.storage.k8s.io": _storage_class,
    "secrets": _secret,
}
