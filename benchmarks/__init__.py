"""The goals in figures, measured beside a reference tick. Run: python -m benchmarks.goals [S1 S2 S5 S8].

Reading order: _limit, goals.
"""
