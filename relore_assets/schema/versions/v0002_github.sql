-- Fetching over HTTP.

-- What was removed at the source or on request: that it existed, and when it went; nothing of what it said.
-- kind: thread (object_id = number), issue_comment, review, review_comment. Nothing with a tombstone is staged again;
-- one that says 'deleted' is lifted when the object reappears at the source, 'forgotten' never is.
CREATE TABLE relore.tombstones (
    repo_id       integer NOT NULL REFERENCES relore.repos (id) ON DELETE CASCADE,
    kind          text NOT NULL CHECK (kind IN ('thread', 'issue_comment', 'review', 'review_comment')),
    object_id     text NOT NULL,
    thread_number integer NOT NULL,
    reason        text NOT NULL CHECK (reason IN ('deleted', 'transferred', 'forgotten')),
    removed_at    timestamptz NOT NULL,
    PRIMARY KEY (repo_id, kind, object_id)
);

-- People whose words were removed on request and may not return; only a digest of the login is kept.
CREATE TABLE relore.forgotten_authors (
    repo_id      integer NOT NULL REFERENCES relore.repos (id) ON DELETE CASCADE,
    login_digest bytea NOT NULL,                -- blake2b-128 of the lower-case login
    forgotten_at timestamptz NOT NULL,
    PRIMARY KEY (repo_id, login_digest)
);

-- What GitHub's permission endpoint said of an account, and when it was asked.
CREATE TABLE relore.permissions (
    repo_id    integer NOT NULL REFERENCES relore.repos (id) ON DELETE CASCADE,
    login      text NOT NULL,                   -- lower case
    permission text NOT NULL,                   -- admin, maintain, write, triage, read, none
    checked_at timestamptz NOT NULL,
    PRIMARY KEY (repo_id, login)
);

-- A declared part of a history: only threads updated since the floor were fetched, each whole. Written before the
-- first request, so that an interrupted sample never looks like a whole history.
CREATE TABLE relore.samples (
    repo_id     integer NOT NULL REFERENCES relore.repos (id) ON DELETE CASCADE,
    kind        text NOT NULL CHECK (kind IN ('issue', 'pr')),
    merged_only boolean NOT NULL DEFAULT false,
    floor       timestamptz NOT NULL,
    declared_at timestamptz NOT NULL,
    PRIMARY KEY (repo_id, kind, merged_only)
);

-- What a fetching run is doing, and what it has cost; kept after its end. One row per run and pass.
CREATE TABLE relore.fetch_activity (
    repo_id        integer NOT NULL REFERENCES relore.repos (id) ON DELETE CASCADE,
    run_id         text NOT NULL,
    pass           text NOT NULL,               -- fetch, poll, sweep, authority, sample, refresh
    started_at     timestamptz NOT NULL,
    seen_at        timestamptz NOT NULL,        -- the last sign of life
    ended_at       timestamptz,
    doing          text,                        -- in words: issues since 2024-01-01, page 7
    waiting_for    text,                        -- why it waits, while it does
    waiting_until  timestamptz,
    done           bigint NOT NULL DEFAULT 0,
    total          bigint,
    requests       jsonb NOT NULL DEFAULT '{}', -- by endpoint
    not_modified   bigint NOT NULL DEFAULT 0,
    points         bigint NOT NULL DEFAULT 0,   -- GraphQL
    retries        jsonb NOT NULL DEFAULT '{}', -- by reason
    waited_seconds double precision NOT NULL DEFAULT 0,
    error          text,
    PRIMARY KEY (repo_id, run_id, pass)
);

-- The newest word of GitHub on each quota of a token, which is named by its place in the configuration.
CREATE TABLE relore.quotas (
    token_name text NOT NULL,
    resource   text NOT NULL,                   -- core, graphql, search
    allowed    integer NOT NULL,
    remaining  integer NOT NULL,
    resets_at  timestamptz NOT NULL,
    seen_at    timestamptz NOT NULL,
    PRIMARY KEY (token_name, resource)
);

-- The books of a repository as they were last added up, so that reading status costs one row.
CREATE TABLE relore.books (
    repo_id    integer PRIMARY KEY REFERENCES relore.repos (id) ON DELETE CASCADE,
    counted_at timestamptz NOT NULL,
    facts      jsonb NOT NULL
);

GRANT SELECT ON ALL TABLES IN SCHEMA relore TO relore_reader;
