"""The API server on a loopback port: paths, forms, writes, watches, and what typed clients send."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.client import HTTPConnection
from typing import Any

import pytest

from engine.kernel.errors import BreakfixError
from engine.kernel.simulation import Simulation
from engine.simulation import open_site
from engine.world.world import World
from tui.commands import serve_api
from tui.serving import protobuf
from tui.serving.http import Gate, kubeconfig, serve
from tui.serving.routes import Answer, Request, answer, target
from tui.serving.watching import Watch

NODE = "/api/v1/nodes/gpu-02"
_TABLE = "application/json;as=Table;v=v1;g=meta.k8s.io,application/json"


@pytest.fixture(scope="module")
def pristine() -> Simulation[World]:
    return open_site("k8s-ib-3")


@pytest.fixture
def gate(pristine: Simulation[World]) -> Gate:
    return Gate(pristine.fork(), 0.0)


def ask(gate: Gate, method: str, path: str, body: Any = None, **options: Any) -> Answer:
    data = json.dumps(body).encode() if body is not None and not isinstance(body, bytes) else body or b""
    return answer(gate.server, Request(method, path, body=data, **options))


def test_discovery_names_resources_and_their_parts(gate: Gate) -> None:
    assert ask(gate, "GET", "/api").body["versions"] == ["v1"]
    groups = {each["name"]: each for each in ask(gate, "GET", "/apis").body["groups"]}
    assert groups["apps"]["preferredVersion"] == {"groupVersion": "apps/v1", "version": "v1"}
    core = {each["name"]: each for each in ask(gate, "GET", "/api/v1").body["resources"]}
    assert core["pods"]["shortNames"] == ["po"] and core["pods/eviction"]["group"] == "policy"
    assert ask(gate, "GET", "/apis/apps/v1").body["groupVersion"] == "apps/v1"
    assert ask(gate, "GET", "/apis/nothing/v1").status == 404


def test_lists_objects_and_tables(gate: Gate) -> None:
    listed = ask(gate, "GET", "/api/v1/pods", query={"fieldSelector": "spec.nodeName=gpu-02"})
    assert listed.body["kind"] == "PodList" and len(listed.body["items"]) > 3
    assert ask(gate, "GET", NODE).body["metadata"]["name"] == "gpu-02"
    table = ask(gate, "GET", "/apis/apps/v1/namespaces/serving/deployments", accept=_TABLE).body
    assert table["kind"] == "Table" and table["columnDefinitions"][0]["name"] == "Name"
    assert table["rows"][0]["cells"][0] == "embed"
    assert table["rows"][0]["object"]["kind"] == "PartialObjectMetadata" and "spec" not in table["rows"][0]["object"]
    whole = ask(gate, "GET", NODE, accept=_TABLE, query={"includeObject": "Object"}).body
    assert "spec" in whole["rows"][0]["object"]
    refused = ask(gate, "GET", "/api/v1/nodes/nope")
    assert refused.status == 404 and refused.body["message"] == 'nodes "nope" not found'
    assert ask(gate, "GET", "/api/v1/componentstatuses").warning == "v1 ComponentStatus is deprecated in v1.19+"


def test_writes(gate: Gate) -> None:
    kind = "application/strategic-merge-patch+json"
    patched = ask(gate, "PATCH", NODE, {"spec": {"unschedulable": True}}, content_type=kind)
    assert patched.body["spec"]["unschedulable"] is True
    manifest = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "c"}, "data": {"a": "b"}}
    assert ask(gate, "POST", "/api/v1/namespaces/serving/configmaps", manifest).status == 201
    assert ask(gate, "POST", "/api/v1/namespaces/serving/configmaps", manifest).body["reason"] == "AlreadyExists"
    path = "/api/v1/namespaces/serving/configmaps/c"
    assert ask(gate, "PUT", path, {**manifest, "data": {"a": "c"}}).body["data"] == {"a": "c"}
    assert ask(gate, "DELETE", path).status == 200 and ask(gate, "GET", path).status == 404
    wrong = ask(gate, "PATCH", NODE, {}, content_type="application/apply-patch+yaml")
    assert wrong.status == 415 and wrong.body["reason"] == "UnsupportedMediaType"
    assert ask(gate, "POST", "/api/v1/namespaces/serving/configmaps", b"{").body["reason"] == "BadRequest"


def test_scale_eviction_and_logs(gate: Gate) -> None:
    scale = "/apis/apps/v1/namespaces/serving/deployments/embed/scale"
    assert ask(gate, "GET", scale).body["spec"] == {"replicas": 3}
    assert ask(gate, "PUT", scale, {"spec": {"replicas": 2}}).body["spec"] == {"replicas": 2}
    pod = ask(gate, "GET", "/api/v1/namespaces/serving/pods").body["items"][0]["metadata"]["name"]
    text = ask(gate, "GET", f"/api/v1/namespaces/serving/pods/{pod}/log", query={"tailLines": "1"}).body
    assert text == "INFO:     Uvicorn running on http://0.0.0.0:8080 (Press CTRL+C to quit)\n"
    path = "/api/v1/namespaces/research/pods/llama-sft-0/eviction"
    assert ask(gate, "POST", path, {"apiVersion": "policy/v1", "kind": "Eviction"}).status == 201
    assert ask(gate, "GET", path.replace("/eviction", "/exec")).status == 501


def test_health_and_who_one_is(gate: Gate) -> None:
    assert ask(gate, "GET", "/readyz").body == "ok"
    assert ask(gate, "GET", "/version").body["gitVersion"] == "v1.32.4"
    review = {"kind": "SelfSubjectAccessReview", "spec": {}}
    path = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews"
    assert ask(gate, "POST", path, review).body["status"] == {"allowed": True}


def test_a_watch_tells_what_has_changed(gate: Gate) -> None:
    request = Request("GET", "/api/v1/nodes", {"watch": "1", "resourceVersion": "5"}, _TABLE)
    watch = Watch(gate.server, request, target(gate.server, ["api", "v1", "nodes"]))
    assert watch.events() == []
    ask(gate, "PATCH", NODE, {"spec": {"unschedulable": True}}, content_type="application/merge-patch+json")
    events = watch.events()
    assert [event["type"] for event in events] == ["MODIFIED"]
    assert events[0]["object"]["rows"][0]["cells"][1] == "Ready,SchedulingDisabled"
    first = Watch(
        gate.server, Request("GET", "/api/v1/nodes", {"watch": "1"}), target(gate.server, ["api", "v1", "nodes"])
    )
    assert [event["type"] for event in first.events()] == ["ADDED"] * 4


def _field(number: int, data: bytes) -> bytes:
    return bytes([number << 3 | 2, len(data)]) + data


def test_typed_clients_send_protobuf(gate: Gate) -> None:
    options = b"\x08\x05" + _field(4, b"Foreground")
    kind = _field(1, b"policy/v1") + _field(2, b"Eviction")
    body = protobuf.MAGIC + _field(1, kind) + _field(2, _field(1, _field(1, b"p")) + _field(2, options))
    assert protobuf.decode(body) == {
        "apiVersion": "policy/v1", "kind": "Eviction",
        "deleteOptions": {"gracePeriodSeconds": 5, "propagationPolicy": "Foreground"},
    }  # fmt: skip
    pair = _field(1, b"a") + _field(2, b"b")
    thing = _field(1, _field(1, b"c") + _field(3, b"lab")) + _field(2, pair)
    body = protobuf.MAGIC + _field(1, _field(1, b"v1") + _field(2, b"ConfigMap")) + _field(2, thing)
    assert protobuf.decode(body)["metadata"] == {"name": "c", "namespace": "lab"}
    assert protobuf.decode(body)["data"] == {"a": "b"}
    for broken in (b"", b"k8s\x00\x0a\xff", protobuf.MAGIC + b"\x0d1234"):
        with pytest.raises(protobuf.Unreadable):
            protobuf.decode(broken)
    unknown = protobuf.MAGIC + _field(1, _field(2, b"Deployment"))
    refused = ask(gate, "POST", "/apis/apps/v1/namespaces/serving/deployments", unknown, content_type=protobuf.TYPE)
    assert refused.status == 415


@contextmanager
def served(gate: Gate) -> Iterator[int]:
    server = serve(gate, 0)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    try:
        yield int(server.server_address[1])
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def test_over_http(gate: Gate) -> None:
    with served(gate) as port:
        connection = HTTPConnection("127.0.0.1", port, timeout=20)
        connection.request("GET", "/api/v1/namespaces?limit=500")
        reply = connection.getresponse()
        assert reply.headers["Content-Type"] == "application/json"
        assert json.loads(reply.read())["kind"] == "NamespaceList"
        connection.request("GET", "/api/v1/nodes?watch=1&timeoutSeconds=1&fieldSelector=metadata.name%3Dgpu-02")
        lines = connection.getresponse().read().splitlines()
        assert json.loads(lines[0])["object"]["metadata"]["name"] == "gpu-02"
        connection.request("GET", "/api/v1/nodes?watch=1&sendInitialEvents=true")
        assert connection.getresponse().status == 422
        connection.close()


def test_a_kubeconfig_leads_there() -> None:
    text = kubeconfig(8001, "borealis")
    assert "    server: http://127.0.0.1:8001\n" in text and "current-context: kubernetes-admin@borealis\n" in text


def test_a_site_without_a_cluster_is_refused() -> None:
    import argparse

    parser = argparse.ArgumentParser()
    serve_api.add_arguments(parser)
    with pytest.raises(BreakfixError, match="no Kubernetes cluster"):
        serve_api.run(parser.parse_args(["--site", "dgx-h100-4"]))
