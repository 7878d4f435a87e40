"""Drills, labs and incidents: their format, loading, goals, evidence, scoring, lint and proof."""
