"""The root directory: Ubuntu 24.04's layout (merged /usr), with the directories that no other file describes."""

from __future__ import annotations

from engine.hostfs.nodes import directory, link
from engine.hostfs.views._dkms_tree import sources

DIRECTORY = directory(
    {
        "bin": link("usr/bin"),
        "lib": link("usr/lib"),
        "lib64": link("usr/lib64"),
        "sbin": link("usr/sbin"),
        "lost+found": directory(mode=0o700),
        "media": directory(),
        "mnt": directory(),
        "srv": directory(),
        "tmp": directory(mode=0o1777),
        "usr": directory(
            {
                "games": directory(),
                "include": directory(),
                "lib64": directory(),
                "libexec": directory(),
                "src": directory(sources),
            }
        ),
        "usr/local": directory(
            {name: directory() for name in ("bin", "etc", "include", "lib", "sbin", "share", "src")}
        ),
        "var": directory(
            {
                "backups": directory(),
                "mail": directory(mode=0o2775, gid=8),
                "tmp": directory(mode=0o1777),
            }
        ),
        "var/crash": directory(mode=0o1777),
        "var/cache": directory(),
    }
)
