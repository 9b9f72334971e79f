-- From files to the threads that changed them.

-- name: threads
-- Threads whose diff holds one of the paths, by the weights of these together; the newest first among equals.
SELECT t.number
FROM unnest(%(paths)s::text[], %(weights)s::float8[]) AS p (path, weight)
JOIN relore.changed_files f
  ON f.repo_id = ANY (%(repo_ids)s::integer[]) AND f.tail = substring(p.path FROM '[^/]*$') AND f.path = p.path
JOIN relore.threads t ON t.id = f.thread_id AND t.repo_id = f.repo_id
WHERE {threads_in_scope}
GROUP BY t.number
ORDER BY sum(p.weight) DESC, t.number DESC
LIMIT %(limit)s::integer;
