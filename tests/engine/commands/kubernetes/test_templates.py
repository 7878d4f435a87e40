"""JSONPath and Go templates, and the merge of manifests."""

from __future__ import annotations

import pytest

from engine.commands.kubernetes._kubectl import go_template, jsonpath, merging
from engine.commands.kubernetes._kubectl.failures import Failed, NotModelled

POD = {
    "metadata": {"name": "p", "namespace": "ns", "labels": {"a": "b", "nvidia.com/gpu.product": "H100"}},
    "spec": {
        "containers": [
            {"name": "c", "image": "x", "ports": [{"containerPort": 80}, {"containerPort": 443, "name": "https"}]},
            {"name": "d", "image": "y", "resources": {"limits": {"nvidia.com/gpu": "8"}}},
        ]
    },
    "status": {"conditions": [{"type": "Ready", "status": "True"}, {"type": "Init", "message": "a<b"}]},
}


@pytest.mark.parametrize(
    ("template", "text"),
    [
        ("{.metadata.name}", "p"),
        ("{.spec.containers[*].name}", "c d"),
        ('{range .spec.containers[*]}{.name}{"\\t"}{.image}{"\\n"}{end}', "c\tx\nd\ty\n"),
        ("{.metadata.labels.nvidia\\.com/gpu\\.product}", "H100"),
        ("{.metadata.labels['nvidia\\.com/gpu\\.product']}", "H100"),
        ('{.status.conditions[?(@.type=="Ready")].status}', "True"),
        ("{.spec.containers[0].ports[?(@.containerPort>80)].name}", "https"),
        ("{.status.conditions[?(@.message)].type}", "Init"),
        ("{..name}", "p c https d"),
        ("x{.nothing.y}y", "xy"),
        ("{.spec.containers[-1].name}", "d"),
        ("{.spec.containers[0:1].name}", "c"),
        ("{.metadata['name','namespace']}", "p ns"),
        ("{.metadata.labels}", '{"a":"b","nvidia.com/gpu.product":"H100"}'),
        ("{.status.conditions[1].message}", "a<b"),
        (".metadata.name", ".metadata.name"),
        ("{range .nothing[*]}a{end}b", "b"),
        ("{$.metadata.name}", "p"),
        ('{range .spec.containers[*]}{.name}:{range .ports[*]} {.containerPort}{end}{"\\n"}{end}', "c: 80 443\nd:\n"),
    ],
)
def test_paths(template: str, text: str) -> None:
    assert jsonpath.render(jsonpath.parse(template), POD) == text


@pytest.mark.parametrize(
    ("template", "text", "executing"),
    [
        ("{.metadata.name", "unclosed action", False),
        ("{foo}", "unrecognized identifier foo", True),
        ("{end}", "not in range, nothing to end", True),
        ("{.spec.containers[a]}", "invalid array index a", False),
        ("{.spec.containers[5].name}", "array index out of bounds: index 5, length 2", True),
        ("{.metadata[0]}", "map[string]interface {} is not array or slice", True),
    ],
)
def test_wrong_paths(template: str, text: str, executing: bool) -> None:
    with pytest.raises(jsonpath.PathError) as refused:
        jsonpath.render(jsonpath.parse(template), POD)
    assert (str(refused.value), refused.value.executing) == (text, executing)


@pytest.mark.parametrize("text", [".metadata.name", "metadata.name", "{.metadata.name}", "{metadata.name}"])
def test_columns_take_expressions_without_braces(text: str) -> None:
    assert jsonpath.relaxed(text) == "{.metadata.name}"


def test_values_as_go_prints_them() -> None:
    assert jsonpath.go_text({"b": [1, True], "a": None}) == "map[a:<nil> b:[1 true]]"


@pytest.mark.parametrize(
    ("template", "text"),
    [
        ("{{.metadata.name}}", "p"),
        ('{{range .spec.containers}}{{.name}}{{"\\n"}}{{end}}', "c\nd\n"),
        ('{{index .metadata.labels "nvidia.com/gpu.product"}}', "H100"),
        ("{{len .spec.containers}}", "2"),
        ("{{range $i, $c := .spec.containers}}{{$i}}={{$c.name} }} {{end}}".replace("} }}", "}}"), "0=c 1=d "),
        ('{{if eq .metadata.namespace "ns"}}yes{{else}}no{{end}}', "yes"),
        ("{{with .nothing}}a{{else}}b{{end}}", "b"),
        ("a {{- .metadata.name -}} b", "apb"),
        ('{{.metadata.name | printf "%-3s|"}}', "p  |"),
        ("{{.nothing}}", "<no value>"),
        ('{{$n := .metadata.name}}{{$n}}{{/* note */}}', "p"),
        ('{{"cA==" | base64decode}}', "p"),
    ],
)  # fmt: skip
def test_go_templates(template: str, text: str) -> None:
    assert go_template.render(template, POD) == text


def test_what_go_templates_refuse() -> None:
    with pytest.raises(Failed, match="unclosed action"):
        go_template.render("{{.a", POD)
    with pytest.raises(Failed, match='function "foo" not defined'):
        go_template.render("{{foo .a}}", POD)
    with pytest.raises(NotModelled):
        go_template.render('{{define "x"}}{{end}}', POD)


def test_a_three_way_merge_takes_away_what_was_applied_and_keeps_the_rest() -> None:
    before = {"spec": {"a": 1, "gone": 2, "containers": [{"name": "c", "image": "1"}, {"name": "old"}]}}
    now = {"spec": {"a": 3, "containers": [{"name": "c", "image": "2"}]}}
    there = {"spec": {"a": 1, "gone": 2, "own": 5, "containers": [
        {"name": "c", "image": "1", "imagePullPolicy": "Always"}, {"name": "old"}, {"name": "injected"}]}}  # fmt: skip
    wanted = merging.merged(before, now, there)
    assert wanted == {
        "spec": {
            "a": 3,
            "own": 5,
            "containers": [{"name": "c", "image": "2", "imagePullPolicy": "Always"}, {"name": "injected"}],
        }
    }
    patch = merging.difference(there, wanted)
    assert patch["spec"]["gone"] is None and patch["spec"]["a"] == 3 and "own" not in patch["spec"]
    assert merging.difference(there, there) == {}


def test_what_was_applied_stands_in_an_annotation() -> None:
    thing = merging.applied({"kind": "Pod", "metadata": {"name": "p", "annotations": {"a": "b"}}})
    text = thing["metadata"]["annotations"][merging.LAST_APPLIED]
    assert text == '{"kind":"Pod","metadata":{"annotations":{"a":"b"},"name":"p"}}\n'
