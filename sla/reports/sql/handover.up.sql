-- A statement tells a month's disks by who held them: every change of hands is noted, whichever way it was made.
CREATE FUNCTION reports_note_handover() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO reports_handover (machine_id, before_id, after_id, at)
    VALUES (NEW.id, OLD.customer_id, NEW.customer_id, clock_timestamp());
    RETURN NULL;
END $$;
CREATE TRIGGER reports_machine_changes_hands AFTER UPDATE OF customer_id ON fleet_machine
FOR EACH ROW WHEN (OLD.customer_id IS DISTINCT FROM NEW.customer_id) EXECUTE FUNCTION reports_note_handover();
