"""What is kept: hash-linked JSON lines, sealed to seekable zstd. It knows no types of ours.

Reading order: kinds, record, writer, claim, seal, frames, lines, reader, check, manifest, migrate;
faults, disk and names are what they all stand on.
"""
