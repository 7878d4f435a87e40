"""A host's file tree, and how it is mounted into a shell."""
