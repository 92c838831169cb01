DROP TRIGGER reports_machine_changes_hands ON fleet_machine;
DROP FUNCTION reports_note_handover();
