"""What the server refuses in CronJobs, HorizontalPodAutoscalers, Ingresses and NetworkPolicies (pkg/apis/batch,
autoscaling and networking validation), in the form of engine.control.kubernetes.validation.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from engine.control.kubernetes import cron_schedule
from engine.control.kubernetes.objects import KubeDict
from engine.kernel.calendar import zone_names

Cause = tuple[str, str, str]
_LONGEST_CRON_JOB = 52


def _required(field: str, why: str = "") -> Cause:
    return field, "FieldValueRequired", f"Required value: {why}" if why else "Required value"


def _invalid(field: str, value: object, why: str) -> Cause:
    shown = f'"{value}"' if isinstance(value, str) else str(value)
    return field, "FieldValueInvalid", f"Invalid value: {shown}: {why}"


def _one_of(field: str, value: object, words: Sequence[str]) -> Iterator[Cause]:
    if value not in words:
        known = ", ".join(f'"{word}"' for word in sorted(words))
        yield field, "FieldValueNotSupported", f'Unsupported value: "{value}": supported values: {known}'


def _cron_job(thing: KubeDict) -> Iterator[Cause]:
    spec, name = thing.get("spec") or {}, str(thing["metadata"].get("name", ""))
    if len(name) > _LONGEST_CRON_JOB:
        yield _invalid("metadata.name", name, "must be no more than 52 characters")
    schedule = str(spec.get("schedule") or "")
    if not schedule:
        yield _required("spec.schedule")
    else:
        try:
            cron_schedule.parse(schedule)
        except cron_schedule.BadSchedule as why:
            yield _invalid("spec.schedule", schedule, str(why))
    zone = spec.get("timeZone")
    if zone is not None and zone not in zone_names():
        yield _invalid("spec.timeZone", zone, f"unknown time zone {zone}")
    yield from _one_of("spec.concurrencyPolicy", spec.get("concurrencyPolicy"), ("Allow", "Forbid", "Replace"))
    pod = ((spec.get("jobTemplate") or {}).get("spec") or {}).get("template", {}).get("spec") or {}
    at = "spec.jobTemplate.spec.template.spec"
    if not pod.get("containers"):
        yield _required(f"{at}.containers")
    policy = pod.get("restartPolicy", "Always")
    if policy == "Always":
        yield _required(f"{at}.restartPolicy", 'valid values: "OnFailure", "Never"')


def _autoscaler(thing: KubeDict) -> Iterator[Cause]:
    spec = thing.get("spec") or {}
    least, most, target = spec.get("minReplicas", 1), spec.get("maxReplicas", 0), spec.get("scaleTargetRef") or {}
    for name in ("kind", "name"):
        if not target.get(name):
            yield _required(f"spec.scaleTargetRef.{name}")
    if least < 1:
        yield _invalid("spec.minReplicas", least, "must be greater than or equal to 1")
    if most < 1:
        yield _invalid("spec.maxReplicas", most, "must be greater than 0")
    if most < least:
        yield _invalid("spec.maxReplicas", most, "must be greater than or equal to `minReplicas`")


def _ingress(thing: KubeDict) -> Iterator[Cause]:
    spec = thing.get("spec") or {}
    if not spec.get("rules") and not spec.get("defaultBackend"):
        text = "Invalid value: []networking.IngressRule(nil): either `defaultBackend` or `rules` must be specified"
        yield "spec", "FieldValueInvalid", text
    for number, rule in enumerate(spec.get("rules") or ()):
        at = f"spec.rules[{number}].http.paths"
        paths = (rule.get("http") or {}).get("paths")
        if "http" in rule and not paths:
            yield _required(at)
        for place, path in enumerate(paths or ()):
            yield from _path(path, f"{at}[{place}]")


def _path(path: KubeDict, at: str) -> Iterator[Cause]:
    kind = path.get("pathType")
    if not kind:
        yield _required(f"{at}.pathType", "pathType must be specified")
    else:
        yield from _one_of(f"{at}.pathType", kind, ("Exact", "ImplementationSpecific", "Prefix"))
    if kind in ("Exact", "Prefix") and not str(path.get("path", "")).startswith("/"):
        yield _invalid(f"{at}.path", path.get("path", ""), "must be an absolute path")
    service = (path.get("backend") or {}).get("service") or {}
    if service and not service.get("name"):
        yield _required(f"{at}.backend.service.name")
    if service and not (service.get("port") or {}):
        yield _required(f"{at}.backend.service", "port name or number is required")


def _network_policy(thing: KubeDict) -> Iterator[Cause]:
    spec = thing.get("spec") or {}
    for number, kind in enumerate(spec.get("policyTypes") or ()):
        yield from _one_of(f"spec.policyTypes[{number}]", kind, ("Egress", "Ingress"))
    for direction, side in (("ingress", "from"), ("egress", "to")):
        for number, rule in enumerate(spec.get(direction) or ()):
            at = f"spec.{direction}[{number}]"
            for place, port in enumerate(rule.get("ports") or ()):
                yield from _one_of(f"{at}.ports[{place}].protocol", port.get("protocol"), ("SCTP", "TCP", "UDP"))
            for place, peer in enumerate(rule.get(side) or ()):
                if not peer:
                    yield _required(f"{at}.{side}[{place}]", "must specify a peer")
                elif "ipBlock" in peer and len(peer) > 1:
                    text = "Forbidden: may not specify both ipBlock and another peer"
                    yield f"{at}.{side}[{place}]", "FieldValueForbidden", text


CHECKS: dict[str, Callable[[KubeDict], Iterator[Cause]]] = {
    "cronjobs.batch": _cron_job,
    "horizontalpodautoscalers.autoscaling": _autoscaler,
    "ingresses.networking.k8s.io": _ingress,
    "networkpolicies.networking.k8s.io": _network_policy,
}
