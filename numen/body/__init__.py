"""The player: its tick, its legs, its hands."""
