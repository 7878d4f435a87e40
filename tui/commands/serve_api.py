"""The API server of a site's Kubernetes cluster on a loopback port, for a real kubectl, helm or a program of your own.

It prints a kubeconfig and serves until Ctrl-C; simulated time follows the clock on the wall. Nothing but this machine
can reach it.

  breakfix serve-api --site k8s-ib-3 --port 8001 > /tmp/kubeconfig &
  kubectl --kubeconfig /tmp/kubeconfig get nodes
"""

from __future__ import annotations

import argparse
import sys

from engine.kernel.errors import BreakfixError
from tui.opening import add_opening_arguments, opening_from

_SITE = "k8s-ib-3"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What `breakfix serve-api` takes."""
    add_opening_arguments(parser)
    parser.set_defaults(site=_SITE)
    parser.add_argument("--port", type=int, default=0, help="the port on 127.0.0.1 (default: any that is free)")
    parser.add_argument("--rate", type=float, default=1.0, help="simulated seconds a second (default 1)")


def run(arguments: argparse.Namespace) -> int:
    """Serve until Ctrl-C."""
    from tui.serving.http import Gate, kubeconfig, serve

    simulation = opening_from(arguments).play().simulation
    inventory = simulation.world.inventory
    if inventory.kubernetes is None:
        raise BreakfixError(f"the site {inventory.name} has no Kubernetes cluster", f"Try --site {_SITE}.")
    server = serve(Gate(simulation, arguments.rate), arguments.port)
    port = int(server.server_address[1])
    print(kubeconfig(port, inventory.cluster), end="", flush=True)
    print(f"breakfix: serving {inventory.cluster} on http://127.0.0.1:{port}; Ctrl-C ends it", file=sys.stderr)
    try:
        server.serve_forever()
    finally:
        server.server_close()
    return 0
