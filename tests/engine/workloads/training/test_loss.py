"""Loss curves: falling, scattered little, the same for the same step."""

from __future__ import annotations

from engine.workloads.training import loss


def test_it_falls_towards_what_the_data_leaves() -> None:
    means = [sum(loss.loss(1, "m", step + near) for near in range(20)) / 20 for step in (1, 100, 1000, 10_000, 10**6)]
    assert means == sorted(means, reverse=True)
    assert 9.0 < means[0] < 10.5 and 1.69 < means[-1] < 1.8


def test_noise_belongs_to_the_step() -> None:
    assert loss.loss(1, "m", 500) == loss.loss(1, "m", 500) != loss.loss(2, "m", 500)
    assert all(-1.0 <= loss.noise("x", number) < 1.0 for number in range(100))


def test_the_learning_rate_warms_up_and_falls() -> None:
    assert loss.learning_rate(1000) == 1.5e-4 and loss.learning_rate(2000) == 3.0e-4
    assert 2.9e-5 < loss.learning_rate(10**7) < 3.1e-5
