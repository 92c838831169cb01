DROP TRIGGER incidents_event_unchanged ON incidents_incidentevent;
DROP TRIGGER incidents_event_kept ON incidents_incidentevent;
DROP FUNCTION incidents_event_stays();
