"""What the learner has seen: read from what was on the screen, never from the world. No Textual."""
