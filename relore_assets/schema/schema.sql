-- The whole shape of the relore database. Migrations, run from the first to the last, must end exactly here.
-- Everything lives in schema relore. Numbers are unique per repository only: every join carries repo_id.
-- Readers connect as a member of relore_reader, which may SELECT and nothing else.

CREATE SCHEMA IF NOT EXISTS relore;

-- Repositories. full_name is spelled as GitHub spells it; look-ups ignore case.
CREATE TABLE relore.repos (
    id              integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    full_name       text NOT NULL CHECK (full_name ~ '^[A-Za-z0-9][A-Za-z0-9-]*/[A-Za-z0-9._-]+$'),
    source_kind     text NOT NULL CHECK (source_kind IN ('archive', 'api')),
    source_location text NOT NULL,
    added_at        timestamptz NOT NULL DEFAULT now()
);
CREATE UNIQUE INDEX repos_full_name ON relore.repos (lower(full_name));

-- What GitHub said, verbatim but for secrets, characters Postgres cannot hold, and source text (patches).
-- kind: issue, pull, pull_detail, issue_comment, review, review_comment, event, pull_commits, pull_files,
-- pull_closing. The last three hold one pull request's complete list, {"number": n, "items": [...]}, object_id =
-- the number; pull_detail holds what only the single pull request tells (merged_by, counts). It and issue_detail say
-- as of when a thread was read in detail, and what of it GitHub did not give ("unread").
CREATE TABLE relore.raw_objects (
    repo_id           integer NOT NULL REFERENCES relore.repos (id) ON DELETE CASCADE,
    kind              text NOT NULL,
    object_id         text NOT NULL,
    thread_number     integer NOT NULL,
    payload           jsonb NOT NULL,
    payload_hash      bytea NOT NULL,           -- blake2b-128 of the canonical JSON that was stored
    github_updated_at timestamptz,              -- the object's own, else its thread's
    fetched_at        timestamptz NOT NULL,
    source            text NOT NULL CHECK (source IN ('archive', 'api')),
    redaction_version integer NOT NULL,
    redactions        integer NOT NULL DEFAULT 0,  -- secrets replaced in this payload
    replacements      integer NOT NULL DEFAULT 0,  -- NUL and lone surrogates replaced by U+FFFD
    PRIMARY KEY (repo_id, kind, object_id)
);
CREATE INDEX raw_objects_thread ON relore.raw_objects (repo_id, thread_number);
CREATE INDEX raw_objects_updated ON relore.raw_objects (repo_id, github_updated_at);
CREATE INDEX raw_objects_cleaned ON relore.raw_objects (repo_id) WHERE redactions > 0 OR replacements > 0;

-- Progress and freshness of every pass. window_start is the first day of a quarter; '0001-01-01' means the
-- pass has no windows. stated is what the source says there is; skipped counts by reason.
CREATE TABLE relore.sync_state (
    repo_id      integer NOT NULL REFERENCES relore.repos (id) ON DELETE CASCADE,
    pass         text NOT NULL,                 -- import:issues, derive, authority, term_stats, ...
    window_start date NOT NULL DEFAULT '0001-01-01',
    high_water   timestamptz,
    cursor       text,
    etag         text,
    last_run_at  timestamptz,
    last_ok_at   timestamptz,
    stated       bigint,
    done         bigint,
    skipped      jsonb NOT NULL DEFAULT '{}',
    error        text,
    PRIMARY KEY (repo_id, pass, window_start)
);

-- Lines of an archive that could not be read, named so that they can be mended.
CREATE TABLE relore.rejected_lines (
    repo_id integer NOT NULL REFERENCES relore.repos (id) ON DELETE CASCADE,
    file    text NOT NULL,                      -- relative to the archive
    line    bigint NOT NULL,                    -- first line is 1
    reason  text NOT NULL,
    PRIMARY KEY (repo_id, file, line)
);

CREATE TABLE relore.threads (
    id                        bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    repo_id                   integer NOT NULL REFERENCES relore.repos (id) ON DELETE CASCADE,
    number                    integer NOT NULL,
    kind                      text NOT NULL CHECK (kind IN ('issue', 'pr')),
    title                     text NOT NULL,
    author                    text NOT NULL,    -- 'ghost' where the account is gone
    author_association        text,
    state                     text NOT NULL CHECK (state IN ('open', 'closed')),
    state_reason              text,
    draft                     boolean NOT NULL DEFAULT false,
    merged                    boolean NOT NULL DEFAULT false,
    locked                    boolean NOT NULL DEFAULT false,
    closed_by                 text,
    merged_by                 text,
    merge_sha                 text,
    labels                    text[] NOT NULL DEFAULT '{}',
    requested_reviewers       text[] NOT NULL DEFAULT '{}',  -- logins, and teams as @org/team
    -- What GitHub counts on the thread's head, and what is held. NULL: GitHub did not say.
    stated_comments           integer,
    stated_review_comments    integer,
    stated_commits            integer,
    stated_files              integer,
    collected_comments        integer NOT NULL DEFAULT 0,
    collected_reviews         integer NOT NULL DEFAULT 0,
    collected_review_comments integer NOT NULL DEFAULT 0,
    collected_commits         integer,          -- NULL: no list was collected
    collected_files           integer,          -- NULL: no list was collected
    url                       text NOT NULL,
    created_at                timestamptz NOT NULL,
    updated_at                timestamptz NOT NULL,
    closed_at                 timestamptz,
    merged_at                 timestamptz,
    indexed_at                timestamptz NOT NULL,  -- when this thread was last written from what is staged
    input_hash                bytea NOT NULL,        -- of everything the rows were derived from
    -- Fields whose values before today thread_events does not tell: they are not to be guessed.
    undated                   text[] NOT NULL DEFAULT '{title,state,draft,locked,labels,requested_reviewers}',
    UNIQUE (repo_id, number)
);
CREATE INDEX threads_author ON relore.threads (repo_id, lower(author));
-- Labels are asked for in any case.
CREATE FUNCTION relore.in_lower_case(words text[]) RETURNS text[]
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    RETURN ARRAY(SELECT lower(w.word) FROM unnest(words) AS w (word));
CREATE INDEX threads_labels ON relore.threads USING gin (relore.in_lower_case(labels));
CREATE INDEX threads_updated ON relore.threads (repo_id, updated_at);
CREATE INDEX threads_created ON relore.threads (repo_id, created_at, id);
-- Pull requests of which no list of changed files is held, or a part of one.
CREATE INDEX threads_untested ON relore.threads (repo_id)
    WHERE kind = 'pr'
      AND (collected_files IS NULL OR stated_files IS NULL OR collected_files < stated_files);
CREATE INDEX threads_labels_undated ON relore.threads (repo_id, updated_at) WHERE 'labels' = ANY (undated);

-- What changed a thread's head, and when, as far as the source tells; threads.undated says what that is not enough for.
--   event                                      value                       previous
--   closed, reopened, merged, converted_to_discussion
--                                              reason of a closing         -
--   renamed                                    the new title               the one before
--   labeled, unlabeled                         the label                   -
--   ready_for_review, convert_to_draft, locked, unlocked
--                                              -                           -
--   review_requested, review_request_removed   login, or team as @org/team -
--   reviewed (answers a request)               login                       -
--   review_dismissed                           GitHub's id of the review   its verdict until then
CREATE TABLE relore.thread_events (
    repo_id   integer NOT NULL,
    thread_id bigint NOT NULL REFERENCES relore.threads (id) ON DELETE CASCADE,
    position  integer NOT NULL,                 -- in the order in which it happened, from 0
    event     text NOT NULL,
    at        timestamptz NOT NULL,
    actor     text,
    value     text,
    previous  text,
    PRIMARY KEY (thread_id, position)
);
CREATE INDEX thread_events_labels ON relore.thread_events (repo_id, lower(value))
    WHERE event IN ('labeled', 'unlabeled');

-- One row per title, body, comment, review, inline comment and commit message; several when long.
-- source_type: title, body, issue_comment, review, review_comment, commit.
-- trust: authoritative, reported, unresolved (team member, write access not confirmed), machine.
CREATE TABLE relore.documents (
    id                 bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    repo_id            integer NOT NULL,
    thread_id          bigint NOT NULL REFERENCES relore.threads (id) ON DELETE CASCADE,
    source_type        text NOT NULL,
    source_id          text NOT NULL,           -- GitHub's id; the number for title and body; the sha
    chunk_index        smallint NOT NULL,       -- from 0
    chunk_count        smallint NOT NULL,
    author             text NOT NULL,
    author_association text,
    trust              text NOT NULL CHECK (trust IN ('authoritative', 'reported', 'unresolved', 'machine')),
    url                text NOT NULL,
    body               text NOT NULL,           -- Markdown as GitHub holds it, redacted
    search_vector      tsvector NOT NULL,
    lexemes            integer NOT NULL,        -- length of the text in positions, for normalisation
    unsearchable       integer NOT NULL DEFAULT 0,  -- tokens too long to index
    created_at         timestamptz,             -- reviews: when submitted; commits: when committed
    updated_at         timestamptz,
    path               text,
    line               integer,
    original_line      integer,
    side               text,
    in_reply_to        text,
    commit_sha         text,
    enclosing_symbol   text,                    -- from the hunk header GitHub shows above the comment
    review_id          text,
    review_state       text,                    -- APPROVED, CHANGES_REQUESTED, COMMENTED, DISMISSED
    content_hash       bytea NOT NULL,          -- of everything above but ids and trust
    machine            boolean NOT NULL DEFAULT false,  -- by a bot's account, or nothing but commands to one:
                                                -- machine tier whatever the author's standing
    noise              boolean NOT NULL DEFAULT false,  -- says nothing of the subject
    -- Where later evidence moved the tier: as seen up to and at trust_until[i], it was trust_then[i]. NULL: ever the same.
    trust_until        timestamptz[],
    trust_then         text[],
    UNIQUE (thread_id, source_type, source_id, chunk_index)
);
-- Stays in the row, where it is read of every text that is scored.
ALTER TABLE relore.documents ALTER COLUMN search_vector SET STORAGE MAIN;
CREATE INDEX documents_search ON relore.documents USING gin (search_vector);
-- Of common words, these are looked through first.
CREATE INDEX documents_heads ON relore.documents USING gin (search_vector) WHERE source_type IN ('title', 'body');
CREATE INDEX documents_author ON relore.documents (repo_id, lower(author));
CREATE INDEX documents_created ON relore.documents (repo_id, created_at);
CREATE INDEX documents_source ON relore.documents (repo_id, source_type, source_id);
CREATE INDEX documents_edited ON relore.documents (repo_id, updated_at, created_at)
    WHERE chunk_index = 0 AND updated_at > created_at;
CREATE INDEX documents_path ON relore.documents (repo_id, md5(path)) WHERE path IS NOT NULL;

-- What an edit or a deletion replaced. Never searched.
CREATE TABLE relore.document_versions (
    id            bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    repo_id       integer NOT NULL REFERENCES relore.repos (id) ON DELETE CASCADE,
    thread_number integer NOT NULL,
    source_type   text NOT NULL,
    source_id     text NOT NULL,
    chunk_index   smallint NOT NULL,
    author        text NOT NULL,
    body          text NOT NULL,
    content_hash  bytea NOT NULL,
    updated_at    timestamptz,                  -- GitHub's date of the replaced text
    replaced_at   timestamptz NOT NULL,
    reason        text NOT NULL CHECK (reason IN ('edited', 'deleted'))
);
CREATE INDEX document_versions_source ON relore.document_versions (repo_id, source_type, source_id);

-- Exact facts read off one document.
--   kind    value                                    tail (what look-ups use)
--   error   message in normal form, may be ''        type: ValueError, panic, gcc, ld, ...
--   test    node id as written                       function name without parameters, or last part
--   symbol  as written, Foo.bar                      last part, bar
--   file    path                                     base name
--   sha     hexadecimal digits as written            first 7
-- source: diff, anchor, prose, frame, definition, code, hunk (enclosing definition of a review comment).
CREATE TABLE relore.signals (
    repo_id       integer NOT NULL,
    document_id   bigint NOT NULL REFERENCES relore.documents (id) ON DELETE CASCADE,
    kind          text NOT NULL CHECK (kind IN ('error', 'test', 'symbol', 'file', 'sha')),
    value         text NOT NULL,
    tail          text NOT NULL,
    source        text NOT NULL,
    first_seen_at timestamptz,
    thread_id     bigint NOT NULL               -- the document's, so that it is known without reading that
);
CREATE INDEX signals_tail ON relore.signals (repo_id, kind, tail);
CREATE INDEX signals_document ON relore.signals (document_id);

-- A pull request's diff, complete when threads.collected_files = threads.stated_files.
CREATE TABLE relore.changed_files (
    repo_id       integer NOT NULL,
    thread_id     bigint NOT NULL REFERENCES relore.threads (id) ON DELETE CASCADE,
    path          text NOT NULL,
    tail          text NOT NULL,                -- base name
    change_type   text NOT NULL,                -- GitHub's status: added, modified, removed, renamed, ...
    additions     integer NOT NULL,
    deletions     integer NOT NULL,
    previous_path text
);
-- By digest: git allows paths longer than an index entry can be.
CREATE UNIQUE INDEX changed_files_path ON relore.changed_files (thread_id, md5(path));
CREATE INDEX changed_files_tail_thread ON relore.changed_files (repo_id, tail, thread_id);
-- A renamed file is asked for by its old name too.
CREATE INDEX changed_files_previous_tail ON relore.changed_files (repo_id, substring(previous_path FROM '[^/]*$'), thread_id)
    WHERE previous_path IS NOT NULL;

-- Claims, with the target's name and number as claimed; whether it is indexed is asked when the question is.
-- relation: closes, duplicates, reverts, supersedes, mentions.
-- source: the source_type of the document that says it, or event, or github (closing references).
CREATE TABLE relore.links (
    repo_id       integer NOT NULL,
    thread_id     bigint NOT NULL REFERENCES relore.threads (id) ON DELETE CASCADE,
    document_id   bigint REFERENCES relore.documents (id) ON DELETE CASCADE,
    relation      text NOT NULL CHECK (relation IN ('closes', 'duplicates', 'reverts', 'supersedes', 'mentions')),
    target_repo   text NOT NULL,                -- owner/name in lower case
    target_number integer NOT NULL,
    source        text NOT NULL,
    stated_at     timestamptz
);
CREATE INDEX links_target ON relore.links (target_repo, target_number);
CREATE INDEX links_thread ON relore.links (thread_id);
CREATE INDEX links_document ON relore.links (document_id);

-- Decisive reviews, one row per review. The decision of a pull request is computed when it is asked for: the
-- latest verdict of each person, weighed by that person's standing at its date. DISMISSED withdraws.
CREATE TABLE relore.verdicts (
    repo_id   integer NOT NULL,
    thread_id bigint NOT NULL REFERENCES relore.threads (id) ON DELETE CASCADE,
    review_id  text NOT NULL,
    author    text NOT NULL,
    verdict   text NOT NULL CHECK (verdict IN ('APPROVED', 'CHANGES_REQUESTED', 'DISMISSED')),
    stated_at timestamptz,
    commit_sha text,                            -- the commit that was reviewed
    PRIMARY KEY (thread_id, review_id)
);

-- Standing by date. An interval is [from_at, to_at); NULL means unbounded. Where none covers a date, the
-- author is reported. tier: authoritative, unresolved, machine.
-- reason: owner, member, collaborator (association), merged, acted, reviewed (dated acts), permission (GitHub's answer),
-- bot (account type or name), configured.
CREATE TABLE relore.authors (
    repo_id integer NOT NULL REFERENCES relore.repos (id) ON DELETE CASCADE,
    login   text NOT NULL,                      -- lower case
    tier    text NOT NULL CHECK (tier IN ('authoritative', 'unresolved', 'machine')),
    reason  text NOT NULL,
    from_at timestamptz,
    to_at   timestamptz,
    UNIQUE NULLS NOT DISTINCT (repo_id, login, from_at)
);

-- Standing as it was known earlier, where that differs from authors: by the evidence from before the moment of asking.
-- A row is what was seen up to and at seen_until, since the row before it; after the last, authors holds.
CREATE TABLE relore.authors_then (
    repo_id    integer NOT NULL REFERENCES relore.repos (id) ON DELETE CASCADE,
    login      text NOT NULL,                   -- lower case
    seen_until timestamptz NOT NULL,
    starts     timestamptz[] NOT NULL,          -- dates at which the tier changed, in order
    tiers      text[] NOT NULL,                 -- before the first of them, then from each on; reported is named, too
    PRIMARY KEY (repo_id, login, seen_until),
    CHECK (cardinality(tiers) = cardinality(starts) + 1)
);

-- Commit to thread, and how that is known: pull (listed in the pull request), merge (its merge commit).
CREATE TABLE relore.commits (
    repo_id      integer NOT NULL,
    sha          text NOT NULL,
    thread_id    bigint NOT NULL REFERENCES relore.threads (id) ON DELETE CASCADE,
    how          text NOT NULL CHECK (how IN ('pull', 'merge')),
    position     integer,                       -- in the pull request's list, from 0
    author_name  text,
    author_login text,
    authored_at  timestamptz,
    committed_at timestamptz,
    subject      text,
    PRIMARY KEY (thread_id, sha, how)
);
CREATE INDEX commits_sha ON relore.commits (repo_id, sha text_pattern_ops);

-- How many documents carry a lexeme. Batches append to term_deltas in the transaction that writes their
-- documents; folding adds them up, so that parallel batches never wait for each other's common words.
CREATE TABLE relore.term_stats (
    repo_id   integer NOT NULL REFERENCES relore.repos (id) ON DELETE CASCADE,
    lexeme    text NOT NULL COLLATE "C",
    documents bigint NOT NULL,
    PRIMARY KEY (repo_id, lexeme)
);
-- What of a word is asked for is looked up here. A server without pg_trgm goes without, and reads all words.
CREATE EXTENSION IF NOT EXISTS pg_trgm WITH SCHEMA relore;
CREATE INDEX term_stats_parts ON relore.term_stats USING gin (lexeme relore.gin_trgm_ops);
CREATE TABLE relore.term_deltas (
    repo_id integer NOT NULL REFERENCES relore.repos (id) ON DELETE CASCADE,
    lexeme  text NOT NULL COLLATE "C",
    delta   bigint NOT NULL
);
CREATE INDEX term_deltas_repo ON relore.term_deltas (repo_id);

-- Sizes that scoring needs, one row per repository, written by the same fold.
CREATE TABLE relore.repo_stats (
    repo_id   integer PRIMARY KEY REFERENCES relore.repos (id) ON DELETE CASCADE,
    threads   bigint NOT NULL,
    documents bigint NOT NULL,
    lexemes   bigint NOT NULL                   -- sum of documents.lexemes
);

-- Which version of each rule the rows were written with; status compares it with the code's.
CREATE TABLE relore.rule_versions (
    repo_id integer NOT NULL REFERENCES relore.repos (id) ON DELETE CASCADE,
    rule    text NOT NULL,                      -- redaction, signals, tokens, chunks, derive
    version integer NOT NULL,
    PRIMARY KEY (repo_id, rule)
);

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

-- What GitHub's permission endpoint said of an account: one row for as long as the answer stays the same, so that
-- what held at a past check is not forgotten by the next.
CREATE TABLE relore.permissions (
    repo_id    integer NOT NULL REFERENCES relore.repos (id) ON DELETE CASCADE,
    login      text NOT NULL,                   -- lower case
    permission text NOT NULL,                   -- admin, maintain, write, triage, read, none
    checked_at timestamptz NOT NULL,            -- when it was last said
    since      timestamptz NOT NULL,            -- when it was first said
    PRIMARY KEY (repo_id, login, since)
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
    worked_seconds double precision NOT NULL DEFAULT 0,  -- behind done, waits left out
    PRIMARY KEY (repo_id, run_id, pass)
);
CREATE INDEX fetch_activity_last ON relore.fetch_activity (repo_id, pass, started_at DESC, run_id);
CREATE INDEX fetch_activity_open ON relore.fetch_activity (repo_id) WHERE ended_at IS NULL;

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

-- Finished pull requests: merged, or closed unmerged, which is a rejected attempt. Nothing here is a copy of what somebody
-- wrote: problem_id and words_id name documents, without a foreign key, so that a derive need not look here when it
-- writes. A document that has gone since is found missing when it is asked for.
CREATE TABLE relore.precedents (
    repo_id        integer NOT NULL REFERENCES relore.repos (id) ON DELETE CASCADE,
    thread_id      bigint PRIMARY KEY REFERENCES relore.threads (id) ON DELETE CASCADE,  -- the pull request
    outcome        text NOT NULL CHECK (outcome IN ('merged', 'rejected')),
    finished_at    timestamptz NOT NULL,        -- when it was merged, else when it was last closed
    kind           text CHECK (kind IN ('bug_fix', 'feature', 'refactor', 'deprecation')),  -- NULL: nothing says so
    kind_evidence  text,                        -- title prefix fix:, label bug, label bug of #12, title word fixes
    title_kind     text,                        -- what the title alone says; labels bear no date here
    title_evidence text,
    rounds         integer NOT NULL,            -- states of the branch that others reviewed
    reviewers      integer NOT NULL,            -- others, machines left out, who reviewed
    problem_id     bigint,                      -- the opening post of the issue, else of the pull request
    words_id       bigint,                      -- why it was merged or not, in the words of somebody who may say
    words_how      text CHECK (words_how IN ('merge', 'approval', 'last word', 'closing', 'near the closing'))
);
CREATE INDEX precedents_finished ON relore.precedents (repo_id, finished_at);

-- What belongs to a precedent besides its pull request. role: issue (it closed, or meant to), attempt (a rejected pull
-- request for the same), revert (a merged one that took it back). how: linked (somebody claims it), inferred.
CREATE TABLE relore.precedent_threads (
    repo_id      integer NOT NULL REFERENCES relore.repos (id) ON DELETE CASCADE,
    precedent_id bigint NOT NULL REFERENCES relore.precedents (thread_id) ON DELETE CASCADE,
    thread_id    bigint NOT NULL REFERENCES relore.threads (id) ON DELETE CASCADE,
    role         text NOT NULL CHECK (role IN ('issue', 'attempt', 'revert')),
    how          text NOT NULL CHECK (how IN ('linked', 'inferred')),
    evidence     text NOT NULL,                 -- closes (commit), mentions both ways, closes the same issue, ...
    document_id  bigint,                        -- the document that says so, where one does
    since        timestamptz NOT NULL,          -- from when on this could be known
    PRIMARY KEY (precedent_id, thread_id, role)
);
CREATE INDEX precedent_threads_thread ON relore.precedent_threads (thread_id);

-- Questions whose answers the record knows or may know, mined from one repository; see relore_assets/mine/example.py.
CREATE TABLE relore.candidates (
    repo_id    integer NOT NULL REFERENCES relore.repos (id) ON DELETE CASCADE,
    id         text NOT NULL,                   -- of what is asked: the same text asked again has the same id
    slice      text NOT NULL,
    question   jsonb NOT NULL,                  -- query, filters and kind, to be looked at
    asked_at   timestamptz NOT NULL,            -- when the asking text was written
    body       jsonb NOT NULL,                  -- the example whole
    mined_with text NOT NULL,                   -- versions of the rules: signals 4, tokens 3, derive 7, mine 1
    PRIMARY KEY (repo_id, id)
);
CREATE INDEX candidates_slice ON relore.candidates (repo_id, slice);

-- Sets of questions. A frozen one does not change any more, but for what is forgotten.
CREATE TABLE relore.bench_sets (
    repo_id   integer NOT NULL REFERENCES relore.repos (id) ON DELETE CASCADE,
    name      text NOT NULL,
    frozen_at timestamptz,
    split     timestamptz,                      -- asked before: part fit; since: part held-out
    digest    text NOT NULL,                    -- sha256 of the set's lines
    header    jsonb NOT NULL,                   -- the first line of its file
    PRIMARY KEY (repo_id, name)
);

-- The questions of the sets, as they were frozen.
CREATE TABLE relore.bench_examples (
    repo_id  integer NOT NULL,
    set_name text NOT NULL,
    id       text NOT NULL,
    slice    text NOT NULL,
    part     text NOT NULL CHECK (part IN ('fit', 'held-out')),
    body     jsonb NOT NULL,
    PRIMARY KEY (repo_id, set_name, id),
    FOREIGN KEY (repo_id, set_name) REFERENCES relore.bench_sets (repo_id, name) ON DELETE CASCADE
);

-- What somebody, or the record, or a model says of one thread as the answer to one question.
CREATE TABLE relore.judgements (
    repo_id    integer NOT NULL REFERENCES relore.repos (id) ON DELETE CASCADE,
    set_name   text NOT NULL,
    example_id text NOT NULL,
    number     integer NOT NULL,                -- of the judged thread
    verdict    text NOT NULL CHECK (verdict IN ('relevant', 'decisive', 'not_relevant')),
    judged_by  text NOT NULL CHECK (judged_by IN ('record', 'human', 'model')),
    why        text,
    judged_at  timestamptz,
    body       jsonb,
    PRIMARY KEY (repo_id, set_name, example_id, number, judged_by)
);

-- What each system answered to a set's questions, and what that is worth. One row per run and system.
CREATE TABLE relore.bench_runs (
    repo_id       integer NOT NULL REFERENCES relore.repos (id) ON DELETE CASCADE,
    run_id        text NOT NULL,
    system        text NOT NULL,
    set_name      text NOT NULL,
    set_digest    text NOT NULL,
    configuration jsonb NOT NULL,               -- everything that decides an answer: ranking, engine, versions
    started_at    timestamptz NOT NULL,
    metrics       jsonb NOT NULL,               -- by slice and part
    results       jsonb NOT NULL,               -- an array, one object with its example's id per question
    accepted      boolean NOT NULL DEFAULT false,  -- what later runs are held against
    PRIMARY KEY (repo_id, run_id, system)
);
CREATE INDEX bench_runs_set ON relore.bench_runs (repo_id, set_name, started_at DESC);

GRANT USAGE ON SCHEMA relore TO relore_reader;
GRANT SELECT ON ALL TABLES IN SCHEMA relore TO relore_reader;
ALTER DEFAULT PRIVILEGES IN SCHEMA relore GRANT SELECT ON TABLES TO relore_reader;
