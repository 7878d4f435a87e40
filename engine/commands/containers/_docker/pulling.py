"""docker pull, and the pull of `docker run`: layers come, or the registry does not know the reference."""

from __future__ import annotations

from hashlib import sha256

from engine.commands.containers._docker import reaching
from engine.commands.context import Context
from engine.control.containers import images
from engine.control.containers.images import Image
from engine.kernel.units import MILLISECOND

_PER_MEGABYTE = 9 * MILLISECOND
_MOST_LAYERS = 8


def unknown(text: str) -> str:
    """What dockerd says of a reference that the registry does not have."""
    reference = images.full_reference(text)
    repository = reference.rpartition(":")[0]
    known = any(each.repository == repository for each in images.registry().values())
    if repository.startswith("nvcr.io/") or known:
        name = reference if repository.startswith("nvcr.io/") else f"docker.io/library/{reference}"
        return f"manifest for {name} not found: manifest unknown: manifest unknown"
    return (
        f"pull access denied for {repository}, repository does not exist or may require 'docker login': denied: "
        "requested access to the resource is denied"
    )


async def missing(ctx: Context, text: str) -> Image | None:
    """`docker run` of an image that is not there yet; says what it does."""
    reference = images.full_reference(text)
    ctx.error(f"Unable to find image '{reference}' locally")
    image = images.registry().get(reference)
    if image is None:
        ctx.error(f"docker: Error response from daemon: {unknown(text)}.\nSee 'docker run --help'.")
        return None
    await _layers(ctx, image, ctx.error)
    ctx.error(f"Status: Downloaded newer image for {reference}")
    return image


async def pull(ctx: Context, words: list[str]) -> int:
    """docker pull."""
    names = [word for word in words if not word.startswith("-")]
    if len(names) != 1:
        ctx.error("\"docker pull\" requires exactly 1 argument.\nSee 'docker pull --help'.")
        return 1
    if reaching.refused(ctx, "images/create", "Post"):
        return 1
    if ":" not in names[0].rpartition("/")[2]:
        ctx.line("Using default tag: latest")
    reference = images.full_reference(names[0])
    image = images.registry().get(reference)
    if image is None:
        return reaching.daemon_error(ctx, unknown(names[0]))
    new = images.find(ctx.world, ctx.host, reference) is None
    if new:
        await _layers(ctx, image, ctx.line)
    else:
        ctx.line(_from(image))
        ctx.line(f"Digest: {image.digest}")
    word = "Downloaded newer image for" if new else "Image is up to date for"
    ctx.line(f"Status: {word} {reference}")
    ctx.line(reference if reference.startswith("nvcr.io/") else f"docker.io/library/{reference}")
    return 0


def _from(image: Image) -> str:
    name = image.repository.removeprefix("nvcr.io/")
    return f"{image.tag}: Pulling from {name if '/' in name else f'library/{name}'}"


async def _layers(ctx: Context, image: Image, say: object) -> None:
    """The layers come one after the other."""
    assert callable(say)
    say(_from(image))
    count = 1 + int(image.id[:2], 16) % _MOST_LAYERS + (_MOST_LAYERS if image.megabytes > 1000 else 0)
    for number in range(count):
        await ctx.sleep(image.megabytes * _PER_MEGABYTE // count)
        layer = sha256(f"layer {number} of {image.id}".encode()).hexdigest()[:12]
        say(f"{layer}: Pull complete")
    say(f"Digest: {image.digest}")
    ctx.simulation.apply(images.Pull(ctx.host, image.reference))
