-- Where the words of a question are common, titles and opening posts are looked through first.
CREATE INDEX documents_heads ON relore.documents USING gin (search_vector) WHERE source_type IN ('title', 'body');
