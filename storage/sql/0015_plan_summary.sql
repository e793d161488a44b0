-- Schema version 15: the summary of a plan's answer, which lists show and are sorted by. It comes under the head's checksum. Plans of older versions receive
-- theirs when they are refreshed. The column lies behind the long ones, so that lists read it from the index.
ALTER TABLE plan ADD COLUMN summary TEXT;
CREATE INDEX plan_summary ON plan (id, summary) WHERE summary IS NOT NULL;
