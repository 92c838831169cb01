-- `telemetry_take` of exactly one frame, as a machine with one disk sends it: the same look and the same inserts, with no
-- arrays to take apart and join. The answers, and why it is safe, are those of `telemetry_take`.
CREATE OR REPLACE FUNCTION telemetry_take_one(
    p_token_hash bytea, p_inventory_version int, p_agent_version text, p_boot_id text, p_boot bigint,
    p_disk int8, p_vantage int2, p_start int8, p_step_s int2, p_n int2, p_source int2, p_body bytea
) RETURNS text LANGUAGE plpgsql VOLATILE AS $$
DECLARE
    arrived timestamptz := clock_timestamp();
    minute timestamptz := to_timestamp(p_start / 60 * 60);
    begins timestamptz := to_timestamp(p_start);
    until bigint := p_start + p_step_s * p_n;
    own boolean := p_vantage = 1;
    nothing_there boolean;
BEGIN
    UPDATE fleet_agent AS agent
    SET seen_at = arrived, version = p_agent_version, boot_id = p_boot_id,
        in_order = coalesce(own AND p_start >= frames_until, false),
        frames_until = greatest(
            coalesce(frames_until, extract(epoch FROM arrived)::bigint + 3600), CASE WHEN own THEN until END)
    WHERE token_hash = p_token_hash AND revoked_at IS NULL
      AND (SELECT inventory_version FROM fleet_machine WHERE id = agent.machine_id) = p_inventory_version
    RETURNING in_order INTO nothing_there;
    IF NOT FOUND THEN
        RETURN 'stale';
    END IF;
    IF NOT nothing_there THEN
        IF EXISTS (
            SELECT FROM telemetry_frame AS old
            WHERE old.disk_id = p_disk AND old.vantage = p_vantage AND old.start >= minute AND old.start < to_timestamp(until)
                AND old.start + old.step_s * old.n * interval '1 second' > begins
        ) THEN
            RETURN 'clash';
        END IF;
    END IF;
    INSERT INTO telemetry_frame (disk_id, vantage, start, step_s, n, source, boot, received_at, body)
    VALUES (p_disk, p_vantage, begins, p_step_s, p_n, p_source, p_boot, arrived, p_body);
    INSERT INTO telemetry_dueslot (disk_id, vantage, start, marked_at)
    VALUES (p_disk, p_vantage, minute, arrived);
    RETURN 'stored';
END $$;
