-- A batch is one transaction; each of its jobs of more than a statement stands in a savepoint, so that its failure undoes only itself.

-- name: transaction_begin
BEGIN IMMEDIATE;

-- name: transaction_commit
COMMIT;

-- name: job_begin
SAVEPOINT job;

-- name: job_keep
RELEASE job;

-- name: job_undo
ROLLBACK TO job;
