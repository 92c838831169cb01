-- One day a chunk, like the frames: a day of 1,000 disks is 1.4 million slots, about 0.4 GB.
SELECT create_hypertable('scoring_slot', by_range('start', INTERVAL '1 day'), create_default_indexes => false);
-- A week of 10,000 disks is 1.7 million hours; a quarter is 0.9 million days.
SELECT create_hypertable('scoring_hour', by_range('start', INTERVAL '7 days'), create_default_indexes => false);
SELECT create_hypertable('scoring_day', by_range('start', INTERVAL '90 days'), create_default_indexes => false);
-- Small pairs of counts: compressing them costs more than it saves.
ALTER TABLE scoring_slot ALTER COLUMN hist SET STORAGE EXTERNAL;
-- One row a disk, rewritten each minute: leave room so that the new version stays on its page.
ALTER TABLE scoring_disknow SET (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.05);
