"""What the server told us: chunks, entities, players, inventory, time, chat."""
