"""Bringing contract tables and judgments into the database: whole or not at all."""
