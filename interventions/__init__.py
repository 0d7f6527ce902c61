"""The four channels by which a person reaches the resident, and the one gate before them.

It imports nothing of ours. Reading order: contract, text, lexicon, intake, gate.
"""
