"""Places for new shells: what sshd, su and sudo make of the environment on Ubuntu 24.04 (OpenSSH 9.6, util-linux 2.39,
sudo 1.9.15).
"""

from __future__ import annotations

from collections.abc import Mapping

from engine.commands.context import Context, Place
from engine.control.accounts import Identity

PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin:/usr/games:/usr/local/games:/snap/bin"
SECURE_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin:/snap/bin"
LANGUAGE = "en_US.UTF-8"
_KEPT_BY_SUDO = ("TERM", "LANG", "LANGUAGE", "DISPLAY", "XAUTHORITY", "COLORTERM", "LS_COLORS", "EDITOR", "PWD")
_KEPT_BY_LOGIN = ("TERM", "COLORTERM")


def login_environment(identity: Identity, terminal: str | None = None) -> dict[str, str]:
    """The variables of a login; `terminal` is a TERM value."""
    variables = {
        "HOME": identity.home,
        "LANG": LANGUAGE,
        "LOGNAME": identity.name,
        "PATH": PATH,
        "SHELL": identity.shell,
        "USER": identity.name,
    }
    return variables | ({"TERM": terminal} if terminal else {})


def remote_place(host: str, identity: Identity, source: str, address: str, *, terminal: str | None = None) -> Place:
    """Where a command that came over ssh runs."""
    variables = login_environment(identity, terminal)
    variables["SSH_CLIENT"] = f"{source} 51044 22"
    variables["SSH_CONNECTION"] = f"{source} 51044 {address} 22"
    if terminal:
        variables["SSH_TTY"] = "/dev/pts/0"
    return Place(host, identity, variables, identity.home, login=True)


def become_login(ctx: Context, identity: Identity) -> Place:
    """A login as somebody else on this host (su -, sudo -i)."""
    variables = login_environment(identity)
    variables |= {name: ctx.environment[name] for name in _KEPT_BY_LOGIN if name in ctx.environment}
    return Place(ctx.host, identity, variables, identity.home, login=True)


def su_environment(ctx: Context, identity: Identity) -> dict[str, str]:
    """What su without a dash changes."""
    changed = {"HOME": identity.home, "SHELL": identity.shell}
    if identity.uid != 0:
        changed |= {"USER": identity.name, "LOGNAME": identity.name}
    return {**ctx.environment, **changed}


def sudo_environment(
    invoker: Identity, target: Identity, variables: Mapping[str, str], command: str, *, keep: bool = False
) -> dict[str, str]:
    """What sudo leaves of `variables` (env_reset with Ubuntu's env_keep; all with `keep`) and adds."""
    kept = dict(variables) if keep else {name: variables[name] for name in _KEPT_BY_SUDO if name in variables}
    return {
        **kept,
        "HOME": target.home,
        "LOGNAME": target.name,
        "MAIL": f"/var/mail/{target.name}",
        "PATH": SECURE_PATH,
        "SHELL": target.shell,
        "SUDO_COMMAND": command,
        "SUDO_GID": str(invoker.gid),
        "SUDO_UID": str(invoker.uid),
        "SUDO_USER": invoker.name,
        "USER": target.name,
    }
