"""Which columns do a statement's tables have? Integers without exception; a column's name carries its unit."""

# A row an hour of UTC (a part of one at the edges of a span), contract version and side of exclusion: all sums.
HOURS = (
    *("disk", "start", "term", "excluded", "grade"),
    *("slots", "slots_met", "slots_met_proved", "slots_breached", "slots_breached_proved"),
    *("slots_excused", "slots_idle", "slots_no_data"),
    *("observed_s", "read_ios", "write_ios", "read_bytes", "write_bytes", "read_ms", "write_ms"),
    *("eligible_low", "eligible", "eligible_high", "slow_low", "slow", "slow_high"),
    *("lost_ms", "gap_ios", "gap_ms"),
)
HOURS_KEY = HOURS[:4]
HOURS_SUMMED = HOURS[5:]
# A row a minute: what hours are added up from, each with its own verdict.
SLOTS = (
    *("disk", "start", "term", "excluded", "state", "proved", "reason", "grade"),
    *("observed_s", "read_ios", "write_ios", "read_bytes", "write_bytes", "read_ms", "write_ms", "in_flight"),
    *("eligible_low", "eligible", "eligible_high", "slow_low", "slow", "slow_high"),
    *("lost_ms", "gap_ios", "gap_ms"),
)
# A row a step of a frame (a second, but for imports): what minutes are added up from. Empty is unknown.
SECONDS = (
    *("disk", "start", "step_s", "case", "ios", "covered", "excess_low", "excess_high"),
    *("slow_low", "slow", "slow_high", "lost_ms", "in_flight", "pool", "left"),
)
