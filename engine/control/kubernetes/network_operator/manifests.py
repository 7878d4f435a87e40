"""Manifests of the Network Operator: what its chart installs, and the DaemonSets that its policy may ask for."""

from __future__ import annotations

from functools import cache
from importlib.resources import files as package_files
from typing import Any

from engine.control.kubernetes.objects import KubeDict
from engine.kernel.documents import read_document


@cache
def _read(name: str) -> list[KubeDict]:
    text = package_files("engine.control.kubernetes.network_operator").joinpath(name).read_text("utf-8")
    document: Any = read_document(text, f"engine/control/kubernetes/network_operator/{name}").data
    found: list[KubeDict] = document["items"]
    return found


def daemon_set(name: str) -> KubeDict:
    """The DaemonSet of one of the policy's sections. The caller copies it."""
    return next(each for each in _read("daemon_sets.yaml") if each["metadata"]["name"] == name)
