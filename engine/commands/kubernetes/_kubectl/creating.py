"""kubectl create SUBCOMMAND and kubectl run: objects from options.

Source: kubectl pkg/cmd/create, pkg/cmd/run. What --dry-run=client shows is the client's own object, with the empty
parts that Go's structures have.
"""

from __future__ import annotations

import base64
from collections.abc import Callable
from typing import Any

from engine.commands.kubernetes._kubectl import applying, inside, manifests, merging, printing, release
from engine.commands.kubernetes._kubectl.failures import NotModelled, error, usage
from engine.commands.kubernetes._kubectl.flags import Flag, flags
from engine.commands.kubernetes._kubectl.selecting import Found
from engine.commands.kubernetes._kubectl.session import Session
from engine.control.kubernetes.api import StatusError
from engine.hostfs.tree import FileError
from engine.kernel.units import SECOND

CREATE_FLAGS = (
    *applying.CREATE_FLAGS, *flags("list", "image from-literal from-file env hard"), Flag("replicas", "r", "int"),
    Flag("port", kind="int"), Flag("from"), Flag("type"), *flags("list", "scopes from-env-file"),
    Flag("value", kind="int"), Flag("description"), *flags("bool", "global-default append-hash"),
    Flag("schedule"), Flag("restart"),
)  # fmt: skip
RUN_FLAGS = (
    *printing.OUTPUT, *flags("string", "image image-pull-policy port"), Flag("env", kind="list"), Flag("labels", "l"),
    Flag("restart"), Flag("overrides"), Flag("dry-run", bare="unchanged"), Flag("annotations", kind="list"),
    *flags("bool", "i/stdin t/tty rm attach command expose q/quiet privileged leave-stdin-open wait force save-config"),
    Flag("pod-running-timeout", kind="duration"), Flag("override-type"), Flag("grace-period", kind="int"),
    Flag("timeout", kind="duration"), Flag("cascade", bare="background"), Flag("field-manager"),
)  # fmt: skip
_UNKNOWN = (
    "clusterrole", "clusterrolebinding", "ingress", "ing", "poddisruptionbudget", "pdb",
    "priorityclass", "pc", "role", "rolebinding", "service", "svc", "token",
)  # fmt: skip
_RESTARTS = ("Always", "OnFailure", "Never")


async def create(session: Session) -> None:
    """kubectl create."""
    words = session.line.operands
    if not words:
        await applying.create_files(session)
        return
    maker = _MAKERS.get(words[0])
    if maker is None:
        if words[0] in _UNKNOWN:
            raise NotModelled(f"kubectl create {words[0]}")
        raise usage("create", f"Unexpected args: [{' '.join(words)}]")
    rest = words[1:]
    if words[0] == "secret":
        if rest[:1] != ["generic"]:
            raise NotModelled("kubectl create secret other than generic")
        rest = rest[1:]
    path = f"create {' '.join(words[:1])}" + (" generic" if words[0] == "secret" else "")
    if words[0] in ("deployment", "deploy") and "image" not in session.line:
        raise error('required flag(s) "image" not set')
    if len(rest) != 1:
        raise usage(path, f"exactly one NAME is required, got {len(rest)}")
    _make(session, maker(session, rest[0]))


def _make(session: Session, thing: dict[str, Any]) -> None:
    dry = printing.dry(session)
    if session.line.on("save-config"):
        thing = merging.applied(thing)
    resource = session.server.resource_of(thing)
    assert resource is not None
    if "namespace" in session.line and resource.namespaced:
        thing["metadata"]["namespace"] = session.namespace
    if dry == "client":
        printing.outcome(session, Found(resource, _as_the_client(session, thing)), "created")
        return
    namespace = session.namespace if resource.namespaced else ""
    try:
        made = session.server.create(resource, namespace, thing, dry_run=dry == "server")
    except StatusError as refusal:
        if resource.plural in ("jobs", "deployments", "configmaps", "secrets") and session.verb == "create":
            word = {"jobs": "job", "deployments": "deployment", "configmaps": "configmap"}.get(
                resource.plural, "secret"
            )
            raise error(f"failed to create {word}: {refusal.message}") from None
        raise
    printing.outcome(session, Found(resource, made), "created")


def _as_the_client(session: Session, thing: dict[str, Any]) -> dict[str, Any]:
    """An object as the client prints it before the server has seen it."""
    empty: dict[str, Any] = {"creationTimestamp": None} if session.minor < release.NO_EMPTY_TIMES else {}
    shown = {**thing, "metadata": {**empty, **thing["metadata"]}}
    kind = thing["kind"]
    if kind in ("Deployment", "Job"):
        template = thing["spec"]["template"]
        inner = {**template, "metadata": {**empty, **template.get("metadata", {})}}
        inner["spec"] = _with_empty_resources(template["spec"])
        extra: dict[str, Any] = {"strategy": {}} if kind == "Deployment" else {}
        shown["spec"] = {**thing["spec"], **extra, "template": inner}
    elif kind == "CronJob":
        job = thing["spec"]["jobTemplate"]
        inner = {"metadata": dict(empty), "spec": _with_empty_resources(job["spec"]["template"]["spec"])}
        outer = {"metadata": {**empty, **job["metadata"]}, "spec": {**job["spec"], "template": inner}}
        shown["spec"] = {**thing["spec"], "jobTemplate": outer}
    elif kind == "Pod":
        shown["spec"] = _with_empty_resources(thing["spec"])
    elif kind == "Namespace":
        shown["spec"] = {}
    if kind in ("Deployment", "Job", "CronJob", "Pod", "Namespace", "ResourceQuota"):
        shown["status"] = {}
    return shown


def _with_empty_resources(spec: dict[str, Any]) -> dict[str, Any]:
    return {**spec, "containers": [{"resources": {}, **each} for each in spec["containers"]]}


def _namespace(session: Session, name: str) -> dict[str, Any]:
    return {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}}


def _service_account(session: Session, name: str) -> dict[str, Any]:
    return {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": name}}


def _config_map(session: Session, name: str) -> dict[str, Any]:
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}, "data": _data(session)}


def _secret(session: Session, name: str) -> dict[str, Any]:
    data = {key: base64.b64encode(value.encode()).decode() for key, value in _data(session).items()}
    kind = {"type": session.line.text("type")} if session.line.text("type") else {}
    return {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": name}, "data": data, **kind}


def _data(session: Session) -> dict[str, str]:
    """--from-literal and --from-file."""
    data: dict[str, str] = {}
    for pair in session.line.raw("from-literal"):
        key, equals, value = pair.partition("=")
        if not equals:
            raise error(f"invalid literal source {pair}, expected key=value")
        data[key] = value
    for pair in session.line.raw("from-file"):
        key, equals, path = pair.partition("=")
        path = path if equals else pair
        key = key if equals else pair.rpartition("/")[2]
        try:
            text = session.ctx.files.read(manifests.full_path(session.ctx, path))
        except FileError as why:
            raise error(f"error reading {path}: {why.text.lower()}") from None
        data[key] = text.decode("utf-8", "replace")
    return data


def _deployment(session: Session, name: str) -> dict[str, Any]:
    images = session.line.all("image")
    command = session.line.after
    containers: list[dict[str, Any]] = []
    for image in images:
        each: dict[str, Any] = {"image": image, "name": _image_name(image)}
        if command:
            each["command"] = list(command)
        if session.line.text("port"):
            each["ports"] = [{"containerPort": session.line.number("port", 0)}]
        containers.append(each)
    labels = {"app": name}
    return {
        "apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": name, "labels": labels},
        "spec": {
            "replicas": session.line.number("replicas", 1), "selector": {"matchLabels": labels},
            "template": {"metadata": {"labels": labels}, "spec": {"containers": containers}},
        },
    }  # fmt: skip


def _image_name(image: str) -> str:
    """A container's name from its image: the last part, without tag and digest."""
    last = image.rpartition("/")[2]
    return last.partition(":")[0].partition("@")[0].replace("_", "-")


def _job(session: Session, name: str) -> dict[str, Any]:
    image = session.line.text("image")
    if bool(image) == bool(session.line.text("from")):
        raise error("either --image or --from must be specified")
    if not image:
        raise NotModelled("kubectl create job --from")
    container: dict[str, Any] = {"image": image, "name": name}
    if session.line.after:
        container["command"] = list(session.line.after)
    return {
        "apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": name},
        "spec": {"template": {"spec": {"containers": [container], "restartPolicy": "Never"}}},
    }  # fmt: skip


def _cron_job(session: Session, name: str) -> dict[str, Any]:
    line = session.line
    for flag in ("image", "schedule"):
        if not line.text(flag):
            raise error(f'required flag(s) "{flag}" not set' if flag not in line else f"--{flag} must be specified")
    job = _job(session, name)
    job["spec"]["template"]["spec"]["restartPolicy"] = line.text("restart", "OnFailure")
    return {
        "apiVersion": "batch/v1", "kind": "CronJob", "metadata": {"name": name},
        "spec": {
            "jobTemplate": {"metadata": {"name": name}, "spec": job["spec"]}, "schedule": line.text("schedule"),
        },
    }  # fmt: skip


def _quota(session: Session, name: str) -> dict[str, Any]:
    hard = dict(part.split("=", 1) for part in session.line.all("hard") if "=" in part)
    return {"apiVersion": "v1", "kind": "ResourceQuota", "metadata": {"name": name}, "spec": {"hard": hard}}


_MAKERS: dict[str, Callable[[Session, str], dict[str, Any]]] = {
    "namespace": _namespace, "ns": _namespace, "serviceaccount": _service_account, "sa": _service_account,
    "configmap": _config_map, "cm": _config_map, "secret": _secret, "deployment": _deployment, "deploy": _deployment,
    "job": _job, "cronjob": _cron_job, "cj": _cron_job, "quota": _quota, "resourcequota": _quota,
}  # fmt: skip


async def run(session: Session) -> None:
    """kubectl run: a pod, and with -it or --attach what it prints."""
    line = session.line
    if "image" not in line:
        raise error('required flag(s) "image" not set')
    if not line.operands:
        raise usage("run", "NAME is required for run")
    if not line.text("image"):
        raise error("--image is required")
    if line.on("tty") and not line.on("stdin"):
        raise usage("run", "-i/--stdin is required for containers with -t/--tty=true")
    stays = line.on("attach", line.on("stdin"))
    if line.on("rm") and not stays:
        raise usage("run", "--rm should only be used for attached containers")
    for name in ("expose", "overrides"):
        if line.text(name):
            raise NotModelled(f"kubectl run --{name}")
    thing = _pod(session)
    if not stays:
        _make(session, thing)
        return
    if printing.dry(session) != "none":
        text = "--dry-run=[server|client] can't be used with attached containers options (--attach, --stdin, or --tty)"
        raise usage("run", text)
    await attached(session, thing)


def _pod(session: Session) -> dict[str, Any]:
    line = session.line
    name = line.operands[0]
    words = list(line.after or ()) + line.operands[1:]
    container: dict[str, Any] = {"image": line.text("image"), "name": name}
    if words:
        container["command" if line.on("command") else "args"] = words
    if line.text("image-pull-policy"):
        container["imagePullPolicy"] = line.text("image-pull-policy")
    if line.raw("env"):
        container["env"] = [dict(zip(("name", "value"), pair.split("=", 1), strict=True)) for pair in line.raw("env")]
    if line.text("port"):
        container["ports"] = [{"containerPort": int(line.text("port"))}]
    if line.on("privileged"):
        container["securityContext"] = {"privileged": True}
    for flag, key in (("stdin", "stdin"), ("tty", "tty")):
        if line.on(flag):
            container[key] = True
            container.setdefault("stdinOnce", True)
    restart = line.text("restart", "Always")
    if restart not in _RESTARTS:
        raise usage("run", f"invalid restart policy: {restart}")
    labels = dict(part.split("=", 1) for part in line.text("labels").split(",") if "=" in part) or {"run": name}
    spec = {"containers": [container], "dnsPolicy": "ClusterFirst", "restartPolicy": restart}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name, "labels": labels}, "spec": spec}


async def attached(session: Session, thing: dict[str, Any]) -> None:
    """Make the pod, wait until it runs or has ended, show what it says, and remove it if that is wanted."""
    pods = session.resource("pods")
    name, namespace = thing["metadata"]["name"], session.namespace
    session.server.create(pods, namespace, thing)
    limit = session.ctx.now + session.line.duration("pod-running-timeout", 60 * SECOND)
    while True:
        now = session.server.get(pods, namespace, name)
        phase = (now.get("status") or {}).get("phase")
        if phase in ("Running", "Succeeded", "Failed"):
            break
        if session.ctx.now >= limit:
            raise error("timed out waiting for the condition")
        await session.ctx.sleep(SECOND)
    container = thing["spec"]["containers"][0]
    words = container.get("command") or container.get("args") or ["sh"]
    if phase == "Running" and session.line.on("tty") and words[0].rpartition("/")[2] in ("sh", "bash"):
        session.warn("If you don't see a command prompt, try pressing enter.")
        session.status = await inside.shell(session, namespace, name)
    else:
        await inside.follow_to_the_end(session, namespace, name)
    if session.line.on("rm"):
        session.server.delete(pods, namespace, name)
        session.say(f'pod "{name}" deleted')
