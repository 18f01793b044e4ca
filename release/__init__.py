"""What makes a release: sdist and wheels, their checks, and the table of where they were tried."""
