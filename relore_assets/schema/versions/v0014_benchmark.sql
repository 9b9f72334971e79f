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
