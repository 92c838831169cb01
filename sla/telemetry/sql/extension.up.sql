CREATE EXTENSION IF NOT EXISTS timescaledb;
-- The Apache edition 2.19.3 logs an error each hour from its telemetry job and can be crashed by merge_chunks (fixed in
-- 2.31). Both need rights that a plain owner lacks on a managed database: there they stay as they are.
DO $$
DECLARE procedure regprocedure;
BEGIN
    IF current_setting('timescaledb.license', true) = 'apache' THEN
        UPDATE _timescaledb_config.bgw_job SET scheduled = false WHERE id = 3;
        FOR procedure IN SELECT oid::regprocedure FROM pg_proc WHERE proname = 'merge_chunks' LOOP
            EXECUTE format('REVOKE EXECUTE ON PROCEDURE %s FROM PUBLIC', procedure);
        END LOOP;
    END IF;
EXCEPTION WHEN insufficient_privilege THEN
    RAISE NOTICE 'timescaledb: not the owner of the extension, its telemetry job and merge_chunks stay as they are';
END $$;
