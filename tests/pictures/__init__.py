"""The pictures of the README, taken of the real program while it is played: `make pictures`."""
