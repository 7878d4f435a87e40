"""docker inspect: a container's record as JSON, and single fields of it with --format."""

from __future__ import annotations

import json
import re
from typing import Any

from engine.commands.containers._docker import flags, reaching
from engine.commands.context import Context
from engine.commands.linux._support import clock
from engine.control.containers import images, lifecycle
from engine.control.containers.images import Image
from engine.world.records import Container

_NEVER = "0001-01-01T00:00:00Z"


def inspect(ctx: Context, words: list[str]) -> int:
    """docker inspect of containers and images."""
    given = flags.read("inspect", words, frozenset({"size"}), frozenset({"format", "type"}), short={"f": "format"})
    if not given.operands:
        ctx.error("\"docker inspect\" requires at least 1 argument.\nSee 'docker inspect --help'.")
        return 1
    if reaching.refused(ctx, f"containers/{given.operands[0]}/json"):
        return 1
    found, missing = [], []
    for name in given.operands:
        each, image = lifecycle.find(ctx.world, ctx.host, name), images.find(ctx.world, ctx.host, name)
        if each is not None:
            found.append(container(ctx, each))
        elif image is not None:
            found.append(_image(image))
        else:
            missing.append(name)
    status = _print(ctx, found, given.last("format"))
    for name in missing:
        ctx.error(f"Error: No such object: {name}")
    return status or (1 if missing else 0)


def _print(ctx: Context, found: list[dict[str, Any]], shape: str) -> int:
    if not shape:
        ctx.line(json.dumps(found, indent=4, ensure_ascii=False))
        return 0
    for document in found:
        try:
            ctx.line(_filled(shape, document))
        except KeyError as error:
            return ctx.not_modelled(f"docker inspect --format with {error}")
    return 0


def _filled(shape: str, document: dict[str, Any]) -> str:
    """A Go template of fields, plain (as Go prints them) or as `json`. Raises KeyError."""

    def value(match: re.Match[str]) -> str:
        at: Any = document
        for name in match[2].strip(".").split(".") if match[2] != "." else ():
            at = at[name]
        return json.dumps(at, separators=(",", ":")) if match[1] else _go(at)

    text = re.sub(r"\{\{\s*(json\s+)?(\.[\w.]*)\s*\}\}", value, shape)
    if "{{" in text:
        raise KeyError(shape)
    return text


def _go(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if value is None:
        return "<no value>"
    if isinstance(value, list):
        return f"[{' '.join(_go(each) for each in value)}]"
    if isinstance(value, dict):
        return "map[" + " ".join(f"{key}:{_go(each)}" for key, each in sorted(value.items())) + "]"
    return str(value)


def _moment(ctx: Context, time: int) -> str:
    return clock.shown(ctx, ctx.inventory.start + time, "%Y-%m-%dT%H:%M:%S.%NZ")


def container(ctx: Context, each: Container) -> dict[str, Any]:
    """A container as dockerd tells it; what says nothing here is left out."""
    image = images.registry()[each.image]
    variables = {**image.environment, **dict(each.environment)}
    running = each.status == "running"
    return {
        "Id": each.id,
        "Created": _moment(ctx, each.created),
        "Path": (*image.entrypoint, *each.command)[0],
        "Args": list((*image.entrypoint, *each.command)[1:]),
        "State": {
            "Status": each.status, "Running": running, "Paused": False, "Restarting": False, "OOMKilled": False,
            "Dead": False, "Pid": each.pid, "ExitCode": each.exit_code, "Error": each.error,
            "StartedAt": _moment(ctx, each.started) if each.status != "created" else _NEVER,
            "FinishedAt": _moment(ctx, each.finished) if each.status == "exited" else _NEVER,
        },
        "Image": f"sha256:{image.id}",
        "Name": f"/{each.name}",
        "RestartCount": 0,
        "HostConfig": _host_config(each),
        "Config": {
            "Hostname": each.hostname, "User": "", "Env": [f"{name}={value}" for name, value in variables.items()],
            "Cmd": list(each.command), "Image": each.image, "WorkingDir": each.directory or image.directory,
            "Entrypoint": list(image.entrypoint) or None,
        },
    }  # fmt: skip


def _host_config(each: Container) -> dict[str, Any]:
    limits = [] if each.memory_lock == 8_192 else [_limit(each.memory_lock)]
    return {
        "Binds": [f"{source}:{target}" + ("" if mode == "rw" else f":{mode}") for source, target, mode in each.binds]
        or None,
        "NetworkMode": each.network,
        "RestartPolicy": {"Name": each.restart, "MaximumRetryCount": 0},
        "AutoRemove": each.remove,
        "CapAdd": list(each.capabilities) or None,
        "IpcMode": each.ipc,
        "Privileged": each.privileged,
        "ShmSize": each.shm_kib * 1024,
        "Runtime": each.runtime,
        "Devices": [{"PathOnHost": path, "PathInContainer": path, "CgroupPermissions": "rwm"} for path in each.devices],
        "DeviceCgroupRules": None,
        "DeviceRequests": _requests(each),
        "Ulimits": limits,
    }


def _limit(kib: int | None) -> dict[str, Any]:
    value = -1 if kib is None else kib * 1024
    return {"Name": "memlock", "Hard": value, "Soft": value}


def _requests(each: Container) -> list[dict[str, Any]] | None:
    if not each.gpu_request:
        return None
    everything = each.gpu_request == "all"
    devices = each.gpu_request.strip('"').removeprefix("device=").split(",")
    numbered = each.gpu_request.isdecimal()
    count = -1 if everything else int(each.gpu_request) if numbered else 0
    ids = None if everything or numbered else devices
    return [{"Driver": "", "Count": count, "DeviceIDs": ids, "Capabilities": [["gpu"]], "Options": {}}]


def _image(image: Image) -> dict[str, Any]:
    return {
        "Id": f"sha256:{image.id}",
        "RepoTags": [image.reference],
        "RepoDigests": [f"{image.repository}@{image.digest}"],
        "Config": {
            "Env": [f"{name}={value}" for name, value in image.environment.items()],
            "Cmd": list(image.command) or None,
            "WorkingDir": image.directory,
            "Entrypoint": list(image.entrypoint) or None,
        },
        "Architecture": "amd64",
        "Os": "linux",
        "Size": image.megabytes * 1_000_000,
    }
