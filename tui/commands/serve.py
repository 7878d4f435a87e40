"""The full-screen program in a browser, for as many visitors as there are seats. Each keeps their own progress.

By default only this machine reaches it. With another --host everybody who reaches that address can play: they run
processes of breakfix here, which touch nothing but a folder of their own; there is no password and no encryption.
"""

from __future__ import annotations

import argparse
import ipaddress
import sys

from engine.kernel.errors import BreakfixError

_MOST_SEATS = 1000


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What `breakfix serve` takes."""
    parser.add_argument("--host", default="127.0.0.1", help="the address to listen at (default 127.0.0.1)")
    parser.add_argument("--port", type=int, default=8000, metavar="N", help="the port (default 8000)")
    parser.add_argument("--seats", type=int, default=8, metavar="N", help="visitors at once (default 8)")


def run(arguments: argparse.Namespace) -> int:
    """Serve until Ctrl-C."""
    if not 0 < arguments.port < 65536:
        raise BreakfixError(f"{arguments.port} is no port", "Give one from 1 to 65535.")
    if not 0 < arguments.seats <= _MOST_SEATS:
        raise BreakfixError(f"{arguments.seats} seats cannot be served", f"Give a number from 1 to {_MOST_SEATS}.")
    if not _is_loopback(arguments.host):
        print(
            f"breakfix: everybody who reaches {arguments.host} can play here: no password, no encryption. "
            "Put a proxy with both before it, or use the default and an ssh tunnel.",
            file=sys.stderr,
        )
    from tui.paths import visitors_folder
    from tui.web.server import serve

    try:
        serve(arguments.host, arguments.port, visitors_folder(), arguments.seats)
    except OSError as error:
        where = f"{arguments.host}:{arguments.port}"
        raise BreakfixError(f"{where} can't be listened at: {error.strerror}", "Give another --port.") from None
    return 0


def _is_loopback(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
