"""What a loss curve looks like: it falls with the square root of the steps towards what the data leaves (1.69, as the
scaling laws of Hoffmann et al. have it), with noise from step to step; the learning rate warms up and falls linearly.

The law takes + - * / and sqrt alone, so that every platform prints the same digits.
"""

from __future__ import annotations

from math import sqrt

from engine.kernel.random import hash64

_FIRST, _LEFT = 10.4, 1.69
_HALVED = 40.0
_NOISE = 0.012
_WARM_UP, _DECAY = 2_000, 200_000
_PEAK_RATE = 3.0e-4
_LEAST_SHARE = 0.1


def noise(*parts: object) -> float:
    """Uniform in -1..1, named by `parts`."""
    return hash64(*parts) / (1 << 63) - 1.0


def loss(seed: int, name: str, step: int) -> float:
    """Cross entropy of a step of the model `name`."""
    mean = _LEFT + (_FIRST - _LEFT) / sqrt(1.0 + step / _HALVED)
    return mean * (1.0 + _NOISE * noise(seed, "loss", name, step))


def learning_rate(step: int) -> float:
    """The learning rate of a step."""
    if step < _WARM_UP:
        return _PEAK_RATE * step / _WARM_UP
    gone = min(1.0, (step - _WARM_UP) / _DECAY)
    return _PEAK_RATE * (1.0 - (1.0 - _LEAST_SHARE) * gone)
