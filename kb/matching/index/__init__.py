"""The patterns and facts of a revision, memory-mapped, and finding patterns in a text."""
