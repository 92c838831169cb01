-- One day a chunk: a day of 1,000 disks is 1.4 million frames, about 1.2 GB; a chunk's index must fit in memory.
SELECT create_hypertable('telemetry_frame', by_range('start', INTERVAL '1 day'), create_default_indexes => false);
-- body is deflated already: PostgreSQL would try in vain to compress what stays inline, and 2 kB rows never leave the heap.
ALTER TABLE telemetry_frame ALTER COLUMN body SET STORAGE EXTERNAL;
-- Claimed in order of arrival, appended and deleted all day: vacuum early.
ALTER TABLE telemetry_dueslot SET (autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_threshold = 1000);
