"""Registries that nodes pull images from, and why a pull fails, in containerd's words.

The site's own registry serves HTTPS with a certificate of the site's CA: a node trusts it through the `ca` of
/etc/containerd/certs.d/<registry>/hosts.toml, which containerd reads at each pull (docs/hosts.md of containerd 1.7).
Public registries are reached from everywhere; what they offer stands in tables/images.txt. Texts: containerd 1.7's
resolver (remotes/docker) and Go's net and crypto/tls; rates of pulls are guesses for a 10 Gb/s link and unpacking.
"""

from __future__ import annotations

import re

from engine.control import files, host_names, service_state
from engine.control.containers import images
from engine.control.containers.images import Image
from engine.kernel.actions import Action
from engine.kernel.quick_dataclass import dataclass
from engine.kernel.simulation import Simulation
from engine.kernel.units import SECOND
from engine.world.inventory import stable_hexadecimal
from engine.world.records import BootPhase
from engine.world.world import World

PORT = 5000
SERVICE = "registry.service"
CERTIFICATES = "/etc/containerd/certs.d"
_PUBLIC = ("docker.io", "nvcr.io", "registry.k8s.io", "ghcr.io", "quay.io")
_DENIED = (
    "pull access denied, repository does not exist or may require authorization: server message: insufficient_scope: "
    "authorization failed"
)
_UNTRUSTED = "tls: failed to verify certificate: x509: certificate signed by unknown authority"
_MEGABYTES_PER_SECOND = {"own": 420, "public": 120}


@dataclass(frozen=True, slots=True)
class Held:
    """An image on a node: canonical reference, repository, digest and size."""

    reference: str
    repository: str
    digest: str
    bytes: int
    image: Image


class PullRefused(Exception):
    """An image cannot be had. `code` is gRPC's word; the text is containerd's, without the reference before it."""

    def __init__(self, code: str, text: str) -> None:
        super().__init__(text)
        self.code = code


def canonical(text: str) -> str:
    """A reference with registry, `library/` and tag: `nginx` is docker.io/library/nginx:latest."""
    name = text if ":" in text.rpartition("/")[2] or "@" in text else f"{text}:latest"
    first, slash, _ = name.partition("/")
    if not slash:
        return f"docker.io/library/{name}"
    return name if "." in first or ":" in first or first == "localhost" else f"docker.io/{name}"


def is_reference(text: str) -> bool:
    """Whether a text can be the name of an image."""
    return re.fullmatch(r"[a-z0-9][\w.:/@-]*", text) is not None and not text.endswith(("/", ":"))


def own(world: World) -> str:
    """The site's registry as references name it: `reg-01.borealis.example:5000`."""
    cluster = world.inventory.kubernetes
    return f"{cluster.registry}.{world.inventory.domain}:{PORT}" if cluster else ""


def offered(reference: str) -> Image | None:
    """What a registry has under a canonical reference, or None."""
    return _offers().get(reference)


def _offers() -> dict[str, Image]:
    return {canonical(name): image for name, image in images.registry().items()}


def held(world: World, node: str) -> list[Held]:
    """The images in containerd's store of a node."""
    return [_held(canonical(name), images.registry()[name]) for name in world.container_hosts[node].pulled]


def find_held(world: World, node: str, text: str) -> Held | None:
    """The image of a node that a reference names, or None."""
    wanted = canonical(text)
    return next((each for each in held(world, node) if each.reference == wanted), None)


def _held(reference: str, image: Image) -> Held:
    return Held(reference, reference.rpartition(":")[0], image.digest, image.megabytes * 1_000_000, image)


def keep(simulation: Simulation[World], node: str, reference: str) -> None:
    """An image comes to a node."""
    image = offered(reference)
    state = simulation.world.container_hosts[node]
    if image is not None and image.reference not in state.pulled:
        simulation.world.container_hosts.update(node, pulled=(*state.pulled, image.reference))


def pull_time(world: World, reference: str) -> int:
    """How long a pull takes (ns)."""
    image = offered(reference)
    megabytes = image.megabytes if image else 0
    rate = _MEGABYTES_PER_SECOND["own" if reference.startswith(f"{own(world)}/") else "public"]
    return 400_000_000 + megabytes * SECOND // rate


def check(world: World, node: str, reference: str) -> None:
    """Nothing, if a node can pull an image now. Raises PullRefused."""
    registry = reference.partition("/")[0]
    try:
        _ask(world, node, registry, reference)
    except PullRefused as why:
        text = f'failed to pull and unpack image "{reference}": failed to resolve reference "{reference}": {why}'
        raise PullRefused(why.code, text) from None


def _ask(world: World, node: str, registry: str, reference: str) -> None:
    if registry == own(world):
        _reach_own(world, node, registry, reference)
    elif registry not in _PUBLIC:
        host = registry.partition(":")[0]
        what = f"dial tcp: lookup {host} on 127.0.0.53:53: no such host"
        raise PullRefused("Unknown", f"failed to do request: Head {_url(registry, reference)}: {what}")
    if offered(reference) is None:
        repository = reference.rpartition(":")[0]
        known = any(each.rpartition(":")[0] == repository for each in _offers())
        if known or registry == own(world):
            raise PullRefused("NotFound", f"{reference}: not found")
        raise PullRefused("Unknown", _DENIED)


def _url(registry: str, reference: str) -> str:
    repository, _, tag = reference.removeprefix(f"{registry}/").rpartition(":")
    return f'"https://{registry}/v2/{repository}/manifests/{tag}"'


def _reach_own(world: World, node: str, registry: str, reference: str) -> None:
    cluster = world.inventory.kubernetes
    assert cluster is not None
    host, address = cluster.registry, host_names.resolve(world, cluster.registry)
    begin = f"failed to do request: Head {_url(registry, reference)}: "
    if world.nodes[host].phase is not BootPhase.RUNNING:
        raise PullRefused("Unknown", f"{begin}dial tcp {address}:{PORT}: i/o timeout")
    if not service_state.is_active(world, host, SERVICE):
        raise PullRefused("Unknown", f"{begin}dial tcp {address}:{PORT}: connect: connection refused")
    if not trusts(world, node, registry):
        raise PullRefused("Unknown", begin + _UNTRUSTED)


def folder(registry: str) -> str:
    """The directory of a registry's settings on a node."""
    return f"{CERTIFICATES}/{registry}"


def hosts_toml(world: World) -> str:
    """The settings of the site's registry as the nodes were set up with."""
    registry = own(world)
    return (
        f'server = "https://{registry}"\n\n[host."https://{registry}"]\n'
        f'  capabilities = ["pull", "resolve"]\n  ca = "{folder(registry)}/ca.crt"\n'
    )


def authority(world: World, generation: int = 2) -> str:
    """The certificate of the site's CA, in PEM; earlier generations have run out. Its text stands for no real key."""
    body = stable_hexadecimal(704, world.inventory.name, "registry authority", generation)
    letters = "".join(chr(65 + int(body[i : i + 2], 16) % 26) for i in range(0, 704, 2))
    lines = ["MIIDQTCCAimgAwIBAgIU" + letters[:44], *(letters[i : i + 64] for i in range(44, 352, 64))]
    return "\n".join(["-----BEGIN CERTIFICATE-----", *lines, "-----END CERTIFICATE-----", ""])


def trusts(world: World, node: str, registry: str) -> bool:
    """Whether containerd of a node accepts the certificate of the site's registry."""
    place = folder(registry)
    text = files.text(world, node, f"{place}/hosts.toml", hosts_toml(world))
    if re.search(r"^\s*skip_verify\s*=\s*true\s*$", text, re.MULTILINE):
        return True
    found = re.search(r'^\s*ca\s*=\s*\[?\s*"([^"]+)"', text, re.MULTILINE)
    if not found:
        return False
    default = authority(world) if found[1] == f"{place}/ca.crt" else ""
    return files.text(world, node, found[1], default).strip() == authority(world).strip()


def attempt_time(world: World, node: str, reference: str) -> int:
    """How long until a pull has succeeded or failed (ns)."""
    try:
        check(world, node, reference)
    except PullRefused as why:
        return 30 * SECOND if "i/o timeout" in str(why) else 350_000_000
    return pull_time(world, reference)


@dataclass(frozen=True, slots=True)
class PullImage(Action):
    """Somebody has a node's containerd pull an image. Gives gRPC's error, or None."""

    host: str
    reference: str

    def perform(self, simulation: Simulation[World]) -> str | None:
        try:
            check(simulation.world, self.host, self.reference)
        except PullRefused as why:
            return f"rpc error: code = {why.code} desc = {why}"
        keep(simulation, self.host, self.reference)
        return None
