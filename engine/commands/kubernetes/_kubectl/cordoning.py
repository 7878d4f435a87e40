"""kubectl cordon, uncordon and drain.

Source: kubectl pkg/cmd/drain/drain.go, pkg/drain/drain.go and filters.go. drain looks at a node's pods through filters
in this order: those of daemon sets, of static manifests, with local data, without a controller; it then asks the server
to evict them, again every 5 seconds where a disruption budget forbids it, and looks every second whether they are gone.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from engine.commands.kubernetes._kubectl import printing, release, selecting
from engine.commands.kubernetes._kubectl.failures import Failed, aggregate, error, of_server, usage
from engine.commands.kubernetes._kubectl.flags import Flag, flags
from engine.commands.kubernetes._kubectl.selecting import Found
from engine.commands.kubernetes._kubectl.session import Session, name_of, namespace_of
from engine.control.kubernetes.api import StatusError
from engine.control.kubernetes.objects import KubeDict, controller_of
from engine.kernel.units import SECOND

CORDON_FLAGS = (Flag("selector", "l"), Flag("dry-run", bare="unchanged"))
DRAIN_FLAGS = (
    *CORDON_FLAGS, *flags("bool", "force ignore-daemonsets delete-emptydir-data disable-eviction"),
    *flags("int", "grace-period chunk-size skip-wait-for-delete-timeout"), Flag("timeout", kind="duration"),
    Flag("pod-selector"),
)  # fmt: skip
_MIRROR = "kubernetes.io/config.mirror"
_ENDED = ("Succeeded", "Failed")
_AGAIN = 5 * SECOND
_DAEMON_SET = "DaemonSet-managed Pods (use --ignore-daemonsets to ignore)"
_LOCAL = "Pods with local storage (use --delete-emptydir-data to override)"
_ALONE = "Pods that declare no controller (use --force to override)"


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a filter says of a pod: whether it goes, a warning, or an error that keeps drain from going on."""

    goes: bool = True
    warning: str = ""
    error: str = ""


def _nodes(session: Session) -> list[Found]:
    """The nodes that are meant. Raises Failed, StatusError."""
    line, verb = session.line, session.verb
    if not line.operands and "selector" not in line:
        raise usage(verb, f"USAGE: {verb} NODE [flags]")
    if line.operands and line.text("selector"):
        raise usage(verb, "error: cannot specify both a node name and a --selector option")
    selection = selecting.select(session, line.operands, default="nodes")
    if selection.errors:
        raise Failed("\n".join(selection.errors[:1]))
    for each in selection.found:
        if each.resource.plural != "nodes":
            raise error(f'error: expected resource of type node, got "/v1, Resource={each.resource.plural}"')
    return selection.found


async def cordon(session: Session) -> None:
    """kubectl cordon."""
    _mark(session, _nodes(session), True)


async def uncordon(session: Session) -> None:
    """kubectl uncordon."""
    _mark(session, _nodes(session), False)


def _mark(session: Session, nodes: Sequence[Found], wanted: bool) -> None:
    word = "cordoned" if wanted else "uncordoned"
    dry = printing.dry(session)
    for each in nodes:
        is_so = bool((each.thing.get("spec") or {}).get("unschedulable"))
        if is_so == wanted:
            printing.outcome(session, each, f"already {word}", printing.Form())
            continue
        if dry != "client":
            body = {"spec": {"unschedulable": True if wanted else None}}
            session.server.patch(each.resource, "", each.name, "strategic", body, dry_run=dry == "server")
        printing.outcome(session, each, word, printing.Form())


async def drain(session: Session) -> None:
    """kubectl drain."""
    nodes = _nodes(session)
    if not nodes and session.line.text("selector"):
        return
    _mark(session, nodes, True)
    fatal: list[list[str]] = []
    left: list[str] = []
    for node in nodes:
        errors = await _empty(session, node.name)
        if not errors:
            printing.outcome(session, node, "drained", printing.Form())
            continue
        text = aggregate(errors)
        session.warn(f'error: unable to drain node "{node.name}" due to error: {text}, continuing command...')
        fatal.append(errors)
        left.append(node.name)
    if left:
        session.warn("There are pending nodes to be drained:")
        for name in left:
            session.warn(f" {name}")
        lines = list(dict.fromkeys(text for errors in fatal for text in errors))
        raise Failed("\n".join(lines))


async def _empty(session: Session, node: str) -> list[str]:
    """Make a node's pods go. Gives errors."""
    pods = _pods(session, node)
    verdicts = [(pod, _verdict(session, pod)) for pod in pods]
    errors = _grouped([(pod, verdict.error) for pod, verdict in verdicts if verdict.error])
    if errors:
        return [f"cannot delete {text}" for text in errors]
    warnings = _grouped([(pod, verdict.warning) for pod, verdict in verdicts if verdict.warning])
    if warnings:
        session.warn(f"Warning: {'; '.join(warnings)}")
    going = [pod for pod, verdict in verdicts if verdict.goes]
    dry = printing.dry(session)
    if dry == "client":
        for pod in going:
            session.say(f"evicting pod {namespace_of(pod)}/{name_of(pod)} (dry run)")
        return []
    failed = await _Going(session, going, dry == "server").run()
    if failed:
        _pending(session, node, failed)
    return failed


def _pods(session: Session, node: str) -> list[KubeDict]:
    selector = session.line.text("pod-selector")
    found: list[KubeDict] = session.server.list(session.resource("pods"), "", selector, f"spec.nodeName={node}")[
        "items"
    ]
    return found


def _pending(session: Session, node: str, failed: list[str]) -> None:
    left = [pod for pod in _pods(session, node) if _verdict(session, pod).goes]
    if left:
        session.warn(f'There are pending pods in node "{node}" when an error occurred: {aggregate(failed)}')
        for pod in left:
            session.warn(f"pod/{name_of(pod)}")


def _grouped(found: Sequence[tuple[KubeDict, str]]) -> list[str]:
    """`message: ns/pod, ns/pod` for each message, in the order of the first pods."""
    by_text: dict[str, list[str]] = {}
    for pod, text in found:
        by_text.setdefault(text, []).append(f"{namespace_of(pod)}/{name_of(pod)}")
    return [f"{text}: {', '.join(names)}" for text, names in by_text.items()]


def _verdict(session: Session, pod: KubeDict) -> Verdict:
    """What the filters say: the first that keeps the pod, else the last one's warning."""
    last = Verdict()
    for judge in _FILTERS:
        verdict = judge(session, pod)
        if not verdict.goes:
            return verdict
        last = verdict
    return last


def _ended(pod: KubeDict) -> bool:
    return (pod.get("status") or {}).get("phase") in _ENDED


def _of_daemon_set(session: Session, pod: KubeDict) -> Verdict:
    owner = controller_of(pod)
    if owner is None or owner.get("kind") != "DaemonSet" or owner.get("apiVersion") != "apps/v1" or _ended(pod):
        return Verdict()
    try:
        session.server.get(session.resource("daemonsets"), namespace_of(pod), str(owner["name"]))
    except StatusError as refusal:
        if refusal.reason == "NotFound" and session.line.on("force"):
            return Verdict(True, warning=refusal.message)
        return Verdict(False, error=refusal.message)
    if not session.line.on("ignore-daemonsets"):
        return Verdict(False, error=_DAEMON_SET)
    return Verdict(False, warning="ignoring DaemonSet-managed Pods")


def _mirror(session: Session, pod: KubeDict) -> Verdict:
    return Verdict(_MIRROR not in (pod["metadata"].get("annotations") or {}))


def _local_data(session: Session, pod: KubeDict) -> Verdict:
    volumes = pod["spec"].get("volumes") or ()
    if not any(each.get("emptyDir") is not None for each in volumes) or _ended(pod):
        return Verdict()
    if not session.line.on("delete-emptydir-data"):
        return Verdict(False, error=_LOCAL)
    return Verdict(True, warning="deleting Pods with local storage")


def _without_controller(session: Session, pod: KubeDict) -> Verdict:
    if _ended(pod) or controller_of(pod) is not None:
        return Verdict()
    if session.line.on("force"):
        return Verdict(True, warning="deleting Pods that declare no controller")
    twice = "" if session.minor >= release.ALONE_ONCE else "cannot delete "
    return Verdict(False, error=f"{twice}{_ALONE}")


_FILTERS: tuple[Callable[[Session, KubeDict], Verdict], ...] = (
    _of_daemon_set, _mirror, _local_data, _without_controller,
)  # fmt: skip


class _Going:
    """Evictions that are under way at once."""

    def __init__(self, session: Session, pods: list[KubeDict], dry: bool) -> None:
        self._session = session
        self._dry = dry
        self._due = {index: session.ctx.now for index in range(len(pods))}
        self._pods = pods
        self._waiting: dict[int, str] = {}
        self._errors: list[str] = []
        timeout = session.line.duration("timeout", 0)
        self._limit = timeout
        self._end = session.ctx.now + timeout if timeout else None

    async def run(self) -> list[str]:
        """Until all pods are gone or the time is up. Gives errors."""
        while self._due or self._waiting:
            due = [index for index, moment in self._due.items() if moment <= self._session.ctx.now]
            for index in [*due[-1:], *due[:-1]]:  # Go runs the goroutine that was started last first
                self._ask(index)
            self._look()
            if not self._due and not self._waiting:
                break
            if self._end is not None and self._session.ctx.now >= self._end and not self._due:
                self._give_up()
                break
            await self._session.ctx.sleep(SECOND)
        return self._errors

    def _ask(self, index: int) -> None:
        pod, session = self._pods[index], self._session
        name, namespace = name_of(pod), namespace_of(pod)
        if session.line.on("disable-eviction"):
            grace = session.line.number("grace-period", -1)
            session.server.delete(
                session.resource("pods"), namespace, name, grace if grace >= 0 else None, dry_run=self._dry
            )
            self._started(index)
            return
        session.say(f"evicting pod {namespace}/{name}{' (server dry run)' if self._dry else ''}")
        if self._end is not None and session.ctx.now >= self._end:
            what = _go_duration(self._limit)
            self._errors.append(f'error when evicting pods/"{name}" -n "{namespace}": global timeout reached: {what}')
            del self._due[index]
            return
        grace = session.line.number("grace-period", -1)
        try:
            session.server.evict(namespace, name, grace if grace >= 0 else None, dry_run=self._dry)
        except StatusError as refusal:
            self._refused(index, refusal)
            return
        self._started(index)

    def _started(self, index: int) -> None:
        del self._due[index]
        if not self._dry:
            self._waiting[index] = str(self._pods[index]["metadata"].get("uid", ""))

    def _refused(self, index: int, refusal: StatusError) -> None:
        pod = self._pods[index]
        name, namespace = name_of(pod), namespace_of(pod)
        if refusal.reason == "TooManyRequests":
            self._session.warn(
                f'error when evicting pods/"{name}" -n "{namespace}" (will retry after 5s): {refusal.message}'
            )
            self._due[index] = self._session.ctx.now + _AGAIN
            return
        del self._due[index]
        if refusal.reason != "NotFound":
            self._errors.append(f'error when evicting pods/"{name}" -n "{namespace}": {refusal.message}')

    def _look(self) -> None:
        """Say which pods are gone."""
        resource = self._session.resource("pods")
        word = "deleted" if self._session.line.on("disable-eviction") else "evicted"
        for index, uid in list(self._waiting.items()):
            pod = self._pods[index]
            try:
                now = self._session.server.get(resource, namespace_of(pod), name_of(pod))
            except StatusError as refusal:
                if refusal.reason != "NotFound":
                    self._errors.append(of_server(refusal))
                now = None
            if now is None or now["metadata"].get("uid") != uid:
                del self._waiting[index]
                printing.outcome(self._session, Found(resource, pod), word, printing.Form())

    def _give_up(self) -> None:
        for index in self._waiting:
            pod = self._pods[index]
            resource = self._session.resource("pods")
            printing.outcome(self._session, Found(resource, pod), "eviction failed", printing.Form())
            self._errors.append(
                f'error when waiting for pod "{name_of(pod)}" in namespace "{namespace_of(pod)}" to terminate: '
                "context deadline exceeded"
            )


def _go_duration(span: int) -> str:
    """A time as Go prints it: `30s`, `1m0s`, `1h0m0s`."""
    seconds = span // SECOND
    hours, minutes = seconds // 3600, seconds // 60 % 60
    if hours:
        return f"{hours}h{minutes}m{seconds % 60}s"
    return f"{minutes}m{seconds % 60}s" if minutes else f"{seconds}s"
