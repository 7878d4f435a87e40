"""One run of kubectl: its command line, the server that it talks to, and what it writes."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from engine.commands.context import Context
from engine.commands.kubernetes._kubectl import kubeconfig
from engine.commands.kubernetes._kubectl.flags import Flag, Line, flags
from engine.control.kubernetes import access
from engine.control.kubernetes.api import ApiServer, Resource
from engine.control.kubernetes.status_error import NoServer, StatusError
from engine.world.inventory import Inventory

GLOBAL = (
    Flag("namespace", "n"), Flag("server", "s"), Flag("v", "v"), Flag("warnings-as-errors", kind="bool"),
    *flags("string", "kubeconfig context cluster user token as as-uid cache-dir certificate-authority"),
    *flags("string", "client-certificate client-key password profile profile-output tls-server-name username vmodule"),
    *flags("string", "request-timeout log-flush-frequency"), Flag("as-group", kind="list"),
    *flags("bool", "insecure-skip-tls-verify match-server-version disable-compression h/help"),
)  # fmt: skip
"""Options that every verb takes (`kubectl options`)."""
_DEPRECATED = {"componentstatuses": "v1 ComponentStatus is deprecated in v1.19+"}
"""Warnings that the server sends with a resource (k8s.io/api, APILifecycleDeprecated)."""


@dataclass(slots=True)
class Session:
    """What a verb works with."""

    ctx: Context
    verb: str
    line: Line
    status: int = 0
    show_events: bool = True
    _target: kubeconfig.Target | None = None
    _server: ApiServer | None = None
    _warned: list[str] = field(default_factory=list)

    @property
    def target(self) -> kubeconfig.Target:
        """The server, user and namespace of the configuration and the global options. Raises Failed."""
        if self._target is None:
            line = self.line
            config = kubeconfig.load(self.ctx, line.text("kubeconfig"))
            self._target = kubeconfig.target(
                config, line.text("context"), line.text("cluster"), line.text("user"), line.text("server")
            )
        return self._target

    @property
    def server(self) -> ApiServer:
        """The API server. Raises Failed or NoServer."""
        if self._server is None:
            target = self.target
            server = ApiServer(self.ctx.simulation, self.ctx.identity.name, self.ctx.host, self._subject())
            if target.server.rstrip("/") != server.address:
                raise NoServer("connect: connection refused")
            server.resources()
            self._server = server
        return self._server

    def _subject(self) -> access.Subject:
        """Who the server takes the client for: the user of the configuration, or whom that one impersonates."""
        own, wanted = kubeconfig.subject(self.ctx, self.target), self.line.text("as")
        if not wanted:
            return own
        access.check_impersonation(self.ctx.simulation.world, own, wanted)
        return access.subject(wanted, self.line.all("as-group"))

    @property
    def namespace(self) -> str:
        """The namespace that is meant."""
        return self.line.text("namespace") or self.target.namespace

    @property
    def everywhere(self) -> bool:
        """Whether all namespaces are meant."""
        return self.line.on("all-namespaces")

    @property
    def scope(self) -> str:
        """The namespace to list, "" for all."""
        return "" if self.everywhere else self.namespace

    @property
    def now(self) -> int:
        """ns since 1970."""
        return self.ctx.epoch

    @property
    def minor(self) -> int:
        """The client's minor version."""
        return int(version(self.ctx.inventory).split(".")[1])

    def resource(self, name: str) -> Resource:
        """A resource type by any of its names. Raises Failed."""
        from engine.commands.kubernetes._kubectl.failures import no_type

        found = self.server.resource(name)
        if found is None:
            raise no_type(name)
        return found

    def listed(self, resource: Resource, selector: str = "", fields: str = "") -> dict[str, Any]:
        """The objects of a resource in the namespaces that are meant. A refusal says what was asked for."""
        if resource.plural in _DEPRECATED:
            self.warn(f"Warning: {_DEPRECATED[resource.plural]}")
        try:
            return self.server.list(resource, self.scope if resource.namespaced else "", selector, fields)
        except StatusError as refusal:
            if refusal.reason not in ("BadRequest", "NotFound"):
                raise
            group = f"{resource.group}/{resource.version}, Resource={resource.plural}"
            asked = f'match label selector "{selector}", field selector "{fields}"'
            begin = f'find "{group}" that {asked}' if selector or fields else f'list "{group}"'
            text = f"Unable to {begin}: {refusal.message}"
            raise StatusError(refusal.code, refusal.reason, text, refusal.details) from None

    def say(self, text: str) -> None:
        """A line to standard output."""
        self.ctx.line(text)

    def warn(self, text: str) -> None:
        """A line to standard error."""
        self.ctx.error(text)

    def refuse(self, text: str) -> None:
        """A line to standard error; kubectl goes on and ends with 1."""
        self.ctx.error(text)
        self.status = 1


def version(inventory: Inventory) -> str:
    """The client's release, such as 1.32.4: that of the cluster unless the site has another (software.kubectl)."""
    return inventory.software.get("kubectl") or inventory.software.get("kubernetes", "1.32.4")


def kind_name(resource: Resource) -> str:
    """`pod`, `deployment.apps`: how an object's kind is written in front of its name."""
    kind = resource.kind.lower()
    return f"{kind}.{resource.group}" if resource.group else kind


def name_of(thing: dict[str, Any]) -> str:
    """An object's name."""
    return str(thing.get("metadata", {}).get("name", ""))


def namespace_of(thing: dict[str, Any]) -> str:
    """An object's namespace, "" for one of the whole cluster."""
    return str(thing.get("metadata", {}).get("namespace", ""))
