ALTER TABLE relore.documents ADD COLUMN noise boolean NOT NULL DEFAULT false;  -- says nothing of the subject

-- Parts of words are looked up in an index of trigrams. pg_trgm comes with Postgres and whoever may create things in the
-- database may create it; on a server without it all words are read, which takes some 0.15 s for half a million.
DO $$
BEGIN
    CREATE EXTENSION IF NOT EXISTS pg_trgm WITH SCHEMA relore;
    EXECUTE format(
        'CREATE INDEX term_stats_parts ON relore.term_stats USING gin (lexeme %s.gin_trgm_ops)',
        (SELECT e.extnamespace::regnamespace FROM pg_extension e WHERE e.extname = 'pg_trgm')
    );
EXCEPTION WHEN undefined_file OR feature_not_supported OR insufficient_privilege THEN
    RAISE NOTICE 'pg_trgm is not to be had (%): parts of words will be looked for by reading all words', SQLERRM;
END
$$;
