"""The releases of the cluster, as helm's commands read them from their secrets."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from engine.control.kubernetes import helm_releases
from engine.control.kubernetes.api import ApiServer

_SELECTOR = "owner=helm"


@dataclass(frozen=True, slots=True)
class Release:
    """A revision of a release."""

    data: dict[str, Any]

    @property
    def name(self) -> str:
        return str(self.data["name"])

    @property
    def namespace(self) -> str:
        return str(self.data.get("namespace", ""))

    @property
    def revision(self) -> int:
        return int(self.data.get("version", 1))

    @property
    def info(self) -> dict[str, Any]:
        """Times, status, description and notes."""
        found: dict[str, Any] = self.data.get("info") or {}
        return found

    @property
    def status(self) -> str:
        return str(self.info.get("status", "unknown"))

    @property
    def chart(self) -> str:
        """`gpu-operator-v25.3.0`."""
        metadata = (self.data.get("chart") or {}).get("metadata") or {}
        return f"{metadata.get('name', '')}-{metadata.get('version', '')}"

    @property
    def app_version(self) -> str:
        return str(((self.data.get("chart") or {}).get("metadata") or {}).get("appVersion", ""))

    @property
    def values(self) -> dict[str, Any]:
        """What the user has set."""
        return self.data.get("config") or {}

    @property
    def defaults(self) -> dict[str, Any]:
        """The chart's own values."""
        return (self.data.get("chart") or {}).get("values") or {}


def releases(server: ApiServer, namespace: str, name: str = "") -> list[Release]:
    """Every revision in a namespace ("": in all), by name and revision. Raises NoServer, StatusError."""
    selector = f"{_SELECTOR},name={name}" if name else _SELECTOR
    resource = server.resource("secrets")
    assert resource is not None
    found = [
        Release(helm_releases.decoded(each["data"]["release"]))
        for each in server.list(resource, namespace, selector)["items"]
        if (each.get("data") or {}).get("release")
    ]
    return sorted(found, key=lambda release: (release.name, release.namespace, release.revision))


def merged(values: dict[str, Any], over: dict[str, Any]) -> dict[str, Any]:
    """Values with others laid over them; null takes a key away."""
    result = dict(values)
    for key, value in over.items():
        if value is None:
            result.pop(key, None)
        elif isinstance(value, dict) and isinstance(result.get(key), dict):
            result[key] = merged(result[key], value)
        else:
            result[key] = value
    return result
