-- A day of 200 pools of 50 disks is 288,000 rows of about 1 kB.
SELECT create_hypertable('neighbours_poolminute', by_range('start', INTERVAL '1 day'), create_default_indexes => false);
-- Small arrays of floats: compressing them costs more than it saves.
ALTER TABLE neighbours_poolminute ALTER COLUMN figures SET STORAGE EXTERNAL;
