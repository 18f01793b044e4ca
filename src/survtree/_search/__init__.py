"""A problem and its search: settings, progress, reference models, replay files."""
