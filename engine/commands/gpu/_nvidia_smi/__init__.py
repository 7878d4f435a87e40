"""The parts of nvidia-smi: one GPU's readings, the field tables over them, and the views that lay them out."""
