"""The truth of one room: things, bodies, skills, light and sound. It imports nothing of ours.

Reading order: spec, room, skills, exposure.
"""
