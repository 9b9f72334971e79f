"""Judge: what people and models said of answers, folded into sets of questions, and the freezing of these."""
