"""What is kept on disk: the conversation log."""
