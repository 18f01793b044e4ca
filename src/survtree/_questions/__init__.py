"""Columns as yes/no questions, and which of them are searched."""
