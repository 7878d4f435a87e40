"""How the full-screen program looks: themes, colours of states, glyphs."""
