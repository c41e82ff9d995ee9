"""The mind: inbox, turn, prompt, loop. Knows tools and endpoints, never packets."""
