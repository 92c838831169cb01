-- History is only added to. The actor may be forgotten with the person; a line may go only with its incident.
CREATE FUNCTION incidents_event_stays() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'UPDATE' THEN
        IF (NEW.incident_id, NEW.at, NEW.kind, NEW.note, NEW.data)
            IS DISTINCT FROM (OLD.incident_id, OLD.at, OLD.kind, OLD.note, OLD.data) THEN
            RAISE EXCEPTION 'event % of incident % is history: it cannot be changed', OLD.id, OLD.incident_id;
        END IF;
    ELSIF EXISTS (SELECT 1 FROM incidents_incident WHERE id = OLD.incident_id) THEN
        RAISE EXCEPTION 'event % of incident % is history: it cannot be removed', OLD.id, OLD.incident_id;
    END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER incidents_event_unchanged AFTER UPDATE ON incidents_incidentevent
    FOR EACH ROW EXECUTE FUNCTION incidents_event_stays();
-- Deferred: whoever deletes a customer deletes events before their incidents, in one transaction.
CREATE CONSTRAINT TRIGGER incidents_event_kept AFTER DELETE ON incidents_incidentevent
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION incidents_event_stays();
