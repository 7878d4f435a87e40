"""docker of Docker Engine 27.5.1: containers and images of a host. Texts after the sources of the CLI and of dockerd,
and users' transcripts.
"""

from __future__ import annotations

import inspect as reflection
from collections.abc import Awaitable, Callable

from engine.commands.command import Command
from engine.commands.containers._docker import controlling, inspecting, listing, pulling, running
from engine.commands.context import Context
from engine.commands.options import Option

Verb = Callable[[Context, list[str]], int | Awaitable[int]]

_VERBS: dict[str, Verb] = {
    "run": running.run, "exec": running.execute, "create": controlling.create, "start": controlling.start,
    "stop": controlling.stop, "restart": controlling.restart, "kill": controlling.kill, "rm": controlling.remove,
    "rmi": controlling.remove_image, "logs": controlling.logs, "stats": controlling.stats, "ps": listing.ps,
    "images": listing.list_images, "info": listing.info, "version": listing.version, "system": listing.system,
    "pull": pulling.pull, "inspect": inspecting.inspect,
}  # fmt: skip
_GROUPS = {
    ("container", "ls"): "ps", ("container", "list"): "ps", ("container", "inspect"): "inspect",
    ("container", "rm"): "rm", ("image", "ls"): "images", ("image", "rm"): "rmi", ("image", "pull"): "pull",
}  # fmt: skip
_KNOWN = frozenset(
    [
        "attach",
        "build",
        "builder",
        "buildx",
        "checkpoint",
        "commit",
        "compose",
        "config",
        "container",
        "context",
        "cp",
        "diff",
        "events",
        "export",
        "history",
        "image",
        "import",
        "load",
        "login",
        "logout",
        "manifest",
        "network",
        "node",
        "pause",
        "plugin",
        "port",
        "push",
        "rename",
        "save",
        "search",
        "secret",
        "service",
        "stack",
        "swarm",
        "tag",
        "top",
        "trust",
        "unpause",
        "update",
        "volume",
        "wait",
    ]
)


async def run(ctx: Context) -> int:
    """Do what the verb says."""
    words = list(ctx.arguments)
    if not words or words[0] in ("--help", "-h", "help"):
        ctx.write(_usage())
        return 0
    if words[0] in ("--version", "-v"):
        ctx.line("Docker version 27.5.1, build 9f9e405")
        return 0
    if tuple(words[:2]) in _GROUPS:
        words = [_GROUPS[words[0], words[1]], *words[2:]]
    verb = _VERBS.get(words[0])
    if verb is None:
        if words[0] in _KNOWN:
            return ctx.not_modelled(f"docker {words[0]}")
        ctx.error(f"docker: '{words[0]}' is not a docker command.\nSee 'docker --help'")
        return 1
    result = verb(ctx, words[1:])
    return await result if reflection.isawaitable(result) else result


def _usage() -> str:
    verbs = "\n".join(f"  {name}" for name in sorted(_VERBS))
    return f"\nUsage:  docker [OPTIONS] COMMAND\n\nA self-sufficient runtime for containers\n\nCommands:\n{verbs}\n"


COMMAND = Command(
    "docker",
    "containers and images of this host",
    run,
    "docker [OPTIONS] COMMAND [ARG...]",
    (Option("v", "version", help="print the version"),),
    """Verbs: run, exec, create, start, stop, restart, kill, rm, ps, logs, inspect, stats, images, pull, rmi, info,
version, system df.

    sudo docker run --rm --gpus all nvcr.io/nvidia/cuda:12.4.1-base-ubuntu22.04 nvidia-smi -L

GPUs come with --gpus (all, a number, '"device=0,1"'), with --runtime=nvidia and -e NVIDIA_VISIBLE_DEVICES=..., or by
CDI (--device nvidia.com/gpu=all). RDMA needs --device /dev/infiniband and --ulimit memlock=-1; NCCL a larger /dev/shm
(--ipc=host or --shm-size).""",
)
