"""Whether dockerd can be asked, and the lines that docker writes when it cannot, or when dockerd refuses.

Only root reaches the socket: the sites' accounts are not in the group docker.
"""

from __future__ import annotations

from engine.commands.context import Context
from engine.control.containers import daemon, lifecycle
from engine.world.records import Container

API = "v1.47"
_SOCKET = "unix:///var/run/docker.sock"


def unreachable(ctx: Context, request: str, method: str = "Get") -> str | None:
    """Why dockerd does not take a request (`containers/json`), or None."""
    if not ctx.is_root:
        url = f"http://%2Fvar%2Frun%2Fdocker.sock/{API}/{request}"
        return (
            f"permission denied while trying to connect to the Docker daemon socket at {_SOCKET}: "
            f'{method} "{url}": dial unix /var/run/docker.sock: connect: permission denied'
        )
    if not daemon.runs(ctx.world, ctx.host):
        return f"Cannot connect to the Docker daemon at {_SOCKET}. Is the docker daemon running?"
    return None


def refused(ctx: Context, request: str, method: str = "Get") -> bool:
    """Say why dockerd cannot be asked; False if it can."""
    why = unreachable(ctx, request, method)
    if why is not None:
        ctx.error(why)
    return why is not None


def daemon_error(ctx: Context, text: str) -> int:
    """dockerd refuses."""
    ctx.error(f"Error response from daemon: {text}")
    return 1


def named(ctx: Context, name: str) -> Container | None:
    """The container that is meant; says so where there is none."""
    found = lifecycle.find(ctx.world, ctx.host, name)
    if found is None:
        daemon_error(ctx, f"No such container: {name}")
    return found
