-- What may not be stored again.

-- name: share
-- Held to the end of the transaction by everybody who stores objects. Who removes some holds it alone, so that
-- nothing that was read as allowed is stored after its removal.
SELECT pg_advisory_xact_lock_shared(%(class)s, %(repo_id)s);

-- name: alone
-- Held to the end of the transaction by who removes: waits for those who are storing, and lets nobody begin.
SELECT pg_advisory_xact_lock(%(class)s, %(repo_id)s);

-- name: tombstones
-- Tombstones of some objects, and of the threads they belong to.
SELECT kind, object_id, reason, removed_at FROM relore.tombstones
WHERE repo_id = %(repo_id)s AND kind = 'thread' AND object_id = ANY (%(numbers)s::text[])
UNION ALL
SELECT stone.kind, stone.object_id, stone.reason, stone.removed_at
FROM unnest(%(kinds)s::text[], %(object_ids)s::text[]) AS wanted (kind, object_id)
JOIN relore.tombstones AS stone
  ON stone.repo_id = %(repo_id)s AND stone.kind = wanted.kind AND stone.object_id = wanted.object_id;

-- name: people
-- Whose words may not return.
SELECT login_digest FROM relore.forgotten_authors WHERE repo_id = %(repo_id)s;

-- name: anything_forgotten
SELECT EXISTS (SELECT FROM relore.tombstones WHERE repo_id = %(repo_id)s AND reason = 'forgotten');

-- name: lift
-- Objects that are back at the source. What was removed on request stays removed.
DELETE FROM relore.tombstones AS stone
USING unnest(%(kinds)s::text[], %(object_ids)s::text[]) AS back (kind, object_id)
WHERE stone.repo_id = %(repo_id)s AND stone.kind = back.kind AND stone.object_id = back.object_id
  AND stone.reason <> 'forgotten';
