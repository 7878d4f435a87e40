"""What `docker run` and `docker create` ask for, read from their flags."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from typing import Any

from engine.commands.containers._docker import flags
from engine.commands.containers._docker.flags import Flags
from engine.commands.context import Context
from engine.commands.options import UsageError
from engine.control.containers import daemon, toolkit
from engine.control.containers.images import Image
from engine.control.containers.toolkit import Request

SWITCHES = frozenset({"interactive", "tty", "detach", "rm", "privileged", "init", "read-only", "quiet", "publish-all"})
VALUES = frozenset(
    {
        "add-host", "cap-add", "cap-drop", "cgroupns", "cpus", "cpuset-cpus", "device", "device-cgroup-rule",
        "entrypoint", "env", "env-file", "gpus", "group-add", "hostname", "ipc", "label", "log-driver", "log-opt",
        "memory", "mount", "name", "net", "network", "pid", "pids-limit", "platform", "publish", "pull", "restart",
        "runtime", "security-opt", "shm-size", "stop-timeout", "tmpfs", "ulimit", "user", "userns", "uts", "volume",
        "workdir",
    }
)  # fmt: skip
_NOT_MODELLED = ("mount", "env-file", "user", "tmpfs", "device-cgroup-rule", "userns", "memory", "publish", "read-only")
_SHARED = ("/home", "/data")


def read(verb: str, words: Sequence[str]) -> Flags:
    """The flags of `docker run`; the image and the command follow them."""
    found = flags.read(verb, words, SWITCHES, VALUES, permute=False)
    if not found.operands:
        text = f"docker: \"docker {verb}\" requires at least 1 argument.\nSee 'docker {verb} --help'.\n\n"
        usage = f"Usage:  docker {verb} [OPTIONS] IMAGE [COMMAND] [ARG...]\n\n"
        usage += "Create and run a new container from an image\n"
        raise UsageError(text.replace("docker: ", "") + usage, 1)
    return found


def not_modelled(given: Flags) -> str | None:
    """A flag that the model lacks, or None."""
    for name in _NOT_MODELLED:
        if name in given:
            return f"docker run --{name}"
    for volume in given.all("volume"):
        source, _, rest = volume.partition(":")
        target = rest.partition(":")[0] or source
        if source != target or not source.startswith(_SHARED):
            return f"docker run -v {volume}: only /home and /data, at the same place inside"
    return None


def gpus(verb: str, text: str) -> Request:
    """What `--gpus` asks for. Raises UsageError for what Docker's parser refuses (opts/gpus.go)."""
    fields = next(csv.reader([text]), [])
    count, names = "", ""
    for field in fields:
        key, equals, value = field.partition("=")
        if not equals:
            if count:
                raise flags.refuse(verb, f'invalid argument "{text}" for "--gpus" flag: count=... only once')
            count = key
        elif key == "count":
            count = value
        elif key == "device":
            names = value
    if count and names:
        words = "cannot set both Count and DeviceIDs on device request"
        raise UsageError(f"docker: Error response from daemon: {words}.\nSee 'docker {verb} --help'.\n", 125)
    if count == "all":
        return Request(everything=True)
    if count and not count.isdecimal():
        why = f'count must be an integer: strconv.Atoi: parsing "{count}": invalid syntax'
        raise flags.refuse(verb, f'invalid argument "{text}" for "--gpus" flag: {why}')
    return Request(count=int(count)) if count else Request(names=tuple(names.split(",")))


def variables(ctx: Context, given: Flags) -> dict[str, str]:
    """The variables of -e; a name alone takes the caller's."""
    found = {}
    for text in given.all("env"):
        name, equals, value = text.partition("=")
        if equals or name in ctx.environment:
            found[name] = value if equals else ctx.environment[name]
    return found


def wanted(ctx: Context, verb: str, given: Flags, image: Image) -> tuple[Request | None, bool]:
    """The GPUs that a container asks for, and whether its OCI specification names them (CDI)."""
    cdi = [each.partition("=")[2] for each in given.all("device") if each.startswith(f"{toolkit.CDI_KIND}=")]
    if cdi:
        return (Request(everything=True) if "all" in cdi else Request(names=tuple(cdi))), True
    if "gpus" in given:
        return gpus(verb, given.last("gpus")), False
    if runtime(ctx, given) == "nvidia":
        environment = {**image.environment, **variables(ctx, given)}
        return toolkit.request(environment.get("NVIDIA_VISIBLE_DEVICES", "")), False
    return None, False


def runtime(ctx: Context, given: Flags) -> str:
    """The runtime that starts the container."""
    return given.last("runtime") or daemon.settings(ctx.world, ctx.host).default_runtime


def limits(given: Flags, usual: int | None) -> int | None:
    """KiB of memory that may be locked (`--ulimit memlock=-1`); None: no limit."""
    for text in reversed(given.all("ulimit")):
        name, _, value = text.partition("=")
        if name == "memlock":
            soft = int(value.partition(":")[0])
            return None if soft < 0 else soft // 1024
    return usual


def fields(ctx: Context, verb: str, given: Flags, image: Image, cdi: bool) -> tuple[tuple[str, Any], ...]:
    """A new container's record by names of its fields, as engine.control.containers.lifecycle.Create takes it."""
    host = daemon.settings(ctx.world, ctx.host)
    entry = given.last("entrypoint")
    command = tuple(given.operands[1:])
    words = ((entry,) if entry else ()) + command or image.command or image.entrypoint
    devices = [each.partition(":")[0] for each in given.all("device") if not each.startswith(toolkit.CDI_KIND)]
    named_gpus = any(each.startswith("/dev/nvidia") for each in devices)
    ipc_host = given.last("ipc") == "host"
    found: dict[str, Any] = {
        "name": given.last("name"),
        "image": image.reference,
        "command": words,
        "runtime": runtime(ctx, given),
        "gpu_request": given.last("gpus"),
        "specified": cdi or named_gpus,
        "cgroup_driver": host.cgroup_driver,
        "devices": tuple(devices),
        "binds": tuple(_bind(text) for text in given.all("volume")),
        "environment": tuple(variables(ctx, given).items()),
        "hostname": given.last("hostname"),
        "directory": given.last("workdir"),
        "network": given.last("network") or given.last("net", "bridge"),
        "ipc": given.last("ipc", "private"),
        "shm_kib": 0 if ipc_host else daemon.kib(given.last("shm-size")) if "shm-size" in given else host.shm_kib,
        "memory_lock": limits(given, host.memory_lock),
        "privileged": "privileged" in given,
        "capabilities": tuple(name.upper() for name in given.all("cap-add")),
        "restart": given.last("restart", "no").partition(":")[0],
        "remove": "rm" in given,
    }
    return tuple(found.items())


def _bind(text: str) -> tuple[str, str, str]:
    source, _, rest = text.partition(":")
    target, _, mode = rest.partition(":")
    return source, target or source, mode or "rw"
