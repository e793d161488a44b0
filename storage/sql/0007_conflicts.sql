-- Schema version 7: what other good sources say of a row's figures, a line each: field, value, source, date and note between tabs.
ALTER TABLE accelerator ADD COLUMN conflicts TEXT;
ALTER TABLE price ADD COLUMN conflicts TEXT;
ALTER TABLE region ADD COLUMN conflicts TEXT;
