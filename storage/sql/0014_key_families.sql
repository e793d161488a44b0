-- Schema version 14: keys that succeed one another are one owner (`family`: the first one's id), and a key may be bound to the plans of one label.
ALTER TABLE api_key ADD COLUMN family TEXT;
ALTER TABLE api_key ADD COLUMN scope_key TEXT;
ALTER TABLE api_key ADD COLUMN scope_value TEXT CHECK ((scope_key IS NULL) = (scope_value IS NULL));
CREATE INDEX api_key_by_family ON api_key (family) WHERE family IS NOT NULL;
