"""What kubectl changes: cordon, drain, taint, label, apply, delete, scale, rollout, wait, and what it says of it."""

from __future__ import annotations

import pytest

from engine.kernel.simulation import Simulation
from engine.kernel.units import MINUTE, SECOND
from engine.world.world import World
from tests.engine.commands.kubernetes.conftest import Kubectl

_MANIFESTS = b"""
apiVersion: v1
kind: ConfigMap
metadata: {name: one}
data: {a: b}
---
# nothing here
---
apiVersion: v1
kind: Pod
metadata: {name: probe, labels: {app: probe}}
spec:
  containers:
  - {name: c, image: "reg-01.borealis.example:5000/serving/embed:2.3.1", command: [sleep, infinity]}
"""


def test_cordon_and_uncordon(kubectl: Kubectl) -> None:
    assert kubectl("cordon gpu-02 --dry-run=client").stdout == "node/gpu-02 cordoned (dry run)\n"
    assert kubectl("cordon gpu-02").stdout == "node/gpu-02 cordoned\n"
    assert kubectl("cordon gpu-02").stdout == "node/gpu-02 already cordoned\n"
    assert "Ready,SchedulingDisabled" in kubectl("get node gpu-02").stdout
    assert "node.kubernetes.io/unschedulable:NoSchedule" in kubectl("describe node gpu-02").stdout
    assert kubectl("uncordon gpu-02").stdout == "node/gpu-02 uncordoned\n"
    assert kubectl("uncordon gpu-02").stdout == "node/gpu-02 already uncordoned\n"
    assert (
        kubectl("cordon").stderr == "error: USAGE: cordon NODE [flags]\nSee 'kubectl cordon -h' for help and examples\n"
    )
    assert kubectl("cordon gpu-999").stderr == 'Error from server (NotFound): nodes "gpu-999" not found\n'


def test_drain_keeps_what_nobody_would_make_again(kubectl: Kubectl, busy: str) -> None:
    result = kubectl(f"drain {busy} --ignore-daemonsets")
    alone = (
        "cannot delete cannot delete Pods that declare no controller (use --force to override): research/llama-sft-0"
    )
    assert result.stdout == f"node/{busy} cordoned\n" and result.status == 1
    assert result.stderr == (
        f'error: unable to drain node "{busy}" due to error: {alone}, continuing command...\n'
        f"There are pending nodes to be drained:\n {busy}\n{alone}\n"
    )
    both = kubectl(f"drain {busy}").stderr
    assert "due to error: [cannot delete" in both and "DaemonSet-managed Pods (use --ignore-daemonsets" in both


def test_drain_evicts_and_waits(kubectl: Kubectl, busy: str) -> None:
    dry = kubectl(f"drain {busy} --ignore-daemonsets --force --delete-emptydir-data --dry-run=client")
    assert "evicting pod research/llama-sft-0 (dry run)\n" in dry.stdout
    assert dry.stdout.endswith(f"node/{busy} drained (dry run)\n")
    result = kubectl(f"drain {busy} --ignore-daemonsets --force --delete-emptydir-data --timeout=600s")
    assert result.status == 0, result.stderr
    assert "deleting Pods that declare no controller: research/llama-sft-0" in result.stderr
    assert result.stderr.startswith("Warning: ") and "ignoring DaemonSet-managed Pods: " in result.stderr
    assert "pod/llama-sft-0 evicted\n" in result.stdout and result.stdout.endswith(f"node/{busy} drained\n")
    owners = "'{range .items[*]}{.metadata.ownerReferences[0].kind}{\"\\n\"}{end}'"
    left = kubectl(f"get pods -A --field-selector spec.nodeName={busy} -o jsonpath={owners}").lines
    assert len(left) >= 3 and set(left) == {"DaemonSet"}


def test_a_disruption_budget_holds_a_drain_up(kubectl: Kubectl) -> None:
    kubectl('patch pdb embed -n serving --type=merge -p \'{"spec":{"minAvailable":3}}\'')
    node = kubectl("get pods -n serving -o jsonpath='{.items[0].spec.nodeName}'").stdout
    result = kubectl(f"drain {node} --ignore-daemonsets --force --delete-emptydir-data --timeout=12s")
    refused = "(will retry after 5s): Cannot evict pod as it would violate the pod's disruption budget."
    assert result.status == 1 and refused in result.stderr and "global timeout reached: 12s" in result.stderr
    assert f'There are pending pods in node "{node}" when an error occurred' in result.stderr


def test_taints(kubectl: Kubectl) -> None:
    line = "taint nodes gpu-03 nvidia.com/gpu=xid79:NoSchedule"
    assert kubectl(line).stdout == "node/gpu-03 tainted\n"
    assert kubectl(line).stderr == (
        "error: node gpu-03 already has nvidia.com/gpu taint(s) with same effect(s) and --overwrite is false\n"
    )
    assert kubectl(line + " --overwrite").stdout == "node/gpu-03 modified\n"
    assert "Taints:             nvidia.com/gpu=xid79:NoSchedule\n" in kubectl("describe node gpu-03").stdout
    assert kubectl("taint nodes gpu-03 nvidia.com/gpu:NoExecute-").stderr == (
        'error: taint "nvidia.com/gpu:NoExecute" not found\n'
    )
    assert kubectl("taint nodes gpu-03 nvidia.com/gpu-").stdout == "node/gpu-03 untainted\n"
    assert "Taints:             <none>\n" in kubectl("describe node gpu-03").stdout


@pytest.mark.parametrize(
    ("words", "text"),
    [
        ("", "one or more resources must be specified as <resource> <name>"),
        ("nodes gpu-03 foo", "at least one taint update is required"),
        ("nodes gpu-03 a=b:NoSchedule gpu-02", "all resources must be specified before taint changes: gpu-02"),
        ("pods x a=b:NoSchedule", "invalid resource type pods, only node types are supported"),
        ("nodes a=b:NoSchedule", "at least one resource name must be specified since 'all' parameter is not set"),
        (
            "nodes gpu-03 a=b:NoSchedule a-",
            "can not both modify and remove the following taint(s) in the same command: a=",
        ),
    ],
)
def test_taints_that_are_refused(kubectl: Kubectl, words: str, text: str) -> None:
    assert kubectl(f"taint {words}").stderr == f"error: {text}\n"


def test_a_wrong_effect_shows_where_help_is(kubectl: Kubectl) -> None:
    assert kubectl("taint nodes gpu-03 a=b:Foo").stderr == (
        "error: invalid taint effect: Foo, unsupported taint effect\nSee 'kubectl taint -h' for help and examples\n"
    )


def test_labels_and_annotations(kubectl: Kubectl) -> None:
    assert kubectl("label node gpu-03 health=suspect").stdout == "node/gpu-03 labeled\n"
    assert kubectl("label node gpu-03 health=bad").stderr == (
        "error: 'health' already has a value (suspect), and --overwrite is false\n"
    )
    assert kubectl("label node gpu-03 health=bad --overwrite").stdout == "node/gpu-03 labeled\n"
    assert kubectl("label node gpu-03 health=bad").stdout == "node/gpu-03 not labeled\n"
    assert kubectl("label node gpu-03 health-").stdout == "node/gpu-03 unlabeled\n"
    assert kubectl("label node gpu-03 health-").stdout == 'label "health" not found.\nnode/gpu-03 not labeled\n'
    assert len(kubectl("label nodes --all site=lab").lines) == 4
    assert kubectl("label node gpu-03").stderr == "error: at least one label update is required\n"
    assert kubectl("annotate node gpu-03 ticket=RMA-1234").stdout == "node/gpu-03 annotated\n"
    assert kubectl("annotate node gpu-03 ticket=x").stderr == (
        "error: --overwrite is false but found the following declared annotation(s): 'ticket' already has a value "
        "(RMA-1234)\n"
    )


def test_apply_says_what_it_did(site: Simulation[World], kubectl: Kubectl) -> None:
    first = kubectl("apply -f -", stdin=_MANIFESTS)
    assert first.stdout == "configmap/one created\npod/probe created\n", first.stderr
    assert kubectl("apply -f -", stdin=_MANIFESTS).stdout == "configmap/one unchanged\npod/probe unchanged\n"
    changed = _MANIFESTS.replace(b"{a: b}", b"{a: c}")
    assert kubectl("apply -f -", stdin=changed).stdout == "configmap/one configured\npod/probe unchanged\n"
    assert "  a: c\n" in kubectl("get cm one -o yaml").stdout
    site.advance(30 * SECOND)
    assert kubectl("delete -f -", stdin=_MANIFESTS).stdout == 'configmap "one" deleted\npod "probe" deleted\n'
    assert 'pods "probe" not found' in kubectl("get pod probe").stderr


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("kind: Pod\n", 'error: error validating "STDIN": error validating data: apiVersion not set; '),
        ("word\n", 'error: error validating "STDIN": error validating data: invalid object to validate; '),
        (
            "apiVersion: foo/v1\nkind: Thing\nmetadata: {name: x}\n",
            'error: resource mapping not found for name: "x" namespace: "" from "STDIN": no matches for kind "Thing" '
            'in version "foo/v1"\nensure CRDs are installed first\n',
        ),
        ("a: [\n", "error: error parsing STDIN: error converting YAML to JSON: yaml: line "),
        ("", "error: no objects passed to apply\n"),
    ],
)
def test_manifests_that_are_refused(kubectl: Kubectl, text: str, words: str) -> None:
    result = kubectl("apply -f -", stdin=text.encode())
    assert result.status == 1 and result.stderr.startswith(words), result.stderr


def test_the_servers_own_refusals(kubectl: Kubectl) -> None:
    assert (
        kubectl("create ns serving").stderr
        == 'Error from server (AlreadyExists): namespaces "serving" already exists\n'
    )
    bad = b"apiVersion: v1\nkind: Pod\nmetadata: {name: Bad_Name}\nspec: {containers: [{name: c, image: x}]}\n"
    assert kubectl("apply -f -", stdin=bad).stderr.startswith(
        'The Pod "Bad_Name" is invalid: metadata.name: Invalid value'
    )
    lost = b"apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c, namespace: nowhere}\n"
    assert kubectl("apply -f -", stdin=lost).stderr == (
        'Error from server (NotFound): error when creating "STDIN": namespaces "nowhere" not found\n'
    )
    assert kubectl("apply -f nope.yaml").stderr == 'error: the path "nope.yaml" does not exist\n'


def test_what_the_client_makes_itself(kubectl: Kubectl) -> None:
    assert kubectl("create deployment web --image=lab/web:2 --replicas=2 --dry-run=client -o yaml").stdout == (
        "apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  creationTimestamp: null\n  labels:\n    app: web\n"
        "  name: web\nspec:\n  replicas: 2\n  selector:\n    matchLabels:\n      app: web\n  strategy: {}\n"
        "  template:\n"
        "    metadata:\n      creationTimestamp: null\n      labels:\n        app: web\n    spec:\n      containers:\n"
        "      - image: lab/web:2\n        name: web\n        resources: {}\nstatus: {}\n"
    )
    assert kubectl("create cm c --from-literal=a=b").stdout == "configmap/c created\n"
    assert kubectl("run").stderr == 'error: required flag(s) "image" not set\n'
    shown = kubectl("run p --image=x --dry-run=client -o yaml --env=A=b -- sleep 5").stdout
    assert '  - args:\n    - sleep\n    - "5"\n    env:\n    - name: A\n      value: b\n' in shown


def test_deleting(kubectl: Kubectl) -> None:
    assert kubectl("delete pod nope").stderr == 'Error from server (NotFound): pods "nope" not found\n'
    assert kubectl("delete pod nope --ignore-not-found").status == 0
    assert kubectl("delete pod").stderr == "error: resource(s) were provided, but no name was specified\n"
    forced = kubectl("delete pod llama-sft-0 -n research --force")
    assert forced.stdout == 'pod "llama-sft-0" force deleted\n'
    assert forced.stderr.startswith("Warning: Immediate deletion does not wait for confirmation")
    assert kubectl("get pods -n research").stderr == "No resources found in research namespace.\n"


def test_scaling_and_patching(site: Simulation[World], kubectl: Kubectl) -> None:
    assert kubectl("scale deploy embed -n serving --replicas=2").stdout == "deployment.apps/embed scaled\n"
    site.advance(2 * MINUTE)
    assert kubectl("get deploy embed -n serving --no-headers").stdout.split()[:2] == ["embed", "2/2"]
    assert kubectl("scale deploy embed -n serving --replicas=3 --current-replicas=5").stderr == (
        "error: Expected replicas to be 5, was 2\n"
    )
    line = 'patch deploy embed -n serving -p \'{"spec":{"replicas":1}}\''
    assert kubectl(line).stdout == "deployment.apps/embed patched\n"
    assert kubectl(line).stdout == "deployment.apps/embed patched (no change)\n"
    assert kubectl("patch deploy embed -n serving").stderr == (
        "error: must specify --patch or --patch-file containing the contents of the patch\n"
    )


def test_rollouts(site: Simulation[World], kubectl: Kubectl) -> None:
    assert kubectl("rollout status deploy/embed -n serving").stdout == 'deployment "embed" successfully rolled out\n'
    assert kubectl("rollout history deploy/embed -n serving").stdout == (
        "deployment.apps/embed \nREVISION  CHANGE-CAUSE\n1         <none>\n\n"
    )
    assert kubectl("rollout restart deploy/embed -n serving").stdout == "deployment.apps/embed restarted\n"
    waited = kubectl("rollout status deploy/embed -n serving --timeout=600s").stdout
    assert waited.startswith('Waiting for deployment "embed" rollout to finish: ')
    assert waited.endswith('deployment "embed" successfully rolled out\n')
    assert "2         <none>\n" in kubectl("rollout history deploy/embed -n serving").stdout
    assert kubectl("rollout undo deploy/embed -n serving").stdout == "deployment.apps/embed rolled back\n"
    assert kubectl("rollout pause deploy/embed -n serving").stdout == "deployment.apps/embed paused\n"
    assert kubectl("rollout foo").stderr.startswith('error: unknown command "foo"\n')


def test_waiting(site: Simulation[World], kubectl: Kubectl) -> None:
    assert kubectl("wait --for=condition=Ready node/gpu-03 --timeout=3s").stdout == "node/gpu-03 condition met\n"
    began = site.now
    late = kubectl("wait --for=condition=Ready=false node/gpu-03 --timeout=3s")
    assert late.stderr == "error: timed out waiting for the condition on nodes/gpu-03\n" and late.status == 1
    assert 3 * SECOND <= site.now - began <= 4 * SECOND
    path = "wait --for=jsonpath='{.status.readyReplicas}'=3 deploy/embed -n serving"
    assert kubectl(path).stdout == "deployment.apps/embed condition met\n"
    assert kubectl("wait --for=delete pod/nothing").status == 0
    assert kubectl("wait --for=foo node/gpu-03").stderr == 'error: unrecognized condition: "foo"\n'


def test_editing(site: Simulation[World], kubectl: Kubectl) -> None:
    nothing = kubectl("edit deploy embed -n serving", environment={"EDITOR": "ls"})
    assert nothing.stderr.endswith("Edit cancelled, no changes made.\n") and nothing.status == 0
