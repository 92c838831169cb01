-- Everything an upload needs of the database in one call: one network turn instead of six halves what a small upload
-- costs. Each statement of a VOLATILE function sees what was committed before it began, so after the UPDATE holds the
-- agent's row, two uploads of one machine can never pass each other between the look and the insert.
--
-- 'stale': the token, or what the caller remembers of its machine, is not valid any more; nothing was stored.
-- 'clash': a frame touches one that is stored already; nothing was stored, the caller looks closer.
-- 'stored': every frame is stored and its minute is marked due.
--
-- `frames_until`: no frame of the machine's own disks, seen from itself (vantage 1), is stored beyond. An upload that
-- begins there touches nothing, which is known without a look (docs/decisions/0018-frames-in-order.md).
CREATE OR REPLACE FUNCTION telemetry_take(
    p_token_hash bytea, p_inventory_version int, p_agent_version text, p_boot_id text, p_boot bigint,
    p_disk int8[], p_vantage int2[], p_start int8[], p_step_s int2[], p_n int2[], p_source int2[], p_body bytea[]
) RETURNS text LANGUAGE plpgsql VOLATILE AS $$
DECLARE
    arrived timestamptz := clock_timestamp();
    first bigint;
    last bigint;
    until bigint;
    own boolean;
    nothing_there boolean;
BEGIN
    SELECT min(start), max(start), max(start + step_s * n) FILTER (WHERE vantage = 1), bool_and(vantage = 1)
    INTO first, last, until, own
    FROM unnest(p_vantage, p_start, p_step_s, p_n) AS new (vantage, start, step_s, n);
    UPDATE fleet_agent AS agent
    SET seen_at = arrived, version = p_agent_version, boot_id = p_boot_id,
        in_order = coalesce(own AND first >= frames_until, false),
        -- Not known: nothing is stored that lies further ahead than an hour.
        frames_until = greatest(coalesce(frames_until, extract(epoch FROM arrived)::bigint + 3600), until)
    WHERE token_hash = p_token_hash AND revoked_at IS NULL
      AND (SELECT inventory_version FROM fleet_machine WHERE id = agent.machine_id) = p_inventory_version
    RETURNING in_order INTO nothing_there;
    IF NOT FOUND THEN
        RETURN 'stale';
    END IF;
    IF first IS NULL THEN
        RETURN 'stored';
    END IF;
    -- A frame never leaves its minute: only frames of the same minute can touch it. The bounds let the planner leave
    -- out all chunks but one or two.
    -- On a line of its own: as part of one condition the look would be prepared each time.
    IF NOT nothing_there THEN
        IF EXISTS (
            SELECT FROM unnest(p_disk, p_vantage, p_start, p_step_s, p_n) AS new (disk_id, vantage, start, step_s, n)
            JOIN telemetry_frame AS old ON old.disk_id = new.disk_id AND old.vantage = new.vantage
                AND old.start >= to_timestamp(new.start / 60 * 60) AND old.start < to_timestamp(new.start + new.step_s * new.n)
                AND old.start + old.step_s * old.n * interval '1 second' > to_timestamp(new.start)
            WHERE old.disk_id = ANY (p_disk)
              AND old.start >= to_timestamp(first / 60 * 60) AND old.start < to_timestamp(last / 60 * 60 + 60)
        ) THEN
            RETURN 'clash';
        END IF;
    END IF;
    INSERT INTO telemetry_frame (disk_id, vantage, start, step_s, n, source, boot, received_at, body)
    SELECT disk_id, vantage, to_timestamp(start), step_s, n, source, p_boot, arrived, body
    FROM unnest(p_disk, p_vantage, p_start, p_step_s, p_n, p_source, p_body)
        AS new (disk_id, vantage, start, step_s, n, source, body);
    -- A minute that is cut in two may be marked twice: whoever claims both marks scores it once, else twice with one result.
    INSERT INTO telemetry_dueslot (disk_id, vantage, start, marked_at)
    SELECT disk_id, vantage, to_timestamp(start / 60 * 60), arrived
    FROM unnest(p_disk, p_vantage, p_start) AS due (disk_id, vantage, start);
    RETURN 'stored';
END $$;
