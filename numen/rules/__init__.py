"""The game's formulas as pure functions; body and sandbox both stand on them."""
