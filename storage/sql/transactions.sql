-- A batch is one transaction. A job of more than one statement runs in a savepoint, so that its failure undoes only its
-- own changes.

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

-- name: commit_count
UPDATE commit_count SET commits = commits + 1 WHERE one = 1 RETURNING commits AS count;

-- name: commit_count_get
SELECT commits AS count, file AS id FROM commit_count WHERE one = 1;
