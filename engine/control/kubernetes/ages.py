"""Ages as Kubernetes writes them (k8s.io/apimachinery/pkg/util/duration HumanDuration): 45s, 3m12s, 17h, 5d8h, 40d."""

from __future__ import annotations

from engine.kernel.units import SECOND


def human(nanoseconds: int) -> str:
    """A length of time, shortened."""
    seconds = nanoseconds // SECOND
    if seconds < -1:
        return "<invalid>"
    if seconds < 0:
        return "0s"
    if seconds < 120:
        return f"{seconds}s"
    minutes = seconds // 60
    if minutes < 10:
        return _two(minutes, "m", seconds % 60, "s")
    if minutes < 180:
        return f"{minutes}m"
    hours = minutes // 60
    if hours < 8:
        return _two(hours, "h", minutes % 60, "m")
    if hours < 48:
        return f"{hours}h"
    if hours < 192:
        return _two(hours // 24, "d", hours % 24, "h")
    if hours < 24 * 365 * 2:
        return f"{hours // 24}d"
    if hours < 24 * 365 * 8:
        return _two(hours // 24 // 365, "y", hours // 24 % 365, "d")
    return f"{hours // 24 // 365}y"


def _two(first: int, unit: str, second: int, other: str) -> str:
    return f"{first}{unit}{second}{other}" if second else f"{first}{unit}"
