"""How creatures decide: goals that bid for controls, and a short-sighted way of walking."""
