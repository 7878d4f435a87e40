"""YAML as kubectl writes it: the writer is the cluster's own."""

from __future__ import annotations

from engine.control.kubernetes.yaml_text import dump

__all__ = ["dump"]
