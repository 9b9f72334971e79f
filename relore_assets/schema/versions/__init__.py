"""The steps that lead to `schema.sql`, in the order of their numbers; each is the .sql file of its name."""
