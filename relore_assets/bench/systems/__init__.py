"""Systems that are measured side by side: each is put the same question, under the same bounds, and answers threads."""
