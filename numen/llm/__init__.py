"""Endpoints that answer: one streaming method, one file a provider."""
