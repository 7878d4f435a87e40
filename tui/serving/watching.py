"""Watches: what has changed between two looks at a list, as watch events."""

from __future__ import annotations

from typing import Any

from engine.control.kubernetes.api import ApiServer
from engine.control.kubernetes.objects import KubeDict
from engine.control.kubernetes.status_error import StatusError
from tui.serving import routes
from tui.serving.routes import Request, Target

_INITIAL = (
    "sendInitialEvents is forbidden for watch unless the WatchList feature gate is enabled"  # the server's own text
)


class Watch:
    """A watch on what a request names. Begins with what is there, unless the client has a list already."""

    def __init__(self, server: ApiServer, request: Request, wanted: Target) -> None:
        if request.query.get("sendInitialEvents") == "true":
            causes = {"causes": [{"reason": "FieldValueForbidden", "message": _INITIAL, "field": "sendInitialEvents"}]}
            text = f'ListOptions.meta.k8s.io "" is invalid: sendInitialEvents: Forbidden: {_INITIAL}'
            raise StatusError(422, "Invalid", text, causes)
        self._server, self._request, self._wanted = server, request, wanted
        known = request.query.get("resourceVersion", "0") not in ("", "0")
        self._seen: dict[str, KubeDict] = self._now() if known else {}

    def _now(self) -> dict[str, KubeDict]:
        try:
            items = routes.listed(self._server, self._request, self._wanted)["items"]
        except StatusError as refusal:
            if refusal.code == 404 and self._wanted.name:
                return {}
            raise
        return {str(each["metadata"].get("uid") or each["metadata"]["name"]): each for each in items}

    def events(self) -> list[KubeDict]:
        """What has happened since the last look."""
        now = self._now()
        found = []
        for key, thing in now.items():
            if key not in self._seen:
                found.append(self._event("ADDED", thing))
            elif _bare(thing) != _bare(self._seen[key]):
                found.append(self._event("MODIFIED", thing))
        found += [self._event("DELETED", thing) for key, thing in self._seen.items() if key not in now]
        self._seen = now
        return found

    def _event(self, kind: str, thing: KubeDict) -> KubeDict:
        if "as=Table" in self._request.accept:
            one = {"items": [thing], "metadata": {"resourceVersion": thing["metadata"].get("resourceVersion", "")}}
            return {"type": kind, "object": routes.table(self._server, self._request, self._wanted.resource, one)}
        return {"type": kind, "object": thing}


def _bare(thing: KubeDict) -> Any:
    """An object without the times of heartbeats, which change whenever somebody looks."""
    status = thing.get("status") or {}
    if not status.get("conditions"):
        return thing
    conditions = [
        {key: value for key, value in each.items() if key != "lastHeartbeatTime"} for each in status["conditions"]
    ]
    return {**thing, "status": {**status, "conditions": conditions}}
