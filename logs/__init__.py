"""What is kept: hash-linked JSON lines, sealed to seekable zstd. It knows no types of ours.

Reading order: kinds, faults, record, disk, names, writer, frames, reader, check, manifest, migrate.
"""
