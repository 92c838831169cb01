DROP FUNCTION IF EXISTS telemetry_take(
    bytea, int, text, text, bigint, int8[], int2[], int8[], int2[], int2[], int2[], bytea[]);
