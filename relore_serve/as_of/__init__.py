"""What a thread's head said at a moment: told from dated events, or withheld."""
