"""Faultbook: a self-hosted knowledge base of errors. See ``docs/architecture.md`` for the rooms of this package."""
