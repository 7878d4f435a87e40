"""Sessions as the full-screen program holds them: terminals to type in, a clock, moves, and a journal. No Textual."""
