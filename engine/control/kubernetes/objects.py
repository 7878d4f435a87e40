"""API objects as plain dictionaries: their parts, times, names and quantities.

An object is what the server returns: {"apiVersion", "kind", "metadata", "spec", "status"}. Times are RFC 3339 with
seconds, as metav1.Time writes them.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import datetime
from functools import lru_cache
from typing import Any

from engine.kernel.calendar import epoch_of, utc
from engine.kernel.random import Stream, hash64
from engine.world.inventory import Inventory

KubeDict = dict[str, Any]

LETTERS = "bcdfghjklmnpqrstvwxz2456789"
"""What generated names consist of (k8s.io/apimachinery/pkg/util/rand): no vowels, no 0, 1 and 3."""

_SUFFIXES = {
    "n": (1, 10**9), "u": (1, 10**6), "m": (1, 1000), "": (1, 1), "k": (1000, 1), "M": (10**6, 1), "G": (10**9, 1),
    "T": (10**12, 1), "P": (10**15, 1), "E": (10**18, 1), "Ki": (1 << 10, 1), "Mi": (1 << 20, 1), "Gi": (1 << 30, 1),
    "Ti": (1 << 40, 1), "Pi": (1 << 50, 1), "Ei": (1 << 60, 1),
}  # fmt: skip


class BadQuantity(ValueError):
    """A text that is no quantity."""


def freeze(thing: Mapping[str, Any]) -> str:
    """An object as it is kept: JSON, keys sorted."""
    return json.dumps(thing, sort_keys=True, separators=(",", ":"))


def thaw(text: str) -> KubeDict:
    """An independent object of a kept one."""
    found: KubeDict = json.loads(text)
    return found


@lru_cache(maxsize=4096)
def seen(text: str) -> KubeDict:
    """The same for somebody who only looks: what is returned is shared, and must not be changed."""
    return thaw(text)


def name_of(thing: Mapping[str, Any]) -> str:
    """Its name."""
    return str(thing["metadata"].get("name", ""))


def namespace_of(thing: Mapping[str, Any]) -> str:
    """Its namespace, "" for objects of the whole cluster."""
    return str(thing["metadata"].get("namespace", ""))


def labels_of(thing: Mapping[str, Any]) -> Mapping[str, str]:
    """Its labels."""
    found: Mapping[str, str] = thing.get("metadata", {}).get("labels") or {}
    return found


def controller_of(thing: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """The owner that controls it, or None."""
    owners = thing["metadata"].get("ownerReferences") or ()
    return next((owner for owner in owners if owner.get("controller")), None)


def owner_reference(owner: Mapping[str, Any]) -> KubeDict:
    """The reference to a controller, as controllers put it into what they make."""
    return {
        "apiVersion": owner["apiVersion"], "blockOwnerDeletion": True, "controller": True, "kind": owner["kind"],
        "name": name_of(owner), "uid": owner["metadata"]["uid"],
    }  # fmt: skip


def time_text(inventory: Inventory, time: int) -> str:
    """`2026-11-30T09:00:00Z` of a moment (ns since the site's start)."""
    return f"{utc(inventory.start + time):%Y-%m-%dT%H:%M:%SZ}"


def time_of(inventory: Inventory, text: str) -> int:
    """The moment (ns since the site's start) of such a text."""
    return epoch_of("Etc/UTC", datetime.fromisoformat(text.replace("Z", "+00:00"))) - inventory.start


def random_name(seed: int, name: str, length: int) -> str:
    """The random part of a generated name; the same `name` gives the same letters."""
    stream = Stream(seed, f"kubernetes/name/{name}")
    return "".join(stream.choice(LETTERS) for _ in range(length))


def uid_of(seed: int, name: str) -> str:
    """A random UUID (version 4)."""
    text = Stream(seed, f"kubernetes/uid/{name}").hexadecimal(32)
    variant = "89ab"[int(text[16], 16) % 4]
    return "-".join((text[:8], text[8:12], "4" + text[13:16], variant + text[17:20], text[20:]))


def safe_encoded(number: int) -> str:
    """A number as hashes of pod templates are written (rand.SafeEncodeString of its decimal digits)."""
    return "".join(LETTERS[ord(digit) % len(LETTERS)] for digit in str(number))


def template_hash(template: Mapping[str, Any]) -> str:
    """The hash of a pod template: 32 bits in safe letters. Which number a template gives is ours: the real one hashes
    Go's text of the structure.
    """
    return safe_encoded(hash64("pod template", freeze(template)) & 0xFFFFFFFF)


def milli(quantity: object) -> int:
    """Thousandths of a quantity such as 500m, 2, 1.5, 64Mi. Raises BadQuantity."""
    text = str(quantity).strip()
    end = next((place for place in range(len(text), 0, -1) if text[place - 1].isdecimal()), 0)
    number, suffix = text[:end], text[end:]
    whole, _, fraction = number.partition(".")
    if suffix not in _SUFFIXES or not (whole.lstrip("+-").isdecimal() and (not fraction or fraction.isdecimal())):
        raise BadQuantity(text)
    factor, divisor = _SUFFIXES[suffix]
    scaled, parts = int(whole + fraction) * factor * 1000, divisor * int("1" + "0" * len(fraction))
    return -(-scaled // parts)


def amount(quantity: object) -> int:
    """A quantity rounded up to whole units. Raises BadQuantity."""
    return -(-milli(quantity) // 1000)


def cores_text(thousandths: int) -> str:
    """CPU as the server writes it: 2, 500m."""
    return str(thousandths // 1000) if thousandths % 1000 == 0 else f"{thousandths}m"


def bytes_text(number: int) -> str:
    """Bytes in the largest binary unit that divides them, as quantities in binary form are written."""
    for suffix, power in (("Ei", 60), ("Pi", 50), ("Ti", 40), ("Gi", 30), ("Mi", 20), ("Ki", 10)):
        if number and number % (1 << power) == 0:
            return f"{number >> power}{suffix}"
    return str(number)
