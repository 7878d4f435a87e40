"""Parts of crictl."""
