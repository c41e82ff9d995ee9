"""What MineClawd's mod on a server says to its clients, and its placeholders for things made at run time."""
