"""Items for other programs, and from them: GIFT, Aiken, Moodle XML, CSV, Anki."""
