"""What kubectl's minor releases brought, as far as its output shows it: the first release with each.

Source: tags v0.32.0 to v0.37.0 of kubernetes/kubectl.
"""

PLAIN_ORDER = 31
DAEMON_SET_NAMESPACE = 33
DELETED_FROM = 34
PORT_NAMES = 34
KYAML = 34
QUIETER = 34
EVENT_FIELD = 35
NO_TOKENS = 35
EVENTS_OF_ONE = 36
NO_PROXY_VERSION = 36
TIME_ZONE = 36
ALONE_ONCE = 36
UNDO_WARNING = 36
PROBE_WORDS = 37
DISCOVERY_WORDS = 37
PROJECTED_OPTIONAL = 33
NO_EMPTY_TIMES = 34
"""Objects that the client makes show no `creationTimestamp: null` (apimachinery's omitzero)."""
_KUSTOMIZE = ((36, "v5.8.1"), (34, "v5.7.1"), (33, "v5.6.0"), (0, "v5.5.0"))


def kustomize(minor: int) -> str:
    """The release of kustomize that a client was built with (go.mod)."""
    return next(version for first, version in _KUSTOMIZE if minor >= first)
