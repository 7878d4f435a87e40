"""What the web server of a BMC answers on port 443: Redfish (engine.control.redfish). Its pages for people are not
modelled.

Headers: those that MegaRAC's lighttpd sends, cut down to the plain ones (a guess).
"""

from __future__ import annotations

import json
import re

from engine.commands.context import Context
from engine.commands.linux._support import web
from engine.control.redfish import service
from engine.control.redfish.resource import Asked

PORT = 443
_WITHOUT_AUTHORITY = re.compile(r"https?://")


def answer(ctx: Context, host: str, method: str, path: str, login: str | None, body: str) -> web.Answer | None:
    """The answer to a request; `login` is NAME:PASSWORD. None where that is not modelled."""
    if not path.startswith("/redfish"):
        return None
    user, _, password = (login or "").partition(":")
    got = service.answer(ctx.simulation, Asked(host, method, path, user or None, password or None, body))
    text = "" if got.body is None else json.dumps(got.body, separators=(",", ":"), ensure_ascii=False)
    headers = [("OData-Version", "4.0"), ("Content-Type", "application/json; charset=UTF-8")]
    if got.status == 401:
        headers.append(("WWW-Authenticate", 'Basic realm="Redfish"'))
    headers += [("Content-Length", str(len(text.encode()))), web.date(ctx), ("Server", "AMI MegaRAC Redfish Service")]
    return web.Answer(got.status, tuple(headers), text)


def login_of(url: str) -> str | None:
    """NAME:PASSWORD in a URL."""
    rest = _WITHOUT_AUTHORITY.sub("", url, count=1).partition("/")[0]
    return rest.rpartition("@")[0] or None
