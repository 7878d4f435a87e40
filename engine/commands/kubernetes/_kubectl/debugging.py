"""kubectl debug node/NAME: a pod on a node, with the node's namespaces.

Source: kubectl pkg/cmd/debug (node debugging, profile legacy). Ephemeral containers in running pods and copies of
pods are not modelled, nor the node's file system at /host in the pod.
"""

from __future__ import annotations

from typing import Any

from engine.commands.kubernetes._kubectl import creating, selecting
from engine.commands.kubernetes._kubectl.failures import NotModelled, error
from engine.commands.kubernetes._kubectl.flags import Flag, flags
from engine.commands.kubernetes._kubectl.session import Session
from engine.control.kubernetes.objects import KubeDict, random_name

FLAGS = (
    *flags("string", "image image-pull-policy c/container copy-to profile set-image target"), Flag("env", kind="list"),
    *flags("bool", "i/stdin t/tty attach q/quiet replace same-node share-processes arguments-only keep-labels"),
    Flag("pod-running-timeout", kind="duration"), Flag("filename", "f", "list"), Flag("rm", kind="bool"),
)  # fmt: skip


async def run(session: Session) -> None:
    """kubectl debug."""
    line = session.line
    if not line.operands:
        raise error("NAME or TYPE/NAME is required for debug")
    if line.text("copy-to") or line.text("target"):
        raise NotModelled("kubectl debug of a pod")
    if not line.text("image"):
        raise error("must specify --image when not using --copy-to.")
    found = selecting.select(session, line.operands[:1], default="pods").found
    if found[0].resource.plural != "nodes":
        raise NotModelled("kubectl debug of a pod")
    thing = _pod(session, found[0].name)
    if not line.on("quiet"):
        name = thing["metadata"]["name"]
        session.say(f"Creating debugging pod {name} with container debugger on node {found[0].name}.")
    if line.on("attach", line.on("stdin")):
        await creating.attached(session, thing)
    else:
        session.server.create(session.resource("pods"), session.namespace, thing)


def _pod(session: Session, node: str) -> KubeDict:
    line = session.line
    container: dict[str, Any] = {
        "image": line.text("image"), "name": line.text("container", "debugger"),
        "volumeMounts": [{"mountPath": "/host", "name": "host-root"}],
    }  # fmt: skip
    if line.after:
        container["command"] = list(line.after)
    for flag in ("stdin", "tty"):
        if line.on(flag):
            container[flag] = True
    name = f"node-debugger-{node}-{random_name(session.ctx.world.seed, f'debug/{node}/{session.ctx.now}', 5)}"
    spec = {
        "containers": [container], "hostIPC": True, "hostNetwork": True, "hostPID": True, "nodeName": node,
        "restartPolicy": "Never", "tolerations": [{"operator": "Exists"}],
        "volumes": [{"hostPath": {"path": "/"}, "name": "host-root"}],
    }  # fmt: skip
    labels = {"app.kubernetes.io/managed-by": "kubectl-debug"}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name, "labels": labels}, "spec": spec}
