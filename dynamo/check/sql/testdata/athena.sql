DROP TABLE IF EXISTS tallylock_items_7;
DROP TABLE IF EXISTS tallylock_calls_7;
DROP TABLE IF EXISTS tallylock_suspects_7;
DROP TABLE IF EXISTS tallylock_keys_7;
DROP TABLE IF EXISTS tallylock_candidates_7;
DROP TABLE IF EXISTS tallylock_lines_1_7;
CREATE EXTERNAL TABLE tallylock_lines_1_7 (line string)
ROW FORMAT DELIMITED FIELDS TERMINATED BY '\001' LINES TERMINATED BY '\n'
STORED AS TEXTFILE
LOCATION 's3://lake/it\'s\\01/AWSDynamoDB/0123-abc/data/';
CREATE TABLE tallylock_items_7
WITH (format = 'PARQUET', write_compression = 'ZSTD', external_location = 's3://out/it''s/tables/tallylock_items_7/') AS …;
CREATE TABLE tallylock_calls_7
WITH (format = 'PARQUET', write_compression = 'ZSTD', external_location = 's3://out/it''s/tables/tallylock_calls_7/') AS …;
CREATE TABLE tallylock_suspects_7
WITH (format = 'PARQUET', write_compression = 'ZSTD', external_location = 's3://out/it''s/tables/tallylock_suspects_7/') AS …;
CREATE TABLE tallylock_keys_7
WITH (format = 'PARQUET', write_compression = 'ZSTD', external_location = 's3://out/it''s/tables/tallylock_keys_7/') AS …;
CREATE TABLE tallylock_candidates_7
WITH (format = 'PARQUET', write_compression = 'ZSTD', external_location = 's3://out/it''s/tables/tallylock_candidates_7/') AS …;
UNLOAD (…
) TO 's3://out/it''s/tables/tallylock_result_7/'
WITH (format = 'TEXTFILE');
DROP TABLE IF EXISTS tallylock_items_7;
DROP TABLE IF EXISTS tallylock_calls_7;
DROP TABLE IF EXISTS tallylock_suspects_7;
DROP TABLE IF EXISTS tallylock_keys_7;
DROP TABLE IF EXISTS tallylock_candidates_7;
DROP TABLE IF EXISTS tallylock_lines_1_7;
