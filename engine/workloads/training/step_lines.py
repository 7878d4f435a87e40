"""The lines of steps: every `log_interval` steps what a training framework tells, and around each checkpoint two more.

The form is that of many small frameworks (step, loss, learning rate, step time, throughput, model FLOPs utilisation).
Step times scatter by up to one percent about the regime's. Lines of a regime depend on nothing but the regime, so
blocks of them are kept once made.
"""

from __future__ import annotations

from engine.kernel.quick_dataclass import dataclass
from engine.kernel.units import MILLISECOND, SECOND
from engine.physics.paths.figures import gpu_figures
from engine.workloads.training import loss, model, progress
from engine.world.records import TrainingRegime, TrainingRun
from engine.world.world import World

_BLOCK = 256
"""Log lines that are made and kept together."""

_SCATTER = 0.01


@dataclass(frozen=True, slots=True)
class _Teller:
    """What the lines of a run are made of: the seed, the model's name, and the GPU's peak (TFLOP/s)."""

    world: World
    name: str
    run: TrainingRun
    peak: float


def text(world: World, name: str, run: TrainingRun, time: int) -> str:
    """All step and checkpoint lines of a run until a time."""
    product = world.node(run.nodes[0]).gpus[0].product.name
    teller = _Teller(world, name, run, gpu_figures(product).bf16)
    until = time if run.ended is None else min(time, run.ended)
    pieces = []
    for index, regime in enumerate(run.regimes):
        if regime.since > until:
            break
        ends = run.regimes[index + 1].since if index + 1 < len(run.regimes) else until
        pieces.append(_of_regime(teller, regime, min(ends, until)))
    return "".join(pieces)


def _of_regime(teller: _Teller, regime: TrainingRegime, until: int) -> str:
    """The lines of what was done in a regime, by blocks of steps."""
    if regime.step is None:
        return ""
    configuration = teller.run.configuration
    interval, size = configuration.checkpoint_interval, _BLOCK * configuration.log_interval
    begin, end = regime.position, progress.position_at(regime, interval, until)
    pieces = []
    for block in range(progress.steps_at(begin, interval) // size, progress.steps_at(end, interval) // size + 1):
        first, last = (progress.position_of(step, interval) for step in (block * size, (block + 1) * size))
        low, high = max(begin, first), min(end, last)
        if high == last:
            pieces.append(_kept(teller, regime, low, high))
        elif low < high:
            pieces.append(_lines(teller, regime, low, high))
    return "".join(pieces)


def _kept(teller: _Teller, regime: TrainingRegime, low: int, high: int) -> str:
    """A whole block, made once: it follows from what is in the key."""
    run = teller.run
    what = (teller.world.seed, teller.name, run.configuration, run.ranks, run.first_step)
    key = ("training lines", *what, regime, low, high)
    return teller.world.inventory.once(key, lambda: _lines(teller, regime, low, high))


def _lines(teller: _Teller, regime: TrainingRegime, low: int, high: int) -> str:
    """The lines of what was done after position `low` up to `high`."""
    configuration = teller.run.configuration
    interval, found = configuration.checkpoint_interval, list[str]()
    for step in _told(teller.run, progress.steps_at(low, interval), progress.steps_at(high, interval)):
        done, begun = low < progress.position_of(step, interval) <= high, step == teller.run.first_step + 1
        if done and (begun or step % configuration.log_interval == 0):
            found.append(_line(teller, regime, step))
        if interval and step % interval == 0:
            if done:
                found.append(f"saving checkpoint at step {step} to checkpoints/step_{step:07d}\n")
            if low < progress.after_checkpoint(step, interval) <= high:
                found.append(f"saved checkpoint at step {step} in {regime.saving / SECOND:.1f} s\n")
    return "".join(found)


def _told(run: TrainingRun, low: int, high: int) -> list[int]:
    """The steps from `low` to `high` that lines are about."""
    every = {run.configuration.log_interval, run.configuration.checkpoint_interval or run.configuration.log_interval}
    steps = {step for each in every for step in range(max(-(-low // each), 1) * each, high + 1, each)}
    return sorted(steps | ({run.first_step + 1} if low <= run.first_step < high else set()))


def _line(teller: _Teller, regime: TrainingRegime, step: int) -> str:
    """One step's line."""
    assert regime.step is not None
    run, seed = teller.run, teller.world.seed
    scattered = regime.step * (1.0 + _SCATTER * loss.noise(seed, "step time", teller.name, step))
    seconds = scattered / SECOND
    tokens = model.tokens_per_step(run.configuration, run.ranks) / seconds
    delivered = model.flops_per_gpu(run.configuration, run.ranks, seconds)
    return (
        f"step {step:6d} | loss {loss.loss(seed, teller.name, step):.4f} | lr {loss.learning_rate(step):.2e}"
        f" | step time {scattered / MILLISECOND:8.1f} ms | tokens/s {tokens:11.0f}"
        f" | TFLOP/s/GPU {delivered:5.1f} | MFU {100 * delivered / teller.peak:5.2f}%\n"
    )
