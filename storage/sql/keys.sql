-- name: key_insert
INSERT INTO api_key (id, hash, name, role, prefix, created_at_us, expires_at_us, family, scope_key, scope_value, row_checksum)
VALUES (:id, :hash, :name, :role, :prefix, :created_at_us, :expires_at_us, :family, :scope_key, :scope_value, :row_checksum);

-- name: key_end
UPDATE api_key SET revoked_at_us = :revoked_at_us, expires_at_us = :expires_at_us, row_checksum = :row_checksum WHERE id = :id;

-- name: key_get
SELECT * FROM api_key WHERE id = :id AND revoked_at_us IS NULL;

-- The index finds a key by its hash; the time of that comparison reveals nothing about the key, and the caller compares
-- again in constant time.
-- name: key_find
SELECT id, name, role, prefix, created_at_us, expires_at_us, revoked_at_us, family, scope_key, scope_value, hash, row_checksum FROM api_key
WHERE hash = :hash AND revoked_at_us IS NULL;

-- name: key_list
SELECT id, name, role, prefix, created_at_us, expires_at_us, revoked_at_us, family, scope_key, scope_value, row_checksum FROM api_key
WHERE id > :cursor_id ORDER BY id LIMIT :limit;

-- Expired keys count too: the API must not become open when the last key expires.
-- name: key_count
SELECT count(*) AS count FROM api_key WHERE revoked_at_us IS NULL;
