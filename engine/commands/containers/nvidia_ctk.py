"""nvidia-ctk of the NVIDIA Container Toolkit 1.18.1: runtime configure, cdi list and generate, system
create-dev-char-symlinks.

Lines after its sources (logrus; on a terminal in its short form) and its documentation. `cdi generate` writes the head
of a specification and its devices; the mounts and hooks of a real one are left out, which a comment in the file says.
"""

from __future__ import annotations

import json
from typing import Any

from engine.commands.command import Command
from engine.commands.context import Context
from engine.commands.linux._support import clock, paths
from engine.commands.options import Option
from engine.control import driver, files
from engine.control.containers import daemon, device_cgroup, toolkit
from engine.control.kubernetes import runtime
from engine.hostfs.tree import FileError

_CONFIGURATIONS = {"docker": daemon.DAEMON_JSON}


def run(ctx: Context) -> int:
    """Do what the words say."""
    words = list(ctx.arguments)
    if not daemon.has_toolkit(ctx.world, ctx.host):
        ctx.error("bash: nvidia-ctk: command not found")
        return 127
    if words[:1] == ["--version"]:
        ctx.line(f"NVIDIA Container Toolkit CLI version {daemon.toolkit_version(ctx.world, ctx.host)}")
        return 0
    flags = dict(_flag(words, index) for index, word in enumerate(words) if word.startswith("--"))
    match tuple(word for word in words if not word.startswith("-"))[:2]:
        case ("runtime", "configure"):
            return _configure(ctx, flags)
        case ("cdi", "list"):
            return _list(ctx)
        case ("cdi", "generate"):
            return _generate(ctx, flags)
        case ("system", "create-dev-char-symlinks"):
            return _links(ctx, flags)
    return ctx.not_modelled(f"nvidia-ctk {' '.join(words)}")


def _flag(words: list[str], index: int) -> tuple[str, str]:
    name, equals, value = words[index][2:].partition("=")
    following = words[index + 1] if index + 1 < len(words) else ""
    return name, value if equals else "" if following.startswith("-") else following


def _say(ctx: Context, text: str, level: str = "info") -> None:
    """A line of logrus."""
    if ctx.terminal is not None:
        ctx.error(f"{'INFO' if level == 'info' else 'WARN' if level == 'warning' else 'ERRO'}[0000] {text}")
    else:
        moment = clock.shown(ctx, ctx.epoch, "%Y-%m-%dT%H:%M:%SZ")
        ctx.error(f'time="{moment}" level={level} msg={json.dumps(text)}')


def _configure(ctx: Context, flags: dict[str, str]) -> int:
    engine = flags.get("runtime", "docker") or "docker"
    if engine == "containerd" and "kubernetes" in ctx.world.node(ctx.host).clusters:
        return _configure_containerd(ctx, flags)
    path = flags.get("config") or _CONFIGURATIONS.get(engine)
    if path is None:
        return ctx.not_modelled(f"nvidia-ctk runtime configure --runtime={engine}")
    text = files.text(ctx.world, ctx.host, path, daemon.DEFAULT if path == daemon.DAEMON_JSON else "")
    _say(ctx, f"Loading config from {path}")
    try:
        document: dict[str, Any] = json.loads(text) if text.strip() else {}
    except json.JSONDecodeError:
        why = (daemon.mistake(text) or "").partition(":")[2].strip() or daemon.mistake(text)
        _say(ctx, f"unable to load config for runtime {engine}: unable to load config: {why}", "error")
        return 1
    document.setdefault("runtimes", {})["nvidia"] = {"args": [], "path": "nvidia-container-runtime"}
    if "set-as-default" in flags or "nvidia-set-as-default" in flags:
        document["default-runtime"] = "nvidia"
    if "cdi.enabled" in flags:
        document.setdefault("features", {})["cdi"] = True
    try:
        paths.tree(ctx).write(path, (json.dumps(document, indent=4, sort_keys=True) + "\n").encode())
    except FileError as error:
        why = f"open {path}: {error.text.lower()}"
        _say(ctx, f"unable to flush config: failed to write config: unable to open {path} for writing: {why}", "error")
        return 1
    _say(ctx, f"Wrote updated config to {path}")
    _say(ctx, f"It is recommended that {engine} daemon be restarted.")
    return 0


def _configure_containerd(ctx: Context, flags: dict[str, str]) -> int:
    path = flags.get("config") or runtime.CONFIG
    _say(ctx, "Using config version 2")
    text = runtime.on_disk(ctx.world, ctx.host) if path == runtime.CONFIG else files.text(ctx.world, ctx.host, path, "")
    made = runtime.with_nvidia(text, usual="set-as-default" in flags or "nvidia-set-as-default" in flags)
    try:
        paths.tree(ctx).write(path, made.encode())
    except FileError as error:
        why = f"open {path}: {error.text.lower()}"
        _say(ctx, f"unable to flush config: unable to open {path} for writing: {why}", "error")
        return 1
    _say(ctx, f"Wrote updated config to {path}")
    _say(ctx, "It is recommended that containerd daemon be restarted.")
    return 0


def _names(ctx: Context) -> list[str]:
    gpus = driver.bound_gpus(ctx.world, ctx.host)
    uuids = [ctx.world.gpus[gpu.id].uuid for gpu in gpus]
    return [f"{toolkit.CDI_KIND}={name}" for name in (*map(str, range(len(gpus))), *sorted(uuids), "all")]


def _list(ctx: Context) -> int:
    there = _names(ctx) if toolkit.cdi_there(ctx.world, ctx.host) else []
    _say(ctx, f"Found {len(there)} CDI devices")
    for name in there:
        ctx.line(name)
    return 0


def _generate(ctx: Context, flags: dict[str, str]) -> int:
    gpus = driver.bound_gpus(ctx.world, ctx.host)
    _say(ctx, "Auto-detected mode as 'nvml'")
    status = driver.nvml(ctx.world, ctx.host).status
    if status is not driver.NvmlStatus.OK:
        words = {driver.NvmlStatus.NO_LIBRARY: "ERROR_LIBRARY_NOT_FOUND"}.get(status, "ERROR_DRIVER_NOT_LOADED")
        if status is driver.NvmlStatus.MISMATCH:
            words = "ERROR_LIB_RM_VERSION_MISMATCH"
        _say(
            ctx,
            f"failed to generate CDI spec: failed to create device CDI specs: failed to initialize NVML: {words}",
            "error",
        )
        return 1
    lines = [
        "---",
        "# breakfix: mounts and hooks are left out",
        "cdiVersion: 0.5.0",
        f"kind: {toolkit.CDI_KIND}",
        "devices:",
    ]
    for index, gpu in enumerate(gpus):
        for name in (f'"{index}"', ctx.world.gpus[gpu.id].uuid):
            lines += [f"    - name: {name}", "      containerEdits:", "        deviceNodes:"]
            lines.append(f"            - path: /dev/nvidia{index}")
    lines += ["    - name: all", "      containerEdits:", "        deviceNodes:"]
    lines += [f"            - path: /dev/nvidia{index}" for index in range(len(gpus))]
    text = "\n".join(lines) + "\n"
    output = flags.get("output")
    if not output:
        ctx.write(text)
        return 0
    try:
        paths.tree(ctx).write(paths.absolute(ctx, output), text.encode())
    except FileError as error:
        _say(ctx, f"failed to generate CDI spec: failed to save CDI spec: {error.text.lower()}", "error")
        return 1
    _say(ctx, "Generated CDI spec with version 0.5.0")
    return 0


def _links(ctx: Context, flags: dict[str, str]) -> int:
    if not ctx.is_root:
        _say(ctx, "failed to create NVIDIA device nodes: failed to create link: permission denied", "error")
        return 1
    wanted = device_cgroup.link_targets(ctx.world, ctx.host)
    made = ctx.simulation.apply(device_cgroup.MakeLinks(ctx.host))
    for name, target in wanted.items():
        link, node = f"{device_cgroup.CHAR}/{name}", f"/dev/{target.removeprefix('../')}"
        if name in made:
            _say(ctx, f"Creating link {link} => {node}")
        else:
            _say(ctx, f"Skipping {link} because it already exists")
    return 0


COMMAND = Command(
    "nvidia-ctk",
    "set up container engines for NVIDIA GPUs",
    run,
    "nvidia-ctk COMMAND [OPTIONS]",
    (
        Option(long="runtime", argument="ENGINE", help="docker or, on nodes of a Kubernetes cluster, containerd"),
        Option(long="output", argument="FILE", help="where a CDI specification goes"),
        Option(long="version", help="print the version"),
    ),
    """Commands: runtime configure --runtime=docker|containerd [--set-as-default] [--cdi.enabled], cdi list,
cdi generate --output=FILE, system create-dev-char-symlinks --create-all. The engine reads what was
configured when it is restarted.""",
)
