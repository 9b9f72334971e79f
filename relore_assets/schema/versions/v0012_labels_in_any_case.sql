CREATE FUNCTION relore.in_lower_case(words text[]) RETURNS text[]
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    RETURN ARRAY(SELECT lower(w.word) FROM unnest(words) AS w (word));
DROP INDEX relore.threads_labels;
CREATE INDEX threads_labels ON relore.threads USING gin (relore.in_lower_case(labels));
