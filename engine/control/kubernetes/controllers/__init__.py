"""Controllers of the controller manager, one module each: what they do when an object that they watch changes."""
