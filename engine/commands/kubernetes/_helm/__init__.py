"""Parts of helm."""
