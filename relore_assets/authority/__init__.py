"""Who had standing in a repository, and when."""
