"""What a companion may do to its server beyond what a body can: commands, reloads, scripts.

Each is off until the configuration grants it, and passes the gate of `numen.tool.trust`, outside the model.
"""
