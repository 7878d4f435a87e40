"""The queue: jobs as squeue showed them last, those that wait with their reasons, and those that are gone."""

from __future__ import annotations

from textual import events, on
from textual.app import ComposeResult
from textual.widgets import Static

from tui.actions import action
from tui.live.live import Live
from tui.screens.view import Turn, View
from tui.seen.queue import QUEUE, SeenJob, seen_jobs
from tui.seen.site import Site
from tui.widgets.node_paint import age
from tui.widgets.pick_list import Line, PickList

EMPTY = "No job seen yet. What squeue shows on the screen appears here."
_WIDE = 110
_SECONDS_BETWEEN_LOOKS = 1.0
_TITLES = {"R": "Running", "CG": "Completing", "CF": "Starting", "S": "Suspended", "PD": "Waiting"}
_GONE = "No longer in the queue"
_ID, _NAME, _USER, _PARTITION, _TIME = 9, 14, 9, 10, 11


class Queue(View):
    """The jobs of a session: Enter shows a job's first node on the map."""

    VIEW = "queue"
    title_text = "Queue: the jobs that you have seen"
    ABOUT = (
        "Queue",
        """
        The jobs as squeue listed them last, by state; those that wait with the reason that Slurm gave. A job that the
        last whole listing no longer had is told below. Nothing moves by itself: look again with squeue.
        """,
    )
    CSS = """
    Queue .dialog { width: 100%; max-width: 100%; height: 1fr; max-height: 100%; }
    Queue PickList { height: 1fr; }
    Queue #job { height: 3; border-top: solid $frame; padding: 0 1; color: $muted; }
    """

    def __init__(self, live: Live, at: str | None = None) -> None:
        super().__init__(live, at)
        self.list = PickList(id="jobs")
        self._known: tuple[int, bool] | None = None
        self._jobs: dict[str, SeenJob] = {}

    def content(self) -> ComposeResult:
        """The jobs, and all that is known of the chosen one."""
        yield self.list
        yield Static(markup=False, id="job")

    def on_mount(self) -> None:
        """Look at what is new now and then."""
        super().on_mount()
        self.list.focus()
        self.set_interval(_SECONDS_BETWEEN_LOOKS, self.show_session)
        self.call_after_refresh(self.show_session)

    def on_resize(self, event: events.Resize) -> None:
        """More columns where there is room."""
        self.call_after_refresh(self.show_session)

    def show_session(self) -> None:
        """Show the jobs as they are known now."""
        wide = self.size.width >= _WIDE
        if (self.live.knowledge.version, wide) != self._known:
            self._known = (self.live.knowledge.version, wide)
            jobs = seen_jobs(self.live.knowledge)
            self._jobs = {job.id: job for job in jobs}
            self.list.show(self._lines(jobs, wide), self._first_on(jobs))
            self.at = None
        self._tell()

    def _lines(self, jobs: list[SeenJob], wide: bool) -> list[Line]:
        lines: list[Line] = []
        title = ""
        for job in jobs:
            heading = _GONE if job.gone else _TITLES.get(job.state, job.state)
            if heading != title:
                title = heading
                lines.append(Line(title))
            lines.append(Line(_told(job, wide), job.where if wide or job.waits else f"on {job.where}", job.id))
        return lines

    def _first_on(self, jobs: list[SeenJob]) -> str | None:
        """The first job that has the node with which this was opened."""
        node = (self.at or "").partition("/")[0]
        site = Site(self.live.knowledge.inventory)
        return next((job.id for job in jobs if node and not job.gone and node in site.nodes(job.where)), None)

    @property
    def job(self) -> SeenJob | None:
        """The job under the cursor."""
        line = self.list.line
        return self._jobs.get(line.id) if line else None

    @property
    def component(self) -> str | None:
        """The first of its nodes."""
        nodes = Site(self.live.knowledge.inventory).nodes(self.job.where) if self.job else []
        return nodes[0] if nodes else None

    @on(PickList.Moved)
    def _tell(self) -> None:
        job = self.job
        text = EMPTY
        if job is not None:
            now = self.live.simulation.now
            ago = f"seen {age(now, job.at)}"
            whole = self.live.knowledge.seen_at(QUEUE)
            if job.gone and whole is not None:
                ago += f", not in the whole listing {age(now, whole)}"
            text = f"{job.id} {job.name} of {job.user}: {job.state} {job.time}, {job.nodes} nodes, {job.where}\n{ago}"
        self.query_one("#job", Static).update(text)

    @on(PickList.Chosen)
    def _chosen(self) -> None:
        if self.component is not None:
            self.show_on_map()

    @action("queue.map", "Its nodes", "m", footer=10, when="component")
    def show_on_map(self) -> None:
        """The first of the job's nodes on the map."""
        self.dismiss(Turn("map", self.component))


def _told(job: SeenJob, wide: bool) -> str:
    """A job's row; its nodes or reason stand on the right."""
    text = f"{job.id:<{_ID}} {_cut(job.name, _NAME)} {_cut(job.user, _USER)} "
    if wide:
        text += f"{_cut(job.partition, _PARTITION)} {job.state:<2} "
    return f"{text}{job.time:>{_TIME}}" + (f"  {job.nodes:>4} nodes" if wide else "")


def _cut(text: str, columns: int) -> str:
    return f"{text[:columns]:<{columns}}"
