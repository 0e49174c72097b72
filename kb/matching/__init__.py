"""Matching: from a pasted message, log or stack trace to the records of its errors, with the evidence.

Files and packages, each importing only from those above it:

- ``shapes`` what is read from a text: lines, frames, faults; pure
- ``tuning`` every weight, limit and threshold
- ``answers`` what an explanation holds
- ``reading`` a pasted text into clean lines that know where they came from; secrets; pure
- ``traces`` clean lines into faults, one parser a language; pure
- ``index`` the patterns and facts of a revision, memory-mapped, and finding patterns in a text
- ``engine`` the explanation of a text
"""
