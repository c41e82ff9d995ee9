"""The tool contract: what a tool is, how a call is parsed, what a result looks like. Knows no Minecraft."""
