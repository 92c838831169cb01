DROP FUNCTION IF EXISTS telemetry_take_one(bytea, int, text, text, bigint, int8, int2, int8, int2, int2, int2, bytea);
