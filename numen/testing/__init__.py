"""The test kit, for our tests and for those of tool authors. Doubles are transports and clocks, never mocks.

- `numen.testing.simulation.Simulation`: a client, with a body if wanted, on a wire of memory; packets in,
ticks by
  hand, what it sent checked in order.
- `numen.testing.terrain`: small worlds by position or drawn in text; `numen.testing.packets`: fields that
don't matter.
- `numen.testing.link.InMemoryPair`: a client and a server connection with nothing but memory between them.
- `numen.testing.endpoint`: a scripted endpoint in place of a language model; `numen.testing.gemini`: its
  replies in Google's format; `numen.testing.brains`: one that plays through jobs.
- `numen.testing.clock.SteppedClock`: time that only a test moves.
"""
