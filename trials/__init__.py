"""What to run and what it showed: metrics, oracle, batches, results, experiments.

Reading order: metrics, oracle, supervisor, store.
"""
