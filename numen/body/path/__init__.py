"""Finding a way and walking it."""
