-- Power at full load as an accelerator's maker measured it, where that is not the TDP.
ALTER TABLE accelerator ADD COLUMN load_w REAL CHECK (load_w >= 0);
