"""Quizzes: item format, banks, blueprints, sessions, scoring, reports and spaced repetition."""
