"""The toolset a companion is born with: one file a family, one small function or class a tool."""
