-- `telemetry_take` of exactly one frame, as a machine with one disk sends it: the same look and the same inserts, with no
-- arrays to take apart and join. The answers, and why it is safe, are those of `telemetry_take`.
CREATE FUNCTION telemetry_take_one(
    p_token_hash bytea, p_inventory_version int, p_agent_version text, p_boot_id text, p_boot bigint,
    p_disk int8, p_vantage int2, p_start int8, p_step_s int2, p_n int2, p_source int2, p_body bytea
) RETURNS text LANGUAGE plpgsql VOLATILE AS $$
DECLARE
    minute timestamptz := to_timestamp(p_start / 60 * 60);
    begins timestamptz := to_timestamp(p_start);
    ends timestamptz := to_timestamp(p_start + p_step_s * p_n);
BEGIN
    UPDATE fleet_agent AS agent
    SET seen_at = clock_timestamp(), version = p_agent_version, boot_id = p_boot_id
    FROM fleet_machine AS machine
    WHERE agent.token_hash = p_token_hash AND agent.revoked_at IS NULL
      AND machine.id = agent.machine_id AND machine.inventory_version = p_inventory_version;
    IF NOT FOUND THEN
        RETURN 'stale';
    END IF;
    IF EXISTS (
        SELECT FROM telemetry_frame AS old
        WHERE old.disk_id = p_disk AND old.vantage = p_vantage AND old.start >= minute AND old.start < ends
            AND old.start + old.step_s * old.n * interval '1 second' > begins
    ) THEN
        RETURN 'clash';
    END IF;
    INSERT INTO telemetry_frame (disk_id, vantage, start, step_s, n, source, boot, received_at, body)
    VALUES (p_disk, p_vantage, begins, p_step_s, p_n, p_source, p_boot, clock_timestamp(), p_body);
    INSERT INTO telemetry_dueslot (disk_id, vantage, start, marked_at)
    VALUES (p_disk, p_vantage, minute, clock_timestamp());
    RETURN 'stored';
END $$;
