DROP INDEX scoring_day_pending;
DROP INDEX scoring_hour_pending;
