"""Helm's releases, as they lie in the cluster: secrets of type helm.sh/release.v1, one for each revision.

Source: helm/helm v3 pkg/storage/driver (secrets.go, util.go): the labels owner, name, status and version, and the
release as JSON in base64, twice (by helm, and as a secret's data). Helm takes JSON that is not compressed too, and so
it is kept here: what zlib gives differs between its versions.
"""

from __future__ import annotations

import base64
import json
import zlib
from typing import Any

from engine.control.kubernetes.objects import KubeDict

TYPE = "helm.sh/release.v1"
_GZIP = b"\x1f\x8b\x08"
_GZIP_WINDOW = 31  # zlib's way to say: with gzip's header


def secret(release: KubeDict) -> KubeDict:
    """The manifest of the secret that holds a revision: {"name", "namespace", "version", "info": {"status",
    "last_deployed", "first_deployed", "description", "notes"}, "chart": {"metadata": {"name", "version", "appVersion"},
    "values"}, "config" (what the user set), "manifest"}; times are RFC 3339 with any fraction.
    """
    name, revision, status = release["name"], release.get("version", 1), release["info"]["status"]
    labels = {"name": name, "owner": "helm", "status": status, "version": str(revision)}
    return {
        "apiVersion": "v1",
        "data": {"release": encoded(release)},
        "kind": "Secret",
        "metadata": {
            "labels": labels,
            "name": f"sh.helm.release.v1.{name}.v{revision}",
            "namespace": release.get("namespace", "default"),
        },
        "type": TYPE,
    }


def encoded(release: KubeDict) -> str:
    """The value of the secret's key `release`."""
    text = json.dumps(release, sort_keys=True, separators=(",", ":")).encode()
    return base64.b64encode(base64.b64encode(text)).decode()


def decoded(text: str) -> KubeDict:
    """The release that such a value holds. Raises ValueError for something else."""
    inner = base64.b64decode(base64.b64decode(text))
    if inner.startswith(_GZIP):
        inner = zlib.decompress(inner, _GZIP_WINDOW)
    found: dict[str, Any] = json.loads(inner)
    return found
