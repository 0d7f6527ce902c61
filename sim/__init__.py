"""The loop that joins mind, world, channels and log, and the shell around it.

Reading order: kernel, veil, state, session, replay.
"""
