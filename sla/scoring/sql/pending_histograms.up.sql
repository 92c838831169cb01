-- Hours and days whose histogram is still to be merged: looked for each minute, and nearly all have theirs.
CREATE INDEX scoring_hour_pending ON scoring_hour (start) WHERE hist IS NULL;
CREATE INDEX scoring_day_pending ON scoring_day (start) WHERE hist IS NULL;
