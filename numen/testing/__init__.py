"""The test kit: a simulation without a network, a scripted endpoint, a stepped clock."""
