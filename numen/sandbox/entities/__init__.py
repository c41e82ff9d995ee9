"""Who and what moves in the practice world besides players."""
