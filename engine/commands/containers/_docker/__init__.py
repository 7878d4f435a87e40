"""What docker's verbs share and do."""
