"""Clean lines into faults, one parser a language."""
