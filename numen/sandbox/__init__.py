"""The embedded practice server: a small survival world on the same codec."""
