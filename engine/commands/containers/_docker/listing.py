"""docker ps, images, info, version and system df: tables and reports as the CLI of 27.5 prints them."""

from __future__ import annotations

import re

from engine.commands.containers._docker import flags, reaching
from engine.commands.containers._docker.flags import Flags
from engine.commands.context import Context
from engine.control.containers import daemon, images, lifecycle
from engine.kernel.units import SECOND
from engine.world.records import Container

VERSION = "27.5.1"
_COMMAND_SHOWN = 20
_UNITS = (
    (31_536_000, "year"),
    (2_592_000, "month"),
    (604_800, "week"),
    (86_400, "day"),
    (3_600, "hour"),
    (60, "minute"),
)
_LEAST = {"year": 2, "month": 2, "week": 2, "day": 2, "hour": 2, "minute": 1}


def duration(nanoseconds: int) -> str:
    """A span in words, as docker/go-units has it."""
    seconds = nanoseconds // SECOND
    if seconds < 1:
        return "Less than a second"
    if seconds < 60:
        return "1 second" if seconds == 1 else f"{seconds} seconds"
    if seconds < 120:
        return "About a minute"
    if 3_600 <= seconds < 7_200:
        return "About an hour"
    size, word = next(each for each in _UNITS if seconds >= each[0] * _LEAST[each[1]])
    return f"{seconds // size} {word}s"


def status(ctx: Context, each: Container) -> str:
    """The column STATUS."""
    if each.status == "created":
        return "Created"
    if each.status == "running":
        return f"Up {duration(ctx.now - each.started)}"
    return f"Exited ({each.exit_code}) {duration(ctx.now - each.finished)} ago"


def shown_command(each: Container) -> str:
    """The column COMMAND: the entry point of the image first, cut at twenty characters."""
    image = images.registry()[each.image]
    words = each.command if each.command[:1] == image.entrypoint[:1] else (*image.entrypoint, *each.command)
    text = " ".join(words)
    return f'"{text if len(text) <= _COMMAND_SHOWN else text[: _COMMAND_SHOWN - 1] + "…"}"'


def table(ctx: Context, head: list[str], rows: list[list[str]]) -> None:
    """A table with three blanks between columns."""
    widths = [max(len(row[column]) for row in [head, *rows]) for column in range(len(head))]
    for row in [head, *rows]:
        cells = [cell.ljust(width) for cell, width in zip(row, widths, strict=True)]
        ctx.line("   ".join([*cells[:-1], row[-1]]))


def template(text: str, values: dict[str, str]) -> str:
    """A Go template of fields alone. Raises KeyError for a field that is not there."""
    plain = text.removeprefix("table ").replace("\\t", "\t")
    return re.sub(r"\{\{\s*\.(\w+)\s*\}\}", lambda match: values[match[1]], plain)


def ps(ctx: Context, words: list[str]) -> int:
    """docker ps."""
    given = flags.read("ps", words, frozenset({"all", "quiet", "no-trunc", "latest", "size"}),
                       frozenset({"filter", "format", "last"}), short={"l": "latest", "n": "last"})  # fmt: skip
    if given.operands:
        text = "\"docker ps\" accepts no arguments.\nSee 'docker ps --help'.\n\n"
        ctx.error(f"{text}Usage:  docker ps [OPTIONS]\n\nList containers")
        return 1
    if reaching.refused(ctx, "containers/json"):
        return 1
    chosen = [each for each in reversed(lifecycle.containers(ctx.world, ctx.host)) if _wanted(each, given)]
    if "quiet" in given:
        for each in chosen:
            ctx.line(each.id if "no-trunc" in given else each.id[:12])
        return 0
    shape = given.last("format")
    if shape:
        return _formatted(ctx, shape, chosen)
    head = ["CONTAINER ID", "IMAGE", "COMMAND", "CREATED", "STATUS", "PORTS", "NAMES"]
    table(ctx, head, [list(_values(ctx, each).values()) for each in chosen])
    return 0


def _formatted(ctx: Context, shape: str, chosen: list[Container]) -> int:
    if shape == "json":
        return ctx.not_modelled("docker ps --format json")
    try:
        if shape.startswith("table "):
            names = re.findall(r"\{\{\s*\.(\w+)\s*\}\}", shape)
            heads = {"ID": "CONTAINER ID", "RunningFor": "CREATED"}
            rows = [[_values(ctx, each)[name] for name in names] for each in chosen]
            table(ctx, [heads.get(name, name.upper()) for name in names], rows)
        else:
            for each in chosen:
                ctx.line(template(shape, _values(ctx, each)))
    except KeyError as error:
        return ctx.not_modelled(f"docker ps --format with {error}")
    return 0


def _values(ctx: Context, each: Container) -> dict[str, str]:
    age = f"{duration(ctx.now - each.created)} ago"
    return {
        "ID": each.id[:12], "Image": each.image, "Command": shown_command(each), "RunningFor": age,
        "Status": status(ctx, each), "Ports": "", "Names": each.name,
    }  # fmt: skip


def _wanted(each: Container, given: Flags) -> bool:
    if each.status != "running" and "all" not in given and not given.all("filter"):
        return False
    for text in given.all("filter"):
        key, _, value = text.partition("=")
        found = {"name": each.name, "status": each.status, "ancestor": each.image, "id": each.id}.get(key, "")
        if value not in found or (each.status != "running" and "all" not in given and key != "status"):
            return False
    return True


def list_images(ctx: Context, words: list[str]) -> int:
    """docker images."""
    given = flags.read("images", words, frozenset({"all", "quiet", "no-trunc", "digests"}),
                       frozenset({"filter", "format"}))  # fmt: skip
    if reaching.refused(ctx, "images/json"):
        return 1
    rows = [
        [each.repository, each.tag, each.id[:12], f"{duration(ctx.now - each.created)} ago", _size(each.megabytes)]
        for each in images.held(ctx.world, ctx.host)
        if not given.operands or given.operands[0] in (each.repository, each.reference)
    ]
    if "quiet" in given:
        for row in rows:
            ctx.line(row[2])
    elif "format" in given:
        names = ("Repository", "Tag", "ID", "CreatedSince", "Size")
        for row in rows:
            ctx.line(template(given.last("format"), dict(zip(names, row, strict=True))))
    else:
        table(ctx, ["REPOSITORY", "TAG", "IMAGE ID", "CREATED", "SIZE"], rows)
    return 0


def _size(megabytes: int) -> str:
    return f"{megabytes}MB" if megabytes < 1000 else f"{megabytes / 1000:.3g}GB"


def version(ctx: Context, words: list[str]) -> int:
    """docker version."""
    client = ("Version:           27.5.1", "API version:       1.47", "Go version:        go1.22.11",
              "Git commit:        9f9e405", "Built:             Wed Jan 22 13:41:48 2025",
              "OS/Arch:           linux/amd64", "Context:           default")  # fmt: skip
    ctx.line("Client: Docker Engine - Community")
    for line in client:
        ctx.line(f" {line}")
    if reaching.refused(ctx, "version"):
        return 1
    server = ("Version:          27.5.1", "API version:      1.47 (minimum version 1.24)",
              "Go version:       go1.22.11", "Git commit:       4c9b3b0", "Built:            Wed Jan 22 13:41:48 2025",
              "OS/Arch:          linux/amd64", "Experimental:     false")  # fmt: skip
    ctx.line("\nServer: Docker Engine - Community\n Engine:")
    for line in server:
        ctx.line(f"  {line}")
    ctx.line(" containerd:\n  Version:          1.7.25\n runc:\n  Version:          1.2.4\n docker-init:")
    ctx.line("  Version:          0.19.0")
    return 0


def info(ctx: Context, words: list[str]) -> int:
    """docker info."""
    given = flags.read("info", words, frozenset(), frozenset({"format"}), short={"f": "format"})
    ctx_lines = (
        "Client: Docker Engine - Community\n Version:    27.5.1\n Context:    default\n Debug Mode: false\n\nServer:"
    )
    why = reaching.unreachable(ctx, "info")
    settings = daemon.settings(ctx.world, ctx.host)
    if "format" in given and why is None:
        values = {"CgroupDriver": settings.cgroup_driver, "DefaultRuntime": settings.default_runtime,
                  "ServerVersion": VERSION, "CgroupVersion": "2", "Driver": "overlay2"}  # fmt: skip
        try:
            ctx.line(template(given.last("format"), values))
        except KeyError as error:
            return ctx.not_modelled(f"docker info --format with {error}")
        return 0
    ctx.line(ctx_lines)
    if why is not None:
        ctx.error(f"ERROR: {why}\nerrors pretty printing info")
        return 1
    there = lifecycle.containers(ctx.world, ctx.host)
    running = sum(each.status == "running" for each in there)
    for line in (
        f"Containers: {len(there)}", f" Running: {running}", " Paused: 0", f" Stopped: {len(there) - running}",
        f"Images: {len(images.held(ctx.world, ctx.host))}", f"Server Version: {VERSION}", "Storage Driver: overlay2",
        " Backing Filesystem: extfs", "Logging Driver: json-file", f"Cgroup Driver: {settings.cgroup_driver}",
        "Cgroup Version: 2", f"Runtimes: {' '.join(settings.runtimes)}", f"Default Runtime: {settings.default_runtime}",
        "Init Binary: docker-init", f"Kernel Version: {ctx.inventory.software.get('kernel', '')}",
        f"Operating System: {ctx.inventory.software.get('os', '')}", "OSType: linux", "Architecture: x86_64",
        f"Name: {ctx.host}", "Docker Root Dir: /var/lib/docker", "Debug Mode: false", "Live Restore Enabled: false",
    ):  # fmt: skip
        ctx.line(f" {line}")
    return 0


def system(ctx: Context, words: list[str]) -> int:
    """docker system df."""
    if words[:1] != ["df"]:
        return ctx.not_modelled(f"docker system {' '.join(words)}")
    if reaching.refused(ctx, "system/df"):
        return 1
    there, held = lifecycle.containers(ctx.world, ctx.host), images.held(ctx.world, ctx.host)
    used = {each.image for each in there}
    total = sum(each.megabytes for each in held)
    free = sum(each.megabytes for each in held if each.reference not in used)
    share = 100 * free // total if total else 0
    running = sum(each.status == "running" for each in there)
    rows = [
        ["Images", str(len(held)), str(len(used)), _size(total), f"{_size(free)} ({share}%)"],
        ["Containers", str(len(there)), str(running), "0B", "0B"],
        ["Local Volumes", "0", "0", "0B", "0B"],
        ["Build Cache", "0", "0", "0B", "0B"],
    ]
    heads = ["TYPE", "TOTAL", "ACTIVE", "SIZE", "RECLAIMABLE"]
    widths = [16, 10, 10, 10]
    for row in [heads, *rows]:
        ctx.line("".join(cell.ljust(width) for cell, width in zip(row, widths, strict=False)) + row[-1])
    return 0
