"""kubectl explain, diff, cp and debug."""

from __future__ import annotations

from engine.kernel.simulation import Simulation
from engine.kernel.units import SECOND
from engine.world.world import World
from tests.engine.commands.kubernetes.conftest import Kubectl
from tests.support.sessions import screen

_CONFIG = b"apiVersion: v1\nkind: ConfigMap\nmetadata: {name: one}\ndata: {a: b}\n"


def test_explain_tells_fields_with_their_types(kubectl: Kubectl) -> None:
    lines = kubectl("explain pod.spec").lines
    assert lines[3] == "FIELD: spec <PodSpec>" and "  containers\t<[]Container> -required-" in lines
    assert kubectl("explain cm --recursive").lines[-2].startswith("    uid\t")
    assert kubectl("explain pods.spec.nope").stderr == 'error: field "nope" does not exist\n'
    assert kubectl("explain clusterpolicy").status == 125


def test_diff_shows_what_apply_would_change(kubectl: Kubectl) -> None:
    new = kubectl("diff -f -", stdin=_CONFIG)
    assert new.status == 1 and "+  a: b" in new.lines
    kubectl("apply -f -", stdin=_CONFIG)
    assert (kubectl("diff -f -", stdin=_CONFIG).stdout, kubectl("diff -f -", stdin=_CONFIG).status) == ("", 0)
    changed = kubectl("diff -f -", stdin=_CONFIG.replace(b"a: b", b"a: c"))
    signed = [line for line in changed.lines if line[:1] in "+-" and line[:3] not in ("+++", "---")]
    assert signed == ["-  a: b", "+  a: c"] and changed.status == 1
    assert kubectl("get cm one -o jsonpath={.data.a}").stdout == "b"


def test_files_go_into_a_container_and_out(site: Simulation[World], kubectl: Kubectl) -> None:
    kubectl("run web --image=nginx:1.27")
    site.advance(20 * SECOND)
    shown = screen(
        site,
        [
            "echo hello > note; kubectl cp note web:/tmp; kubectl exec web -- cat /tmp/note",
            "kubectl cp web:/etc/hostname name; cat name",
            "kubectl cp web:/nope x",
        ],
    )
    assert "hello" in shown and "tar: Removing leading `/' from member names\nweb\n" in shown.replace("\r", "")
    assert "tar: /nope: Cannot stat: No such file or directory" in shown
    assert kubectl("cp a b").stderr == "error: one of src or dest must be a local file specification\n"
    assert kubectl("cp nope web:/x").stderr == "error: nope doesn't exist in local filesystem\n"


def test_debug_makes_a_pod_on_a_node(site: Simulation[World], kubectl: Kubectl) -> None:
    said = kubectl("debug node/gpu-02 --image=busybox:1.36 -- sleep 60").stdout
    assert said.startswith("Creating debugging pod node-debugger-gpu-02-")
    site.advance(10 * SECOND)
    row = kubectl("get pods -o wide").lines[1].split()
    assert row[2] == "Running" and row[6] == "gpu-02"
