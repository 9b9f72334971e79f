-- What people's standing was thought to be, and which texts' tiers rest on it. Until a pass over standing has run, a
-- question as of a date is told today's tiers.
CREATE TABLE relore.authors_then (
    repo_id    integer NOT NULL REFERENCES relore.repos (id) ON DELETE CASCADE,
    login      text NOT NULL,
    seen_until timestamptz NOT NULL,
    starts     timestamptz[] NOT NULL,
    tiers      text[] NOT NULL,
    PRIMARY KEY (repo_id, login, seen_until),
    CHECK (cardinality(tiers) = cardinality(starts) + 1)
);
ALTER TABLE relore.documents ADD COLUMN trust_until timestamptz[], ADD COLUMN trust_then text[];
