"""docker start, stop, restart, kill, rm, rmi, logs, wait and stats."""

from __future__ import annotations

from engine.commands.containers._docker import flags, pulling, reaching, request, running
from engine.commands.context import Context
from engine.control.containers import images, lifecycle
from engine.control.containers import inside as laws
from engine.control.processes import find as process_of
from engine.kernel.units import MILLISECOND, SECOND
from engine.world.records import Container

_GRACE = 10 * SECOND
_AT_ONCE = 250 * MILLISECOND
_TERMINATED = 143


async def create(ctx: Context, words: list[str]) -> int:
    """docker create."""
    given = request.read("create", words)
    gap = request.not_modelled(given)
    if gap:
        return ctx.not_modelled(gap)
    if reaching.refused(ctx, "containers/create", "Post"):
        return 1
    image = images.find(ctx.world, ctx.host, given.operands[0]) or await pulling.missing(ctx, given.operands[0])
    identifier = await running.create(ctx, "create", given, image) if image else None
    if identifier is None:
        return 1
    ctx.line(identifier)
    return 0


async def start(ctx: Context, words: list[str]) -> int:
    """docker start."""
    status = 0
    for name, each in _each(ctx, "start", words):
        if each is None:
            status = 1
        elif each.status == "running":
            ctx.line(name)
        else:
            status = max(status, await _start(ctx, name, each))
    return status


async def _start(ctx: Context, name: str, each: Container) -> int:
    try:
        await running.start(ctx, each)
    except running.StartFailed as why:
        reaching.daemon_error(ctx, str(why))
        ctx.error(f"Error: failed to start containers: {name}")
        return 1
    now = laws.of_id(ctx.world, ctx.host, each.id)
    assert now is not None
    ctx.line(name)
    await running.settle(ctx, now)
    return 0


async def stop(ctx: Context, words: list[str]) -> int:
    """docker stop: SIGTERM, and SIGKILL after ten seconds."""
    status, grace = 0, _GRACE
    given = flags.read("stop", words, frozenset(), frozenset({"time", "signal"}), short={"t": "time", "s": "signal"})
    if given.last("time").isdecimal():
        grace = int(given.last("time")) * SECOND
    for name, each in _each(ctx, "stop", given.operands):
        if each is None:
            status = 1
            continue
        if each.status == "running":
            await _end(ctx, each, grace)
        ctx.line(name)
    return status


async def _end(ctx: Context, each: Container, grace: int) -> None:
    word = each.command[0].rpartition("/")[2]
    handles = word not in ("sleep", "tail", "bash", "sh")
    await ctx.sleep(_AT_ONCE if handles else grace)
    if laws.of_id(ctx.world, ctx.host, each.id):
        ctx.simulation.apply(lifecycle.End(ctx.host, each.id, _TERMINATED if handles else lifecycle.KILLED, None, True))


async def restart(ctx: Context, words: list[str]) -> int:
    """docker restart."""
    status = 0
    for name, each in _each(ctx, "restart", words):
        if each is None:
            status = 1
            continue
        if each.status == "running":
            await _end(ctx, each, _GRACE)
        now = laws.of_id(ctx.world, ctx.host, each.id)
        status = max(status, await _start(ctx, name, now) if now else 0)
    return status


def kill(ctx: Context, words: list[str]) -> int:
    """docker kill."""
    given = flags.read("kill", words, frozenset(), frozenset({"signal"}), short={"s": "signal"})
    status = 0
    for name, each in _each(ctx, "kill", given.operands):
        if each is None:
            status = 1
        elif each.status != "running":
            status = reaching.daemon_error(ctx, f"cannot kill container: {name}: container {each.id} is not running")
        else:
            ctx.simulation.apply(lifecycle.End(ctx.host, each.id, lifecycle.KILLED, None, True))
            ctx.line(name)
    return status


def remove(ctx: Context, words: list[str]) -> int:
    """docker rm."""
    given = flags.read(
        "rm", words, frozenset({"force", "volumes", "link"}), frozenset(), short={"f": "force", "v": "volumes"}
    )
    status = 0
    for name, each in _each(ctx, "rm", given.operands):
        if each is None:
            status = 1 if "force" not in given else status
            continue
        if each.status == "running" and "force" not in given:
            text = f'cannot remove container "/{each.name}": container is running: '
            text += "stop the container before removing or force remove"
            status = reaching.daemon_error(ctx, text)
            continue
        if each.status == "running":
            ctx.simulation.apply(lifecycle.End(ctx.host, each.id, lifecycle.KILLED))
        if laws.of_id(ctx.world, ctx.host, each.id):
            ctx.simulation.apply(lifecycle.Remove(ctx.host, each.id))
        ctx.line(name)
    return status


def remove_image(ctx: Context, words: list[str]) -> int:
    """docker rmi."""
    given = flags.read("rmi", words, frozenset({"force", "no-prune"}), frozenset(), short={"f": "force"})
    if reaching.refused(ctx, "images", "Delete"):
        return 1
    for name in given.operands:
        image = images.find(ctx.world, ctx.host, name)
        if image is None:
            return reaching.daemon_error(ctx, f"No such image: {images.full_reference(name)}")
        user = next((each for each in lifecycle.containers(ctx.world, ctx.host) if each.image == image.reference), None)
        if user is not None:
            how = "container" if user.status == "running" else "stopped container"
            must = "cannot be forced" if user.status == "running" else "must be forced"
            what = f'unable to remove repository reference "{name}" ({must})'
            return reaching.daemon_error(
                ctx, f"conflict: {what} - {how} {user.id[:12]} is using its referenced image {image.id[:12]}"
            )
        ctx.simulation.apply(images.RemoveImage(ctx.host, image.reference))
        ctx.line(
            f"Untagged: {image.reference}\nUntagged: {image.repository}@{image.digest}\nDeleted: sha256:{image.id}"
        )
    return 0


def logs(ctx: Context, words: list[str]) -> int:
    """docker logs."""
    given = flags.read(
        "logs", words, frozenset({"follow", "timestamps"}), frozenset({"tail", "since"}), short={"f": "follow"}
    )
    for _, each in _each(ctx, "logs", given.operands):
        if each is None:
            return 1
        lines = each.output.splitlines(keepends=True)
        tail = given.last("tail", "all")
        ctx.write("".join(lines[-int(tail) :] if tail.isdecimal() else lines))
    return 0


def stats(ctx: Context, words: list[str]) -> int:
    """docker stats --no-stream: what a container's first process takes."""
    given = flags.read("stats", words, frozenset({"no-stream", "all"}), frozenset({"format"}))
    if "no-stream" not in given:
        return ctx.not_modelled("docker stats without --no-stream")
    if reaching.refused(ctx, "containers/json"):
        return 1
    from engine.commands.containers._docker.listing import table

    head = ["CONTAINER ID", "NAME", "CPU %", "MEM USAGE / LIMIT", "MEM %", "PIDS"]
    total, rows = ctx.node.memory_bytes, []
    for each in lifecycle.containers(ctx.world, ctx.host):
        process = process_of(ctx.world, ctx.host, each.pid) if each.pid else None
        if process is not None:
            used = process.resident_kib * 1024
            row = [each.id[:12], each.name, f"{process.cpu_permille / 10:.2f}%"]
            rows.append([*row, f"{used / 2**20:.4g}MiB / {total / 2**40:.4g}TiB", f"{100 * used / total:.2f}%", "1"])
    table(ctx, head, rows)
    return 0


def _each(ctx: Context, verb: str, names: list[str]) -> list[tuple[str, Container | None]]:
    """The containers that are named; who is not there is told of."""
    if not names:
        ctx.error(f"\"docker {verb}\" requires at least 1 argument.\nSee 'docker {verb} --help'.")
        return [("", None)]
    if reaching.refused(ctx, f"containers/{names[0]}/{verb}", "Post"):
        return [(names[0], None)]
    return [(name, reaching.named(ctx, name)) for name in names]
