"""What is kept: hash-linked JSON lines, sealed to seekable zstd. It knows no types of ours.

Reading order: kinds, record, writer, reader, check, manifest.
"""
