"""One thread at a time: its page, its outline, one comment of it, and who claims to be fixing it."""
