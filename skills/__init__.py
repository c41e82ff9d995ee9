"""Finds, parses and serves Markdown skills."""
