"""`dcgmi -v`: the builds of dcgmi and of the host engine. Texts: dcgmi/Version.cpp, DcgmBuildInfo of DCGM 4.4.2.

Without a host engine it prints nothing, as there. The commit is that of v4.4.2; build number, date and machine are left
out, since they were not found.
"""

from __future__ import annotations

from collections.abc import Sequence

from engine.commands.context import Context
from engine.commands.dcgm._dcgmi.arguments import HOST, Ended, Subsystem, parse
from engine.commands.dcgm._dcgmi.client import OK, Client, connect

SUBSYSTEM = Subsystem("version", "shows versions.", (HOST,))
_COMMITS = {"4.4.2": "acf3f89d0efd76f4aaa83d38500349657f206514"}


async def run(ctx: Context, words: Sequence[str]) -> int:
    """Print both builds."""
    parsed = parse(SUBSYSTEM, words)
    try:
        client = await connect(ctx, parsed, silent=True)
    except Ended:
        return OK
    ctx.write(f"\nLocal build info:\n{_build(client)}\nHostengine build info:\n{_build(client)}")
    return OK


def _build(client: Client) -> str:
    major, minor = client.release
    pairs = [
        ("Version", client.version),
        ("Build Type", "Release"),
        ("Commit ID", _COMMITS.get(client.version, "")),
        ("Branch Name", f"rel_dcgm_{major}_{minor}"),
        ("CPU Arch", "x86_64"),
    ]
    return "".join(f"{name} : {text}\n" for name, text in pairs if text)
