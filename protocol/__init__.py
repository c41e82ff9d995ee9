"""The wire: framing, states, codec, NBT, chunks, registries, and the game's data tables.

This package knows bytes and nothing of what a companion does with them.
"""
