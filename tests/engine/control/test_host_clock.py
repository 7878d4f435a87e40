"""The clocks of hosts, and what shows them."""

from __future__ import annotations

from engine.control import host_clock, systemd
from engine.kernel.units import HOUR, MINUTE, SECOND
from tests.engine.control.slurm.scene import opened

NODE = "dgx-04"


def test_a_clock_is_wrong_from_the_moment_on_at_which_it_was_set() -> None:
    site = opened()
    site.advance(HOUR)
    site.apply(host_clock.SetClock(NODE, -10 * MINUTE))
    site.advance(HOUR)
    world = site.world
    assert host_clock.offset(world, NODE, HOUR - 1) == 0
    assert host_clock.offset(world, NODE, site.now) == -10 * MINUTE
    assert host_clock.offset(world, "dgx-03", site.now) == 0
    shown = host_clock.epoch(world, NODE, site.now)
    assert shown == world.inventory.start + 2 * HOUR - 10 * MINUTE
    assert host_clock.moment(world, NODE, shown, site.now) == site.now


def test_chrony_sets_it_right_when_it_starts_and_when_it_is_told() -> None:
    site = opened()
    for mend in (systemd.RestartUnit(NODE, "chrony", "root"), host_clock.MakeStep(NODE)):
        site.apply(host_clock.SetClock(NODE, 90 * SECOND))
        site.apply(mend)
        assert host_clock.offset(site.world, NODE, site.now) == 0
    said = [entry.text for entry in site.world.logs[NODE].entries if entry.source == "chronyd"]
    assert "System clock was stepped by -90.000000 seconds" in said
