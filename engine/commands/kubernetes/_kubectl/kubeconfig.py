"""The client's configuration: which server, as whom, in which namespace.

Source: client-go tools/clientcmd: --kubeconfig, else the files of KUBECONFIG, else ~/.kube/config; several files are
merged, the first that says something wins. Without any, the server is http://localhost:8080.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from engine.commands.context import Context
from engine.commands.kubernetes._kubectl import manifests
from engine.commands.kubernetes._kubectl.failures import Failed, error
from engine.control.kubernetes import access, kubeconfigs
from engine.control.kubernetes.access import Subject
from engine.control.kubernetes.status_error import StatusError
from engine.hostfs.tree import FileError

NO_CONFIGURATION = "http://localhost:8080"


@dataclass(slots=True)
class Config:
    """Merged files: contexts, clusters and users by name, and the file that changes are written to."""

    current: str = ""
    contexts: dict[str, dict[str, Any]] = field(default_factory=dict)
    clusters: dict[str, dict[str, Any]] = field(default_factory=dict)
    users: dict[str, dict[str, Any]] = field(default_factory=dict)
    path: str = ""

    def take(self, data: Any) -> None:
        """Merge a file's content."""
        if not isinstance(data, dict):
            return
        self.current = self.current or str(data.get("current-context") or "")
        for section, part, into in (
            ("contexts", "context", self.contexts),
            ("clusters", "cluster", self.clusters),
            ("users", "user", self.users),
        ):
            for entry in data.get(section) or ():
                into.setdefault(str(entry.get("name")), entry.get(part) or {})

    def written(self) -> dict[str, Any]:
        """The content as a file holds it."""
        return {
            "apiVersion": "v1",
            "clusters": [{"cluster": self.clusters[name], "name": name} for name in sorted(self.clusters)],
            "contexts": [{"context": self.contexts[name], "name": name} for name in sorted(self.contexts)],
            "current-context": self.current,
            "kind": "Config",
            "preferences": {},
            "users": [{"name": name, "user": self.users[name]} for name in sorted(self.users)],
        }


@dataclass(frozen=True, slots=True)
class Target:
    """What follows from a configuration: the server's URL, who asks, and the namespace that is meant by default."""

    server: str
    user: str
    namespace: str


def paths(ctx: Context, given: str = "") -> list[str]:
    """The files that count, in order."""
    home = ctx.environment.get("HOME", "/root")
    if given:
        return [given]
    listed = [path for path in ctx.environment.get("KUBECONFIG", "").split(":") if path]
    return listed or [f"{home}/.kube/config"]


def load(ctx: Context, given: str = "") -> Config:
    """Read the files. Raises Failed for one that was named and is not there, or cannot be read."""
    config = Config()
    for path in paths(ctx, given):
        full = manifests.full_path(ctx, path)
        config.path = config.path or full
        try:
            text = ctx.files.read(full).decode("utf-8", "replace")
        except FileError as why:
            if given:
                raise error(f"stat {path}: no such file or directory") from why
            if "denied" in why.text.lower():
                raise error(f'error loading config file "{path}": open {path}: permission denied') from why
            continue
        try:
            config.take(manifests.one(text, path))
        except Failed as why:
            detail = why.text.partition("yaml: ")[2]
            raise error(f'error loading config file "{path}": yaml: {detail}') from why
    return config


def target(config: Config, context: str = "", cluster: str = "", user: str = "", server: str = "") -> Target:
    """What a configuration and the options --context, --cluster, --user and --server lead to. Raises Failed."""
    name = context or config.current
    if context and context not in config.contexts:
        raise error(f'context "{context}" does not exist')
    chosen = config.contexts.get(name, {})
    cluster = cluster or str(chosen.get("cluster") or "")
    if user and user not in config.users:
        raise error(f'auth info "{user}" does not exist')
    found = str(config.clusters.get(cluster, {}).get("server") or "")
    who = user or str(chosen.get("user") or "")
    return Target(server or found or NO_CONFIGURATION, who, str(chosen.get("namespace") or "default"))


def subject(ctx: Context, found: Target) -> Subject:
    """Who the server takes the configuration's user for. Raises StatusError (Unauthorized)."""
    cluster = ctx.inventory.kubernetes
    if cluster is None or found.user == kubeconfigs.ADMINISTRATOR or not found.user:
        return access.ADMINISTRATOR
    if found.user not in dict(cluster.users):
        raise StatusError(401, "Unauthorized", "Unauthorized")
    return access.subject(found.user)
