"""Home: what there is to play. It is painted at once; what it lists is read in the background."""

from __future__ import annotations

import asyncio
from typing import ClassVar

from textual import events, work
from textual.app import ComposeResult
from textual.containers import Container, VerticalScroll
from textual.content import Content
from textual.screen import Screen
from textual.widgets import Input, Static

from engine.kernel.errors import BreakfixError
from tui.actions import Acts, action
from tui.app import breakfix
from tui.home_list import FIRST_LOOK, Entry, Kind, load_entries, sections
from tui.store import delete_session
from tui.widgets.footer import Footer
from tui.widgets.pick_list import Line, PickList
from tui.widgets.rows import MUTED, STRONG, Row, Rows

WIDE_COLUMNS = 100
"""From this width on the details stand beside the list."""

_STYLES = {Kind.TITLE: STRONG, Kind.TEXT: "", Kind.MUTED: MUTED, Kind.BULLET: ""}


class Home(Screen[None], Acts):
    """Sessions to take up again, drills, the sandbox."""

    CSS_PATH = "home.tcss"
    ABOUT = (
        "Home",
        """
        Choose what to do and press Enter (or double-click it).

        - **Go on with**: sessions that you left. They begin where you were.
        - **Next for you**: the drill that fits what you have done so far, and why.
        - **Drills**: something in a cluster is broken, or seems to be. You get a ticket and a terminal; find out what
          it is, repair it, hand in. Each time the details are others. Level 1 is for first steps, 5 is hard.
        - **Exams and study**: practice exams, and questions with an explanation of every answer. What you should see
          again today stands under "Today's review".
        - **Sandbox**: a healthy cluster to try commands on.

        Press `/` and type to see only what fits.
        """,
    )
    AUTO_FOCUS: ClassVar[str | None] = "#list"

    def __init__(self) -> None:
        super().__init__()
        self.entries: list[Entry] | None = None
        self._list = PickList([Line("Reading what there is ...")], id="list")
        self._asked: Entry | None = None
        self._opening = False

    def compose(self) -> ComposeResult:
        wordmark = Content.assemble(("breakfix", "bold $accent"), ("   practise repairing AI GPU clusters", MUTED))
        yield Static(wordmark, id="wordmark")
        yield Input(placeholder="type what to look for", id="filter", compact=True, select_on_focus=False)
        with Container(id="choice"):
            yield self._list
            with VerticalScroll(id="details"):
                yield Rows()
        yield Static("", id="told", markup=False)
        yield Footer()

    def on_mount(self) -> None:
        """Read the lists once this is on the screen, unless something else is about to cover it."""
        if not breakfix(self).starting:
            self.call_after_refresh(self.read)

    def on_resize(self, event: events.Resize) -> None:
        """The details go beside the list where there is room."""
        self.set_class(event.size.width >= WIDE_COLUMNS, "wide")

    @property
    def companions(self) -> list[PickList]:
        """What can be done with the list can be done from anywhere on this screen."""
        return [self._list]

    # The list

    @work(exclusive=True)
    async def read(self) -> None:
        """Read what there is, and show it."""
        new_here = not breakfix(self).settings.tour_seen
        try:
            self.entries = await asyncio.to_thread(load_entries, new_here=new_here)
        except Exception as error:
            self.entries = []
            breakfix(self).tell_trouble("The list", error)
        self._show()

    def _show(self) -> None:
        """The entries that fit what was typed."""
        query = self.query_one(Input).value
        fitting = [entry for entry in self.entries or () if entry.fits(query)]
        lines: list[Line] = []
        for section, entries in sections(fitting).items():
            lines += [Line("")] if lines else []
            lines += [Line(section), *(Line(entry.title, entry.right, entry.id) for entry in entries)]
        self._list.show(lines or [Line("Nothing fits what you typed." if query else "There is nothing to play.")])

    @property
    def entry(self) -> Entry | None:
        """The one under the cursor."""
        line = self._list.line
        return next((entry for entry in self.entries or () if line and entry.id == line.id), None)

    def on_pick_list_moved(self) -> None:
        """Show the details of the entry; a question about another one is off."""
        entry = self.entry
        if entry != self._asked:
            self._ask(None)
        bullet = ((f"{breakfix(self).glyphs.bullet} ", MUTED),)
        details = entry.details if entry else ()
        rows = [Row(text, _STYLES[kind], bullet if kind is Kind.BULLET else ()) for kind, text in details]
        self.query_one("#details Rows", Rows).show(rows)
        self.query_one("#details").scroll_home(animate=False)
        self.query_one(Footer).look_again()

    def on_pick_list_chosen(self) -> None:
        """Open the entry."""
        entry = self.entry
        if entry is not None and not self._opening:
            self._opening = True
            self._tell(f"Getting ready: {entry.title} ...")
            breakfix(self).carry_out(entry.title, self._open(entry))

    async def _open(self, entry: Entry) -> None:
        painted = asyncio.Event()
        self.call_after_refresh(painted.set)
        await painted.wait()
        app = breakfix(self)
        try:
            if entry.saved is not None:
                await app.open_saved(entry.saved)
            elif entry.drill is not None:
                await app.open_drill(entry.drill)
                if entry.drill == FIRST_LOOK:
                    app.change_settings(tour_seen=True)
            elif entry.exam is not None:
                await app.open_exam_menu(entry.exam)
            elif entry.progress:
                from tui.screens.progress import ProgressScreen

                app.push_screen(ProgressScreen())
            elif entry.review is not None:
                await app.open_review(entry.review)
            elif entry.site is not None:
                from tui.opening import Opening

                await app.open_sandbox(Opening(entry.site, 1))
        finally:
            self._opening = False
            if self.is_attached:
                self._tell("")

    def _tell(self, text: str) -> None:
        self.query_one("#told", Static).update(text)

    # Looking for something

    def on_input_changed(self) -> None:
        """Only what fits, while it is typed."""
        self._show()

    def on_input_submitted(self) -> None:
        """Open the first that fits."""
        self._list.choose()

    @action("home.filter", "Search", "/", footer=20)
    def filter(self) -> None:
        """Type words to see only the entries in which they stand."""
        self.add_class("filtering")
        self.query_one(Input).focus()

    @property
    def filtering(self) -> bool:
        """Whether something is looked for."""
        return self.has_class("filtering")

    @action("home.all", "Show all", "escape", footer=10, when="filtering")
    def show_all(self) -> None:
        """Forget what was typed and show everything again."""
        self.query_one(Input).value = ""
        self.remove_class("filtering")
        self._list.focus()

    # Deleting a session

    @property
    def can_delete(self) -> bool:
        """Whether the cursor stands on a saved session."""
        return self._asked is None and self.entry is not None and self.entry.saved is not None

    @property
    def asked(self) -> bool:
        """Whether there is a question to answer."""
        return self._asked is not None

    @action("home.delete", "Delete", "d", "delete", footer=30, when="can_delete")
    def delete(self) -> None:
        """Forget a session that you don't want to go on with. It asks first."""
        self._ask(self.entry)

    @action("home.delete_yes", "Yes, delete it", "y", footer=1, when="asked")
    def delete_yes(self) -> None:
        """Delete the session; it can't be taken up again."""
        entry = self._asked
        self._ask(None)
        if entry is None or entry.saved is None:
            return
        try:
            delete_session(entry.saved.path)
        except BreakfixError as error:
            self._tell(f"It can't be deleted: {error.message}.")
            return
        except OSError as error:
            self._tell(f"It can't be deleted: {error.strerror}.")
            return
        self.entries = [one for one in self.entries or () if one != entry]
        self._show()

    @action("home.delete_no", "No, keep it", "n", "escape", footer=2, when="asked")
    def delete_no(self) -> None:
        """Keep the session."""
        self._ask(None)

    def _ask(self, entry: Entry | None) -> None:
        if self._asked is not entry:
            self._asked = entry
            self._tell(f'Delete this session of "{entry.title}"?' if entry else "")
            self.query_one(Footer).look_again()

    # What else can be done here

    @action("home.settings", "Settings", "s", footer=40)
    def settings(self) -> None:
        """Theme, signs, keys and the rest."""
        breakfix(self).show_settings()

    @action("home.quit", "Quit", "q", footer=92)
    def quit(self) -> None:
        """Leave breakfix."""
        breakfix(self).leave()
