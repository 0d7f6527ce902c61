"""The resident's mind. It imports nothing of ours, so it cannot see what it has not perceived.

Reading order: percept, skill, mind, absorb, candidates, attraction, arbiter, round.
"""
