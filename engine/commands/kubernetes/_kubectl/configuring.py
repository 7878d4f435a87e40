"""kubectl config: contexts and the content of kubeconfig files.

Source: kubectl pkg/cmd/config.
"""

from __future__ import annotations

import posixpath
from collections.abc import Callable

from engine.commands.kubernetes._kubectl import kubeconfig, printing, tab_writer, yaml_text
from engine.commands.kubernetes._kubectl.failures import Failed, NotModelled, error, usage
from engine.commands.kubernetes._kubectl.flags import flags
from engine.commands.kubernetes._kubectl.kubeconfig import Config
from engine.commands.kubernetes._kubectl.session import Session
from engine.hostfs.tree import FileError

FLAGS = (
    *printing.OUTPUT, *flags("bool", "no-headers minify flatten raw current merge embed-certs set-raw-bytes"),
)  # fmt: skip
_SECRETS = {"certificate-authority-data": "DATA+OMITTED", "client-certificate-data": "DATA+OMITTED",
            "client-key-data": "DATA+OMITTED", "token": "REDACTED", "password": "REDACTED"}  # fmt: skip


async def run(session: Session) -> None:
    """kubectl config VERB."""
    words = session.line.operands
    if not words:
        raise NotModelled("the help of kubectl config")
    verb = _VERBS.get(words[0])
    if verb is None:
        if words[0] in ("set", "unset", "set-cluster", "set-credentials", "delete-cluster", "delete-user"):
            raise NotModelled(f"kubectl config {words[0]}")
        raise usage("config", f'unknown command "{words[0]}"')
    verb(session, kubeconfig.load(session.ctx, session.line.text("kubeconfig")), words[1:])


def _view(session: Session, config: Config, words: list[str]) -> None:
    if session.line.on("minify"):
        config = _minified(config, session.line.text("context"))
    shown = config.written()
    if not session.line.on("raw"):
        for entry in shown["clusters"]:
            entry["cluster"] = _hidden(entry["cluster"])
        for entry in shown["users"]:
            entry["user"] = _hidden(entry["user"])
    for section in ("clusters", "contexts", "users"):
        shown[section] = shown[section] or None
    chosen = printing.form(session)
    text = yaml_text.dump(shown) if not chosen.word else printing.machine(chosen, shown)
    session.ctx.write(text)


def _minified(config: Config, name: str) -> Config:
    name = name or config.current
    if not name:
        raise error("current-context must exist in order to minify")
    if name not in config.contexts:
        raise error(f"cannot locate context {name}")
    context = config.contexts[name]
    cluster, user = str(context.get("cluster", "")), str(context.get("user", ""))
    return Config(
        name, {name: context}, {cluster: config.clusters.get(cluster, {})}, {user: config.users.get(user, {})},
        config.path,
    )  # fmt: skip


def _hidden(entry: dict[str, object]) -> dict[str, object]:
    return {key: _SECRETS.get(key, value) for key, value in entry.items()}


def _contexts(session: Session, config: Config, words: list[str]) -> None:
    names_only = session.line.text("output") == "name"
    names = sorted(words or config.contexts)
    rows = []
    if not names_only and not session.line.on("no-headers"):
        rows.append(["CURRENT", "NAME", "CLUSTER", "AUTHINFO", "NAMESPACE"])
    for name in names:
        if name not in config.contexts:
            session.refuse(f"error: context {name} not found")
            continue
        each = config.contexts[name]
        parts = [str(each.get(key) or "") for key in ("cluster", "user", "namespace")]
        rows.append([name] if names_only else ["*" if name == config.current else " ", name, *parts])
    session.ctx.write(tab_writer.table(rows))


def _current(session: Session, config: Config, words: list[str]) -> None:
    if not config.current:
        raise error("current-context is not set")
    session.say(config.current)


def _use(session: Session, config: Config, words: list[str]) -> None:
    if len(words) != 1:
        raise Failed("error: unexpected args: you must specify a context name" if not words else
                     f"error: unexpected args: {' '.join(words)}")  # fmt: skip
    if words[0] not in config.contexts:
        raise error(f'no context exists with the name: "{words[0]}"')
    config.current = words[0]
    _write(session, config)
    session.say(f'Switched to context "{words[0]}".')


def _set_context(session: Session, config: Config, words: list[str]) -> None:
    line = session.line
    if line.on("current") and words:
        raise error("you cannot specify both a context name and --current")
    if not line.on("current") and not words:
        raise error("you must specify a non-empty context name or --current")
    name = config.current if line.on("current") else words[0]
    if line.on("current") and not name:
        raise error("no current context is set")
    there = name in config.contexts
    context = config.contexts.setdefault(name, {})
    for key in ("cluster", "namespace", "user"):
        if key in line:
            context[key] = line.text(key)
    _write(session, config)
    session.say(f'Context "{name}" {"modified" if there else "created"}.')


def _delete_context(session: Session, config: Config, words: list[str]) -> None:
    if len(words) != 1:
        raise error("you must specify one context name")
    if words[0] not in config.contexts:
        raise error(f"cannot delete context {words[0]}, not in {config.path}")
    if words[0] == config.current:
        session.warn('warning: this removed your active context, use "kubectl config use-context" to select a '
                     "different one")  # fmt: skip
    del config.contexts[words[0]]
    _write(session, config)
    session.say(f"deleted context {words[0]} from {config.path}")


def _names(title: str, of: str) -> Callable[[Session, Config, list[str]], None]:
    def show(session: Session, config: Config, words: list[str]) -> None:
        del words
        session.say(title)
        found: dict[str, object] = getattr(config, of)
        for name in sorted(found):
            session.say(name)

    return show


def _write(session: Session, config: Config) -> None:
    """Keep a changed configuration in the first file."""
    files = session.ctx.files
    try:
        folder = posixpath.dirname(config.path)
        if not files.exists(folder):
            files.make_directory(folder, True)
        files.write(config.path, yaml_text.dump(config.written()).encode())
    except FileError as why:
        raise error(f"open {config.path}.lock: {why.text.lower()}") from None


_VERBS: dict[str, Callable[[Session, Config, list[str]], None]] = {
    "view": _view, "get-contexts": _contexts, "current-context": _current, "use-context": _use, "use": _use,
    "set-context": _set_context, "delete-context": _delete_context, "get-clusters": _names("NAME", "clusters"),
    "get-users": _names("NAME", "users"),
}  # fmt: skip
