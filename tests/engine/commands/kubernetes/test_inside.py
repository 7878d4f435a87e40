"""kubectl logs and exec; helm."""

from __future__ import annotations

from engine.control.kubernetes import helm_releases
from engine.control.kubernetes.api import ApiServer
from engine.kernel.simulation import Simulation
from engine.world.world import World
from tests.engine.commands.kubernetes.conftest import Kubectl
from tests.support.run import run_command
from tests.support.sessions import screen


def test_logs_of_pods_workloads_and_selectors(kubectl: Kubectl) -> None:
    result = kubectl("logs deploy/embed -n serving --tail=1")
    assert result.stderr.startswith("Found 3 pods, using pod/embed-")
    assert result.lines == ["INFO:     Uvicorn running on http://0.0.0.0:8080 (Press CTRL+C to quit)"]
    marked = kubectl("logs -l app=embed -n serving --tail=1 --prefix").lines
    assert len(marked) == 3 and all(line.startswith("[pod/embed-") and "/server] INFO" in line for line in marked)
    stamped = kubectl("logs deploy/embed -n serving --tail=1 --timestamps").stdout
    assert stamped.startswith("2026-11-24T")


def test_logs_that_there_are_not(kubectl: Kubectl) -> None:
    assert kubectl("logs nope").stderr == (
        'error: error from server (NotFound): pods "nope" not found in namespace "default"\n'
    )
    assert kubectl("logs llama-sft-0 -n research -c nope").stderr == (
        "error: container nope is not valid for pod llama-sft-0\n"
    )
    assert 'previous terminated container "trainer"' in kubectl("logs llama-sft-0 -n research -p").stderr
    assert kubectl("logs").stderr.startswith("error: expected 'logs [-f] [-p] (POD | TYPE/NAME) [-c CONTAINER]'.\n")


def test_exec_runs_in_the_container(site: Simulation[World]) -> None:
    shown = screen(site, ["kubectl exec -n research llama-sft-0 -- nvidia-smi -L"])
    assert shown.count("UUID: GPU-") == 4
    assert "uid=0(root)" in screen(site, ["kubectl exec -n research llama-sft-0 -- id"])
    assert "llama-sft-0" in screen(site, ["kubectl exec -n research llama-sft-0 -- hostname"])
    missing = screen(site, ["kubectl exec -n research llama-sft-0 -- nope", "echo rc=$?"])
    assert 'exec: "nope": executable file not found in $PATH: unknown' in missing and "rc=1" in missing
    failed = screen(site, ["kubectl exec -n research llama-sft-0 -- sh -c 'exit 3'", "echo rc=$?"])
    assert "command terminated with exit code 3" in failed and "rc=3" in failed


def test_exec_wants_a_command_behind_dashes(kubectl: Kubectl) -> None:
    assert kubectl("exec llama-sft-0 ls").stderr.startswith("error: exec [POD] [COMMAND] is not supported anymore.")
    assert kubectl("exec llama-sft-0").stderr == "error: you must specify at least one command for the container\n"
    assert kubectl("exec").stderr == "error: pod, type/name or --filename must be specified\n"


def _release(site: Simulation[World], revision: int, status: str) -> None:
    data = {
        "name": "operator", "namespace": "research", "version": revision, "manifest": "---\n# nothing\n",
        "info": {"first_deployed": "2026-11-12T08:30:11.5Z", "last_deployed": "2026-11-12T08:30:11.5Z",
                 "status": status, "description": "Install complete"},
        "chart": {"metadata": {"name": "operator", "version": "v25.3.0", "appVersion": "v25.3.0"},
                  "values": {"driver": {"enabled": True, "version": "1"}}},
        "config": {"driver": {"enabled": False}},
    }  # fmt: skip
    server = ApiServer(site)
    secrets = server.resource("secrets")
    assert secrets is not None
    server.create(secrets, "research", helm_releases.secret(data))


def test_helm_reads_releases(site: Simulation[World]) -> None:
    _release(site, 1, "superseded")
    _release(site, 2, "deployed")

    def helm(line: str) -> str:
        result = run_command(site, "head-01", "alex", f"helm {line}")
        return result.stdout + result.stderr

    assert len(helm("list -A").splitlines()) == 4
    rows = helm("list -n research").splitlines()
    assert rows[0] == (
        "NAME    \tNAMESPACE\tREVISION\tUPDATED                        \tSTATUS  \tCHART           \tAPP VERSION"
    )
    assert rows[1] == (
        "operator\tresearch \t2       \t2026-11-12 08:30:11.5 +0000 UTC\tdeployed\toperator-v25.3.0\tv25.3.0    "
    )
    assert len(helm("list").splitlines()) == 1
    assert helm("status operator -n research") == (
        "NAME: operator\nLAST DEPLOYED: Thu Nov 12 08:30:11 2026\nNAMESPACE: research\nSTATUS: deployed\nREVISION: 2\n"
        "TEST SUITE: None\n"
    )
    assert len(helm("history operator -n research").splitlines()) == 3
    assert helm("get values operator -n research") == "USER-SUPPLIED VALUES:\ndriver:\n  enabled: false\n"
    assert helm("get values operator -n research -a") == (
        'COMPUTED VALUES:\ndriver:\n  enabled: false\n  version: "1"\n'
    )
    assert helm("status nothing") == "Error: release: not found\n"
    assert helm("foo") == 'Error: unknown command "foo" for "helm"\nRun \'helm --help\' for usage.\n'
    assert run_command(site, "head-01", "alex", "helm install x y").status == 125


def test_compressed_releases_are_read_as_well() -> None:
    import base64
    import gzip

    packed = base64.b64encode(base64.b64encode(gzip.compress(b'{"name":"x"}'))).decode()
    assert helm_releases.decoded(packed) == {"name": "x"} == helm_releases.decoded(helm_releases.encoded({"name": "x"}))


def test_helm_without_a_server(site: Simulation[World]) -> None:
    text = run_command(site, "head-01", "root", "helm list").stderr
    assert text == (
        'Error: Kubernetes cluster unreachable: Get "http://localhost:8080/version": dial tcp 127.0.0.1:8080: connect: '
        "connection refused\n"
    )
