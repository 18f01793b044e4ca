"""The search over every cut of numeric columns, thresholds="all": how far it goes, and its cost."""
