"""docker run, create, start and exec: making a container, starting it with its GPUs, and running a program in it.

Error texts: docker CLI 27 (cli/command/container/run.go: 125 for dockerd's refusals, 126 for what cannot be run, 127
for what is not there), dockerd and runc 1.2, users' reports.
"""

from __future__ import annotations

from collections.abc import Sequence

from engine.commands._containers import inside as places
from engine.commands.containers._docker import flags, pulling, reaching, request
from engine.commands.containers._docker.flags import Flags
from engine.commands.context import Context, Output
from engine.commands.streams import Capture
from engine.control.containers import daemon, images, lifecycle, toolkit
from engine.control.containers import inside as laws
from engine.control.containers.images import Image
from engine.kernel.units import MILLISECOND
from engine.world.records import Container

_START = 420 * MILLISECOND
_NO_DEVICE_DRIVER = 'could not select device driver "{0}" with capabilities: [{1}]'
_STAYING = ("sleep", "tail", "python", "python3", "torchrun", "dcgm-exporter", "dcgm-exporter-entrypoint.sh")


class StartFailed(Exception):
    """dockerd could not start a container; the text is its own."""


async def run(ctx: Context, words: Sequence[str]) -> int:
    """docker run."""
    given = request.read("run", words)
    gap = request.not_modelled(given)
    if gap:
        return ctx.not_modelled(gap)
    why = reaching.unreachable(ctx, "containers/create", "Post")
    if why is not None:
        ctx.error(f"docker: {why.rstrip('.')}.\nSee 'docker run --help'.")
        return 126 if "permission denied" in why else 125
    image = images.find(ctx.world, ctx.host, given.operands[0]) or await pulling.missing(ctx, given.operands[0])
    if image is None:
        return 125
    identifier = await create(ctx, "run", given, image)
    if identifier is None:
        return 125
    return await _started(ctx, given, identifier)


async def create(ctx: Context, verb: str, given: Flags, image: Image) -> str | None:
    """Make a container; says why it cannot. Gives its id."""
    _, cdi = request.wanted(ctx, verb, given, image)
    name, runtime = given.last("name"), request.runtime(ctx, given)
    other = lifecycle.find(ctx.world, ctx.host, name) if name else None
    error = ""
    if other is not None:
        error = (
            f'Conflict. The container name "/{name}" is already in use by container "{other.id}". '
            "You have to remove (or rename) that container to be able to reuse that name"
        )
    elif runtime not in daemon.settings(ctx.world, ctx.host).runtimes:
        error = f"unknown or invalid runtime name: {runtime}"
    if error:
        ctx.error(f"docker: Error response from daemon: {error}.\nSee 'docker {verb} --help'.")
        return None
    identifier: str = ctx.simulation.apply(lifecycle.Create(ctx.host, request.fields(ctx, verb, given, image, cdi)))
    return identifier


async def start(ctx: Context, each: Container) -> None:
    """Start a container with the GPUs that it asked for. Raises StartFailed."""
    gpus = _gpus(ctx, each)
    program = each.command[0] if each.command else ""
    inside_now = laws.of_id(ctx.world, ctx.host, each.id)
    assert inside_now is not None
    await ctx.sleep(_START)
    terminal = "pts/0" if ctx.terminal is not None else None
    ctx.simulation.apply(lifecycle.Start(ctx.host, each.id, gpus, terminal))
    if not places.has(ctx.world, places.place_in(ctx, inside_now), program):
        ctx.simulation.apply(lifecycle.End(ctx.host, each.id, 127, ""))
        raise StartFailed(_runc(f'exec: "{program}": executable file not found in $PATH'))


def _runc(text: str) -> str:
    return (
        "failed to create task for container: failed to create shim task: OCI runtime create failed: runc create "
        f"failed: unable to start container process: error during container init: {text}: unknown"
    )


def _gpus(ctx: Context, each: Container) -> tuple[str, ...]:
    """The GPUs of a container that starts now. Raises StartFailed."""
    world, host, image = ctx.world, ctx.host, images.registry()[each.image]
    variables = {**image.environment, **dict(each.environment)}
    wanted = None
    if each.specified and not each.gpu_request:
        return _by_device(ctx, each)
    if each.gpu_request:
        if not world.container_hosts[host].hook:
            raise StartFailed(_NO_DEVICE_DRIVER.format("", "[gpu]"))
        if not daemon.has_toolkit(world, host):
            raise StartFailed(_runc('error running prestart hook #0: exec: "nvidia-container-runtime-hook": not found'))
        wanted = request.gpus("run", each.gpu_request)
    elif each.runtime == "nvidia":
        if not daemon.has_toolkit(world, host):
            text = 'exec: "nvidia-container-runtime": executable file not found in $PATH: unknown'
            raise StartFailed(f"failed to create task for container: failed to create shim task: {text}")
        wanted = toolkit.request(variables.get("NVIDIA_VISIBLE_DEVICES", ""))
    if wanted is None:
        return ()
    try:
        return tuple(gpu.id for gpu in toolkit.pick(world, host, wanted, image, variables))
    except toolkit.Refused as why:
        raise StartFailed(toolkit.hook_refusal(why)) from why


def _by_device(ctx: Context, each: Container) -> tuple[str, ...]:
    """GPUs whose devices were named: by CDI, or as device files (which brings no libraries by itself)."""
    if each.devices:
        indices = [path.removeprefix("/dev/nvidia") for path in each.devices if path.startswith("/dev/nvidia")]
        names = tuple(index for index in indices if index.isdecimal())
        return tuple(gpu.id for gpu in toolkit.chosen(ctx.world, ctx.host, toolkit.Request(names=names)))
    if not daemon.settings(ctx.world, ctx.host).cdi:
        raise StartFailed(_NO_DEVICE_DRIVER.format("cdi", ""))
    if not toolkit.cdi_there(ctx.world, ctx.host):
        raise StartFailed(f"CDI device injection failed: unresolvable CDI devices {toolkit.CDI_KIND}=all")
    return tuple(gpu.id for gpu in toolkit.chosen(ctx.world, ctx.host, toolkit.Request(everything=True)))


def status_of(text: str) -> int:
    """The exit status of `docker run` for an error of the start."""
    if any(words in text for words in ("executable file not found", "no such file or directory")):
        return 127
    return 126 if "permission denied" in text else 125


async def _started(ctx: Context, given: Flags, identifier: str) -> int:
    """Start what was made, and wait for it unless it is detached."""
    each = laws.of_id(ctx.world, ctx.host, identifier)
    assert each is not None
    try:
        await start(ctx, each)
    except (StartFailed, toolkit.Refused) as why:
        ctx.error(f"docker: Error response from daemon: {str(why).rstrip('.')}.")
        _keep_failure(ctx, each, str(why))
        return status_of(str(why))
    now = laws.of_id(ctx.world, ctx.host, identifier)
    assert now is not None
    if "detach" in given:
        ctx.line(identifier)
        await settle(ctx, now)
        return 0
    return await _attached(ctx, given, now)


def _keep_failure(ctx: Context, each: Container, why: str) -> None:
    """dockerd logs why a container did not start; one that was to go at its end goes."""
    if laws.of_id(ctx.world, ctx.host, each.id) is None:
        return
    status = 127 if status_of(why) == 127 else 128
    ctx.simulation.apply(lifecycle.FailStart(ctx.host, each.id, why, status))
    if each.remove:
        ctx.simulation.apply(lifecycle.Remove(ctx.host, each.id))


async def settle(ctx: Context, each: Container) -> None:
    """A container without a terminal whose program does its work and ends does so at once."""
    word = each.command[0].rpartition("/")[2]
    if word in _STAYING or (word in ("bash", "sh") and len(each.command) > 2 and "sleep inf" in each.command[2]):
        return
    out = Capture()
    status = await places.run(ctx, places.place_in(ctx, each), each.command, stdout=out, stderr=out)
    ctx.simulation.apply(lifecycle.End(ctx.host, each.id, status, out.text))


async def _attached(ctx: Context, given: Flags, each: Container) -> int:
    """The caller sees what the container's program prints, and gets its status."""
    place, kept = places.place_in(ctx, each), bytearray()
    shell = each.command in (("/bin/bash",), ("bash",), ("sh",), ("/bin/sh",))
    if shell and "interactive" in given and ctx.logins is not None and "tty" in given:
        status = await _shell(ctx, each)
    elif shell and "interactive" not in given:
        status = 0
    else:
        await ctx.flush()
        words = (f"{each.command[0]}",) if shell else each.command
        if each.remove:
            status = await places.run(ctx, place, words)
        else:
            out, err = _Kept(ctx.stdout, kept), _Kept(ctx.stderr, kept)
            status = await places.run(ctx, place, words, stdout=out, stderr=err)
    if laws.of_id(ctx.world, ctx.host, each.id):
        text = bytes(kept).decode("utf-8", "replace")
        ctx.simulation.apply(lifecycle.End(ctx.host, each.id, status, text))
    return status


class _Kept:
    """Output that its reader sees and dockerd keeps for `docker logs`."""

    def __init__(self, under: Output, kept: bytearray) -> None:
        self._under, self._all = under, kept

    def write(self, data: bytes) -> None:
        self._all.extend(data)
        self._under.write(data)

    async def flush(self) -> None:
        await self._under.flush()


async def _shell(ctx: Context, each: Container) -> int:
    assert ctx.logins is not None
    prompt = {"PS1": f"root@{each.hostname}:\\w# "}
    return await ctx.logins.login(places.place_in(ctx, each, prompt))


async def execute(ctx: Context, words: Sequence[str]) -> int:
    """docker exec."""
    given = flags.read(
        "exec", words, frozenset({"interactive", "tty", "detach", "privileged"}), frozenset({"env", "workdir", "user"}),
        permute=False,
    )  # fmt: skip
    if len(given.operands) < 2:
        ctx.error("\"docker exec\" requires at least 2 arguments.\nSee 'docker exec --help'.")
        return 1
    if reaching.refused(ctx, f"containers/{given.operands[0]}/json"):
        return 1
    each = reaching.named(ctx, given.operands[0])
    if each is None:
        return 1
    if each.status != "running":
        return reaching.daemon_error(ctx, f"container {each.id} is not running")
    command = given.operands[1:]
    place = places.place_in(ctx, each, request.variables(ctx, given), given.last("workdir"))
    if not places.has(ctx.world, place, command[0]):
        error = f'exec: "{command[0]}": executable file not found in $PATH'
        ctx.line(f"OCI runtime exec failed: exec failed: unable to start container process: {error}: unknown")
        return 127
    if command in (["bash"], ["/bin/bash"], ["sh"]) and "interactive" in given and ctx.logins is not None:
        return await _shell(ctx, each)
    await ctx.flush()
    return await places.run(ctx, place, command)
