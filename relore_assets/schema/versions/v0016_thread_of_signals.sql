-- A signal knows its thread.
DROP INDEX relore.signals_tail, relore.signals_document;
ALTER TABLE relore.signals ADD COLUMN thread_id bigint;
UPDATE relore.signals s SET thread_id = d.thread_id FROM relore.documents d WHERE d.id = s.document_id;
-- The same value, so that the table is written anew without what was just replaced.
ALTER TABLE relore.signals
    ALTER COLUMN thread_id TYPE bigint USING thread_id + 0,
    ALTER COLUMN thread_id SET NOT NULL;
CREATE INDEX signals_tail ON relore.signals (repo_id, kind, tail);
CREATE INDEX signals_document ON relore.signals (document_id);
-- A text's words stay in its row, where they are read of every text that is scored; again the same value.
ALTER TABLE relore.documents
    ALTER COLUMN search_vector TYPE tsvector USING search_vector || ''::tsvector,
    ALTER COLUMN search_vector SET STORAGE MAIN;
CREATE INDEX threads_created ON relore.threads (repo_id, created_at, id);
