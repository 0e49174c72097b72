"""A pasted text into clean lines that know where they came from; secrets."""
