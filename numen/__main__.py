"""`python -m numen`, and the command `numen`."""


def start() -> int:
    """Run the command line. Ctrl-C while it is still being loaded ends it without a word."""
    try:
        from numen.cli import main

        return main()
    except KeyboardInterrupt:
        return 130


if __name__ == "__main__":
    raise SystemExit(start())
