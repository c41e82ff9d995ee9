"""Numen: a large language model that lives in Minecraft as an ordinary player."""
