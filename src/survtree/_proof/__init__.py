"""The certificate, the proof file, and a checker that shares no code with the search."""
