"""Parts of lspci: what it knows of each function, how it names it, and its ways of showing it."""
