-- Standing beyond a name.

-- Which documents derive knows to be a machine's, apart from what their authors' standing says at the moment.
ALTER TABLE relore.documents ADD COLUMN machine boolean NOT NULL DEFAULT false;
UPDATE relore.documents SET machine = true WHERE trust = 'machine';

-- One row per answer that differs from the one before.
ALTER TABLE relore.permissions ADD COLUMN since timestamptz;
UPDATE relore.permissions SET since = checked_at;
ALTER TABLE relore.permissions ALTER COLUMN since SET NOT NULL;
ALTER TABLE relore.permissions DROP CONSTRAINT permissions_pkey;
ALTER TABLE relore.permissions ADD PRIMARY KEY (repo_id, login, since);
