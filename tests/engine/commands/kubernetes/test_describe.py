"""kubectl describe."""

from __future__ import annotations

from engine.kernel.simulation import Simulation
from engine.world.world import World
from tests.engine.commands.kubernetes.conftest import Kubectl

_PENDING = b"""
apiVersion: v1
kind: Pod
metadata: {name: too-big}
spec:
  nodeSelector: {disk: fast}
  containers:
  - name: c
    image: busybox
    env: [{name: A, value: b}, {name: NODE, valueFrom: {fieldRef: {apiVersion: v1, fieldPath: spec.nodeName}}}]
    resources: {limits: {nvidia.com/gpu: 16}}
  volumes: [{name: v, emptyDir: {medium: Memory}}]
"""


def test_a_node_adds_up_what_its_pods_ask_for(kubectl: Kubectl, busy: str) -> None:
    shown = kubectl(f"describe node {busy}").stdout
    lines = shown.splitlines()
    for line in (
        f"Name:               {busy}",
        "Unschedulable:      false",
        f"  HolderIdentity:  {busy}",
    ):
        assert line in lines, line
    pods = [line.split() for line in lines if line.startswith("  research ")]
    assert pods == [
        ["research", "llama-sft-0", "32", "(14%)", "32", "(14%)", "256Gi", "(12%)", "256Gi", "(12%)", "5h20m"]
    ]
    path = "'{.items[*].spec.containers[*].resources.limits.nvidia\\.com/gpu}'"
    asked = kubectl(f"get pods -A --field-selector spec.nodeName={busy} -o jsonpath={path}").stdout.split()
    total = str(sum(map(int, asked)))
    sums = {line.split()[0]: line.split()[1:] for line in lines[lines.index("Allocated resources:") + 4 :]}
    assert sums["nvidia.com/gpu"] == [total, total] and int(total) >= 4
    assert sums["memory"][0].endswith("Mi") and int(sums["memory"][1].strip("(%)")) >= 12


def test_a_running_pod(kubectl: Kubectl) -> None:
    shown = kubectl("describe pod llama-sft-0 -n research").stdout.splitlines()
    for line in (
        "Name:             llama-sft-0",
        "Namespace:        research",
        "Priority:         0",
        "Status:           Running",
        "    Port:          <none>",
        "    State:          Running",
        "    Ready:          True",
        "    Restart Count:  0",
        "      nvidia.com/gpu:  4",
        "  PodScheduled                True ",
        "QoS Class:                   Guaranteed",
        "Node-Selectors:              <none>",
        "Events:                      <none>",
    ):
        assert line in shown, line


def test_a_pod_that_finds_no_node(site: Simulation[World], kubectl: Kubectl) -> None:
    assert kubectl("apply -f -", stdin=_PENDING).stdout == "pod/too-big created\n"
    site.advance(10**9)
    shown = kubectl("describe pod too-big").stdout
    for part in (
        "Node:             <none>\n",
        "IP:               \nIPs:              <none>\n",
        "      A:     b\n      NODE:   (v1:spec.nodeName)\n",
        "    Type:       EmptyDir (a temporary directory that shares a pod's lifetime)\n    Medium:     Memory\n",
        "Node-Selectors:              disk=fast\n",
        "Warning  FailedScheduling",
        "default-scheduler  0/4 nodes are available",
    ):
        assert part in shown, part


def test_workloads(kubectl: Kubectl) -> None:
    shown = kubectl("describe deploy embed -n serving").stdout
    assert "Replicas:               3 desired | 3 updated | 3 total | 3 available | 0 unavailable\n" in shown
    assert (
        "StrategyType:           RollingUpdate\n" in shown
        and "    Readiness:         http-get http://:http/health delay=10s timeout=1s period=10s #success=1 " in shown
    )
    assert "NewReplicaSet:   embed-" in shown and "(3/3 replicas created)" in shown
    replicas = kubectl("describe rs -n serving").stdout
    assert (
        "Controlled By:  Deployment/embed\n" in replicas
        and "3 Running / 0 Waiting / 0 Succeeded / 0 Failed" in replicas
    )
    daemons = kubectl("describe ds nvidia-device-plugin-daemonset -n gpu-operator").stdout
    assert "Desired Number of Nodes Scheduled: 3\n" in daemons


def test_services_budgets_and_configuration(kubectl: Kubectl) -> None:
    service = kubectl("describe svc embed -n serving").stdout
    assert "TargetPort:               http/TCP\n" in service and ":8080," in service
    budget = kubectl("describe pdb -n serving").stdout
    assert "Min available:  2\n" in budget and "    Allowed disruptions:  1\n" in budget
    assert kubectl("describe cm coredns -n kube-system").stdout.count("====\n") == 2
    assert "Status:       Active\n" in kubectl("describe ns serving").stdout
    claim = kubectl("describe sc").stdout
    assert "VolumeBindingMode:     WaitForFirstConsumer\n" in claim


def test_names_can_be_begun(kubectl: Kubectl) -> None:
    shown = kubectl("describe pod embed -n serving").stdout
    assert shown.count("Name:             embed-") == 3
    assert kubectl("describe pods -n serving").stdout.count("\n\n\nName: ") == 2
    nobody = kubectl("describe node gpu-999")
    assert nobody.stderr == 'Error from server (NotFound): nodes "gpu-999" not found\n' and nobody.status == 1


def test_newer_clients_print_otherwise(site: Simulation[World]) -> None:
    from engine.simulation import open_site
    from tests.support.run import run_command

    newer = open_site("k8s-ib-3", 1, {"software.kubectl": "1.37.1"})
    shown = run_command(newer, "head-01", "alex", "kubectl describe node gpu-02").stdout
    assert "Kube-Proxy Version" not in shown
    deleted = run_command(newer, "head-01", "alex", "kubectl delete pod llama-sft-0 -n research --wait=false").stdout
    assert deleted == 'pod "llama-sft-0" deleted from research namespace\n'


def test_labels_of_a_row_are_in_the_order_of_their_texts(kubectl: Kubectl) -> None:
    kubectl("label node cp-01 x.y=1 x.y.z=2")
    assert kubectl("get node cp-01 --show-labels").stdout.rstrip().endswith("x.y.z=2,x.y=1")
    shown = kubectl("describe node cp-01").stdout
    assert shown.index("x.y=1\n") < shown.index("x.y.z=2\n")


def test_accounts_and_what_kubectl_does_not_know(kubectl: Kubectl) -> None:
    account = kubectl("describe sa default -n serving").stdout
    assert "Image pull secrets:  <none>\nMountable secrets:   <none>\nTokens:              <none>\n" in account
    manifest = b"apiVersion: node.k8s.io/v1\nkind: RuntimeClass\nmetadata: {name: own}\nhandler: runc\n"
    assert kubectl("apply -f -", stdin=manifest).stdout == "runtimeclass.node.k8s.io/own created\n"
    generic = kubectl("describe runtimeclass own").stdout
    assert "API Version:  node.k8s.io/v1\nHandler:      runc\nKind:         RuntimeClass\nMetadata:\n" in generic
