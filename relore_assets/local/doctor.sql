-- What the doctor tries as the reader.

-- name: lift_read_only
-- A courtesy that anybody may lift for themselves; what must hold is the lack of rights.
SET default_transaction_read_only = off;

-- name: write
CREATE TABLE relore.written_by_a_reader ();

-- name: undo
DROP TABLE relore.written_by_a_reader;
