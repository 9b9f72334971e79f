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
