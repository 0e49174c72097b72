"""Matching: from a pasted message, log or stack trace to the records of its errors, with the evidence.

Files and packages, each importing only from those above it:

- ``shapes`` what is read from a text: lines, frames, faults; pure
- ``tuning`` every weight, limit and threshold
- ``runtime`` what interpreters and systems say themselves; pure
- ``languages`` which languages run together; pure
- ``usual_words`` how common words are in error messages anywhere; pure
- ``paths`` paths of frames against paths of records; pure
- ``answers`` what an explanation holds
- ``reading`` a pasted text into clean lines that know where they came from; secrets; pure
- ``traces`` clean lines into faults, one parser a language; pure
- ``index`` the patterns and facts of a revision, memory-mapped, and finding patterns in a text
- ``question`` what one fault asks of the index
- ``joining`` a message without the breaks that a width made; pure
- ``candidates`` the records that a fault is compared with
- ``evidence`` what speaks for and against a record
- ``nearby`` records that share words with a message that fits none
- ``ranking`` order and confidence
- ``captures`` the values that the gaps of a message took
- ``hiding`` the fields of a fault without the secrets of its text; pure
- ``marks`` the parts of a text that matter
- ``engine`` the explanation of a text
- ``filling`` a record's message as a program prints it; pure
- ``fidelity`` whether every record is found by its own message
- ``windows`` a log of any size, piece by piece; pure
- ``occurrences`` every place of every pattern in a text of many lines
- ``sightings`` what patterns a log holds, how often and where
- ``scanning`` the known errors of logs
"""
