"""kubectl get, events and what says what the cluster has."""

from __future__ import annotations

import json
import re

import pytest
import yaml

from engine.kernel.simulation import Simulation
from engine.kernel.units import MINUTE, SECOND
from engine.simulation import open_site
from engine.world.world import World
from tests.engine.commands.kubernetes.conftest import Kubectl
from tests.support.run import run_command


def test_nodes(kubectl: Kubectl) -> None:
    assert kubectl("get nodes").stdout == (
        "NAME     STATUS   ROLES           AGE   VERSION\n"
        "cp-01    Ready    control-plane   62d   v1.32.4\n"
        "gpu-01   Ready    <none>          62d   v1.32.4\n"
        "gpu-02   Ready    <none>          62d   v1.32.4\n"
        "gpu-03   Ready    <none>          62d   v1.32.4\n"
    )
    wide = kubectl("get no gpu-02 -o wide").lines
    assert wide[0].split()[-1] == "CONTAINER-RUNTIME" and "10.20.0.42" in wide[1]


def test_columns_can_be_asked_for(kubectl: Kubectl) -> None:
    line = (
        "get nodes -o custom-columns='NAME:.metadata.name,GPUS:.status.allocatable.nvidia\\.com/gpu,NO:.spec.nothing'"
    )
    rows = [row.split() for row in kubectl(line).lines]
    assert rows[0] == ["NAME", "GPUS", "NO"] and rows[2] == ["gpu-01", "8", "<none>"]
    labels = kubectl("get nodes -L kubernetes.io/hostname,nothing").lines
    assert labels[0].endswith("HOSTNAME   NOTHING") and labels[1].split()[-1] == "cp-01"
    assert "kubernetes.io/hostname=cp-01," in kubectl("get nodes --show-labels").lines[1]
    assert len(kubectl("get nodes --no-headers").lines) == 4


def test_several_types_come_apart_with_their_kinds(kubectl: Kubectl) -> None:
    text = kubectl("get deploy,pdb -n serving").stdout
    first, second = text.split("\n\n")
    assert first.splitlines()[1].startswith("deployment.apps/embed   3/3")
    assert second.splitlines()[1].startswith("poddisruptionbudget.policy/embed")


def test_namespaces_and_selectors(kubectl: Kubectl) -> None:
    everywhere = kubectl("get pods -A").lines
    assert everywhere[0].startswith("NAMESPACE ") and any(line.startswith("research ") for line in everywhere)
    assert len(kubectl("get pods -A -l app=embed --no-headers").lines) == 3
    here = kubectl("get pods -A --field-selector spec.nodeName=gpu-01 -o name").lines
    assert here and all(line.startswith("pod/") for line in here)
    nothing = kubectl("get pods")
    assert (nothing.stdout, nothing.stderr) == ("", "No resources found in default namespace.\n")
    assert kubectl("get pods -A -l a=b").stderr == "No resources found\n"


def test_structured_forms_agree(kubectl: Kubectl) -> None:
    as_json = json.loads(kubectl("get deploy embed -n serving -o json").stdout)
    assert yaml.safe_load(kubectl("get deploy embed -n serving -o yaml").stdout) == as_json
    name = kubectl("get deploy embed -n serving -o jsonpath='{.metadata.name} {.spec.replicas}'").stdout
    assert name == "embed 3"
    listed = json.loads(kubectl("get deploy -n serving -o json").stdout)
    assert listed["kind"] == "List" and listed["items"] == [as_json]
    assert kubectl("get deploy -n serving -o go-template='{{len .items}}'").stdout == "1"


def test_some_are_there_and_some_are_not(kubectl: Kubectl) -> None:
    result = kubectl("get node gpu-01 nope gpu-02")
    assert [line.split()[0] for line in result.lines] == ["NAME", "gpu-01", "gpu-02"]
    assert result.stderr == 'Error from server (NotFound): nodes "nope" not found\n' and result.status == 1
    assert kubectl("get node nope --ignore-not-found").status == 0


@pytest.mark.parametrize(
    ("line", "text"),
    [
        ("get foo", 'error: the server doesn\'t have a resource type "foo"'),
        ("get nodes --foo", "error: unknown flag: --foo\nSee 'kubectl get --help' for usage."),
        ("get pods -o jsonpath", "error: template format specified but no template given"),
        ("get pods -o custom-columns", "error: custom-columns format specified but no custom columns given"),
        ("get pods -o jsonpath={.a", "error: error parsing jsonpath {.a, unclosed action"),
        ("get pod x -A", "error: a resource cannot be retrieved by name across all namespaces"),
        ("get pod x -l a=b", "error: name cannot be provided when a selector is specified"),
        (
            "get pods -A --field-selector foo=bar",
            'Error from server (BadRequest): Unable to find "/v1, Resource=pods" that match label selector "", field '
            'selector "foo=bar": field label not supported: foo',
        ),
        ("foo", 'error: unknown command "foo" for "kubectl"\n\nDid you mean this?\n\ttop'),
        ("rollout status", "error: required resource not specified"),
    ],
)
def test_refusals(kubectl: Kubectl, line: str, text: str) -> None:
    result = kubectl(line)
    assert (result.stderr, result.status) == (text + "\n", 1)


def test_the_format_is_named_with_those_there_are(kubectl: Kubectl) -> None:
    text = kubectl("get pods -o foo").stderr
    assert text.startswith(
        'error: unable to match a printer suitable for the output format "foo", allowed formats are: '
    )
    assert "kyaml" not in text and "custom-columns" in text
    assert "custom-columns" not in kubectl("label node gpu-01 a=b -o foo").stderr


def test_sorting(kubectl: Kubectl) -> None:
    rows = kubectl("get pods -n serving --sort-by=.metadata.name -o name").lines
    assert len(rows) == 3
    assert rows == sorted(rows)
    by_count = kubectl("get nodes --sort-by='.status.capacity.nvidia\\.com/gpu' -o name").lines
    assert by_count[0] == "node/cp-01"
    wrong = kubectl("get nodes -o name --sort-by=.nope")
    assert wrong.stderr == 'error: couldn\'t find any field with path "{.nope}" in the list of objects\n'


def test_numbers_in_names_counted_as_numbers_before_release_31(site: Simulation[World], kubectl: Kubectl) -> None:
    query = "get pods -A --sort-by=.metadata.name -o name"
    assert kubectl(query).lines == sorted(kubectl(query).lines)
    older = open_site("k8s-ib-3", 4, {"software.kubectl": "1.30.4"})
    rows = run_command(older, "head-01", "alex", f"kubectl {query}").stdout.splitlines()
    assert rows == sorted(rows, key=lambda row: re.sub(r"\d+", lambda number: number[0].zfill(12), row))
    assert rows != sorted(rows)


def test_a_watch_prints_what_changes(site: Simulation[World], kubectl: Kubectl) -> None:
    run_command(site, "gpu-02", "root", "systemctl stop kubelet")
    lines = kubectl("get nodes -w", interrupt_after=MINUTE).lines
    assert len(lines) == 6 and lines[5].split()[:2] == ["gpu-02", "NotReady"]
    unchanged = kubectl("get nodes --watch-only", interrupt_after=3 * SECOND)
    assert unchanged.lines == [] and unchanged.status == 130


def test_a_node_whose_kubelet_stopped(site: Simulation[World], kubectl: Kubectl) -> None:
    run_command(site, "gpu-02", "root", "systemctl stop kubelet")
    site.advance(MINUTE)
    assert kubectl("get nodes").lines[3].split()[1] == "NotReady"
    shown = kubectl("describe node gpu-02").stdout
    assert "node.kubernetes.io/unreachable:NoExecute" in shown and "Kubelet stopped posting node status." in shown
    assert "NodeNotReady" in kubectl("get events -n default").stdout
    assert "NodeNotReady" in kubectl("events --for node/gpu-02").stdout


def test_without_a_configuration_nobody_answers(kubectl: Kubectl) -> None:
    result = kubectl("get nodes", user="root")
    lines = result.stderr.splitlines()
    assert lines[-1] == (
        "The connection to the server localhost:8080 was refused - did you specify the right host or port?"
    )
    assert len(lines) == 6 and 'Get \\"http://localhost:8080/api?timeout=32s\\": dial tcp 127.0.0.1:8080' in lines[0]
    assert result.status == 1
    assert kubectl("get nodes --kubeconfig=/nope").stderr == "error: stat /nope: no such file or directory\n"
    assert kubectl("get nodes --context=x").stderr == 'error: context "x" does not exist\n'


def test_contexts_can_be_changed(kubectl: Kubectl) -> None:
    assert kubectl("config current-context").stdout == "kubernetes-admin@kubernetes\n"
    assert kubectl("config set-context --current --namespace=serving").stdout == (
        'Context "kubernetes-admin@kubernetes" modified.\n'
    )
    assert len(kubectl("get pods --no-headers").lines) == 3
    assert "namespace: serving" in kubectl("config view --minify").stdout
    assert "DATA+OMITTED" in kubectl("config view").stdout and "DATA+OMITTED" not in kubectl("config view --raw").stdout
    assert kubectl("config use-context x").stderr == 'error: no context exists with the name: "x"\n'


def test_what_the_cluster_is(kubectl: Kubectl) -> None:
    assert kubectl("version").stdout == (
        "Client Version: v1.32.4\nKustomize Version: v5.5.0\nServer Version: v1.32.4\n"
    )
    assert "Kubernetes control plane is running at https://10.20.0.20:6443" in kubectl("cluster-info").stdout
    rows = [line.split() for line in kubectl("api-resources --api-group=apps --no-headers").lines]
    assert ["deployments", "deploy", "apps/v1", "true", "Deployment"] in rows
    assert "apps/v1" in kubectl("api-versions").lines
    assert kubectl("auth can-i get pods").stdout == "yes\n"
    assert "verb 'drain' is not a known verb" in kubectl("auth can-i drain nodes").stderr
    assert kubectl("top node").stderr == "error: Metrics API not available\n"
    assert kubectl("get --raw /readyz").stdout == "ok"


def test_what_is_not_modelled_says_so(kubectl: Kubectl) -> None:
    for line in (
        "explain clusterpolicy",
        "port-forward x 1",
        "apply -k .",
        "describe endpointslices -n serving",
        "get pods -o kyaml",
    ):
        result = kubectl(line)
        assert result.status == (1 if "kyaml" in line else 125), line
