-- Run each statement by itself: Athena runs one at a time.

DROP TABLE IF EXISTS `shop_access_token_lines`;

CREATE EXTERNAL TABLE `shop_access_token_lines` (`line` string)
ROW FORMAT DELIMITED FIELDS TERMINATED BY '\001' LINES TERMINATED BY '\n'
STORED AS TEXTFILE
LOCATION 's3://exports/access-token/AWSDynamoDB/01700000000000-a1b2c3d4/data/';

CREATE OR REPLACE VIEW "shop_access_token_access_token" AS
SELECT
  json_extract_scalar(line, '$["Item"]["service"]["S"]') AS "service",
  json_extract_scalar(line, '$["Item"]["token"]["S"]') AS "token",
  CAST(from_unixtime(CAST(json_extract_scalar(line, '$["Item"]["expires_at"]["N"]') AS double)) AT TIME ZONE 'UTC' AS timestamp) AS "expires_at"
FROM "shop_access_token_lines"
WHERE json_extract(line, '$["Item"]') IS NOT NULL
  AND json_extract(line, '$["Item"]["$unique"]') IS NULL;

DROP TABLE IF EXISTS `shop_app_user_lines`;

CREATE EXTERNAL TABLE `shop_app_user_lines` (`line` string)
ROW FORMAT DELIMITED FIELDS TERMINATED BY '\001' LINES TERMINATED BY '\n'
STORED AS TEXTFILE
LOCATION 's3://exports/app-user/AWSDynamoDB/01700000000000-a1b2c3d4/data/';

CREATE OR REPLACE VIEW "shop_app_user_user_info" AS
SELECT
  json_extract_scalar(line, '$["Item"]["user_id"]["S"]') AS "user_id",
  json_extract_scalar(line, '$["Item"]["email"]["S"]') AS "email",
  json_extract_scalar(line, '$["Item"]["device"]["S"]') AS "device",
  json_extract_scalar(line, '$["Item"]["hand_over_code"]["S"]') AS "hand_over_code"
FROM "shop_app_user_lines"
WHERE json_extract(line, '$["Item"]') IS NOT NULL
  AND json_extract(line, '$["Item"]["$unique"]') IS NULL
  AND (json_extract_scalar(line, '$["Item"]["_type"]["S"]') = 'UserInfo'
    OR (json_extract(line, '$["Item"]["_type"]') IS NULL AND regexp_like(json_extract_scalar(line, '$["Item"]["record"]["S"]'), '^USER_INFO\z')));

CREATE OR REPLACE VIEW "shop_app_user_rewards" AS
SELECT
  json_extract_scalar(line, '$["Item"]["user_id"]["S"]') AS "user_id",
  CAST(json_extract_scalar(line, '$["Item"]["points"]["N"]') AS bigint) AS "points"
FROM "shop_app_user_lines"
WHERE json_extract(line, '$["Item"]') IS NOT NULL
  AND json_extract(line, '$["Item"]["$unique"]') IS NULL
  AND (json_extract_scalar(line, '$["Item"]["_type"]["S"]') = 'Rewards'
    OR (json_extract(line, '$["Item"]["_type"]') IS NULL AND regexp_like(json_extract_scalar(line, '$["Item"]["record"]["S"]'), '^REWARDS\z')));

CREATE OR REPLACE VIEW "shop_app_user_hand_over" AS
SELECT
  json_extract_scalar(line, '$["Item"]["user_id"]["S"]') AS "user_id",
  CAST(from_iso8601_timestamp(json_extract_scalar(line, '$["Item"]["at"]["S"]')) AT TIME ZONE 'UTC' AS timestamp) AS "at",
  json_extract_scalar(line, '$["Item"]["device"]["S"]') AS "device"
FROM "shop_app_user_lines"
WHERE json_extract(line, '$["Item"]') IS NOT NULL
  AND json_extract(line, '$["Item"]["$unique"]') IS NULL
  AND (json_extract_scalar(line, '$["Item"]["_type"]["S"]') = 'HandOver'
    OR (json_extract(line, '$["Item"]["_type"]') IS NULL AND regexp_like(json_extract_scalar(line, '$["Item"]["record"]["S"]'), '^HAND_OVER\#[^\#]{30}\z')));

DROP TABLE IF EXISTS `shop_blog_lines`;

CREATE EXTERNAL TABLE `shop_blog_lines` (`line` string)
ROW FORMAT DELIMITED FIELDS TERMINATED BY '\001' LINES TERMINATED BY '\n'
STORED AS TEXTFILE
LOCATION 's3://exports/blog/AWSDynamoDB/01700000000000-a1b2c3d4/data/';

CREATE OR REPLACE VIEW "shop_blog_post" AS
SELECT
  json_extract_scalar(line, '$["Item"]["author"]["S"]') AS "author",
  json_extract_scalar(line, '$["Item"]["id"]["S"]') AS "id",
  CAST(from_iso8601_timestamp(json_extract_scalar(line, '$["Item"]["written_at"]["S"]')) AT TIME ZONE 'UTC' AS timestamp) AS "written_at",
  json_extract_scalar(line, '$["Item"]["title"]["S"]') AS "title",
  json_extract_scalar(line, '$["Item"]["text"]["S"]') AS "text"
FROM "shop_blog_lines"
WHERE json_extract(line, '$["Item"]') IS NOT NULL
  AND json_extract(line, '$["Item"]["$unique"]') IS NULL
  AND (json_extract_scalar(line, '$["Item"]["_type"]["S"]') = 'Post'
    OR (json_extract(line, '$["Item"]["_type"]') IS NULL AND regexp_like(json_extract_scalar(line, '$["Item"]["pk"]["S"]'), '^POSTS\z') AND regexp_like(json_extract_scalar(line, '$["Item"]["sk"]["S"]'), '^[^\#]*\#[^\#]*\z')));

CREATE OR REPLACE VIEW "shop_blog_comment" AS
SELECT
  json_extract_scalar(line, '$["Item"]["post"]["S"]') AS "post",
  CAST(from_iso8601_timestamp(json_extract_scalar(line, '$["Item"]["written_at"]["S"]')) AT TIME ZONE 'UTC' AS timestamp) AS "written_at",
  json_extract_scalar(line, '$["Item"]["by"]["S"]') AS "by",
  json_extract_scalar(line, '$["Item"]["text"]["S"]') AS "text"
FROM "shop_blog_lines"
WHERE json_extract(line, '$["Item"]') IS NOT NULL
  AND json_extract(line, '$["Item"]["$unique"]') IS NULL
  AND (json_extract_scalar(line, '$["Item"]["_type"]["S"]') = 'Comment'
    OR (json_extract(line, '$["Item"]["_type"]') IS NULL AND regexp_like(json_extract_scalar(line, '$["Item"]["pk"]["S"]'), '^POST\#[^\#]*\z') AND regexp_like(json_extract_scalar(line, '$["Item"]["sk"]["S"]'), '^[^\#]{30}\#[^\#]*\z')));

DROP TABLE IF EXISTS `shop_accounts_lines`;

CREATE EXTERNAL TABLE `shop_accounts_lines` (`line` string)
ROW FORMAT DELIMITED FIELDS TERMINATED BY '\001' LINES TERMINATED BY '\n'
STORED AS TEXTFILE
LOCATION 's3://exports/accounts/AWSDynamoDB/01700000000000-a1b2c3d4/data/';

CREATE OR REPLACE VIEW "shop_accounts_account" AS
SELECT
  json_extract_scalar(line, '$["Item"]["branch"]["S"]') AS "branch",
  CAST(json_extract_scalar(line, '$["Item"]["number"]["N"]') AS bigint) AS "number",
  CAST(json_extract_scalar(line, '$["Item"]["cents"]["N"]') AS bigint) AS "cents",
  CAST(json_extract_scalar(line, '$["Item"]["is_closed"]["BOOL"]') AS boolean) AS "is_closed",
  CAST(json_extract_scalar(line, '$["Item"]["version"]["N"]') AS decimal(20, 0)) AS "version"
FROM "shop_accounts_lines"
WHERE json_extract(line, '$["Item"]') IS NOT NULL
  AND json_extract(line, '$["Item"]["$unique"]') IS NULL;

DROP TABLE IF EXISTS `shop_contact_lines`;

CREATE EXTERNAL TABLE `shop_contact_lines` (`line` string)
ROW FORMAT DELIMITED FIELDS TERMINATED BY '\001' LINES TERMINATED BY '\n'
STORED AS TEXTFILE
LOCATION 's3://exports/contact/AWSDynamoDB/01700000000000-a1b2c3d4/data/';

CREATE OR REPLACE VIEW "shop_contact_contact" AS
SELECT
  json_extract_scalar(line, '$["Item"]["book"]["S"]') AS "book",
  json_extract_scalar(line, '$["Item"]["handle"]["S"]') AS "handle",
  json_extract_scalar(line, '$["Item"]["name"]["S"]') AS "name",
  json_extract_scalar(line, '$["Item"]["email"]["S"]') AS "email",
  CAST(json_extract(line, '$["Item"]["tags"]["SS"]') AS array(varchar)) AS "tags",
  CAST(json_extract_scalar(line, '$["Item"]["version"]["N"]') AS decimal(20, 0)) AS "version",
  CAST(from_iso8601_timestamp(json_extract_scalar(line, '$["Item"]["created_at"]["S"]')) AT TIME ZONE 'UTC' AS timestamp) AS "created_at",
  CAST(from_iso8601_timestamp(json_extract_scalar(line, '$["Item"]["updated_at"]["S"]')) AT TIME ZONE 'UTC' AS timestamp) AS "updated_at"
FROM "shop_contact_lines"
WHERE json_extract(line, '$["Item"]') IS NOT NULL
  AND json_extract(line, '$["Item"]["$unique"]') IS NULL;

DROP TABLE IF EXISTS `shop_help_desk_lines`;

CREATE EXTERNAL TABLE `shop_help_desk_lines` (`line` string)
ROW FORMAT DELIMITED FIELDS TERMINATED BY '\001' LINES TERMINATED BY '\n'
STORED AS TEXTFILE
LOCATION 's3://exports/help-desk/AWSDynamoDB/01700000000000-a1b2c3d4/data/';

CREATE OR REPLACE VIEW "shop_help_desk_tenant" AS
SELECT
  json_extract_scalar(line, '$["Item"]["tenant"]["S"]') AS "tenant",
  json_extract_scalar(line, '$["Item"]["name"]["S"]') AS "name"
FROM "shop_help_desk_lines"
WHERE json_extract(line, '$["Item"]') IS NOT NULL
  AND json_extract(line, '$["Item"]["$unique"]') IS NULL
  AND (json_extract_scalar(line, '$["Item"]["_type"]["S"]') = 'Tenant'
    OR (json_extract(line, '$["Item"]["_type"]') IS NULL AND regexp_like(json_extract_scalar(line, '$["Item"]["pk"]["S"]'), '^TENANT\#[^\#]*\z') AND regexp_like(json_extract_scalar(line, '$["Item"]["sk"]["S"]'), '^INFO\z')));

CREATE OR REPLACE VIEW "shop_help_desk_agent" AS
SELECT
  json_extract_scalar(line, '$["Item"]["tenant"]["S"]') AS "tenant",
  json_extract_scalar(line, '$["Item"]["agent"]["S"]') AS "agent",
  json_extract_scalar(line, '$["Item"]["email"]["S"]') AS "email",
  CAST(json_extract_scalar(line, '$["Item"]["away"]["BOOL"]') AS boolean) AS "away"
FROM "shop_help_desk_lines"
WHERE json_extract(line, '$["Item"]') IS NOT NULL
  AND json_extract(line, '$["Item"]["$unique"]') IS NULL
  AND (json_extract_scalar(line, '$["Item"]["_type"]["S"]') = 'Agent'
    OR (json_extract(line, '$["Item"]["_type"]') IS NULL AND regexp_like(json_extract_scalar(line, '$["Item"]["pk"]["S"]'), '^TENANT\#[^\#]*\z') AND regexp_like(json_extract_scalar(line, '$["Item"]["sk"]["S"]'), '^AGENT\#[^\#]*\z')));

CREATE OR REPLACE VIEW "shop_help_desk_customer" AS
SELECT
  json_extract_scalar(line, '$["Item"]["tenant"]["S"]') AS "tenant",
  json_extract_scalar(line, '$["Item"]["customer"]["S"]') AS "customer",
  json_extract_scalar(line, '$["Item"]["email"]["S"]') AS "email"
FROM "shop_help_desk_lines"
WHERE json_extract(line, '$["Item"]') IS NOT NULL
  AND json_extract(line, '$["Item"]["$unique"]') IS NULL
  AND (json_extract_scalar(line, '$["Item"]["_type"]["S"]') = 'Customer'
    OR (json_extract(line, '$["Item"]["_type"]') IS NULL AND regexp_like(json_extract_scalar(line, '$["Item"]["pk"]["S"]'), '^CUSTOMER\#[^\#]*\#[^\#]{36}\z') AND regexp_like(json_extract_scalar(line, '$["Item"]["sk"]["S"]'), '^INFO\z')));

CREATE OR REPLACE VIEW "shop_help_desk_ticket" AS
SELECT
  json_extract_scalar(line, '$["Item"]["tenant"]["S"]') AS "tenant",
  CAST(json_extract_scalar(line, '$["Item"]["ticket"]["N"]') AS decimal(20, 0)) AS "ticket",
  json_extract_scalar(line, '$["Item"]["subject"]["S"]') AS "subject",
  json_extract_scalar(line, '$["Item"]["customer"]["S"]') AS "customer",
  json_extract_scalar(line, '$["Item"]["status"]["S"]') AS "status",
  CAST(json_extract_scalar(line, '$["Item"]["priority"]["N"]') AS bigint) AS "priority",
  json_extract_scalar(line, '$["Item"]["assignee"]["S"]') AS "assignee",
  CAST(from_iso8601_timestamp(json_extract_scalar(line, '$["Item"]["due"]["S"]')) AT TIME ZONE 'UTC' AS timestamp) AS "due",
  CAST(json_extract_scalar(line, '$["Item"]["comments"]["N"]') AS bigint) AS "comments",
  CAST(json_extract_scalar(line, '$["Item"]["merged_into"]["N"]') AS decimal(20, 0)) AS "merged_into",
  CAST(json_extract_scalar(line, '$["Item"]["version"]["N"]') AS decimal(20, 0)) AS "version",
  CAST(from_iso8601_timestamp(json_extract_scalar(line, '$["Item"]["updated_at"]["S"]')) AT TIME ZONE 'UTC' AS timestamp) AS "updated_at"
FROM "shop_help_desk_lines"
WHERE json_extract(line, '$["Item"]') IS NOT NULL
  AND json_extract(line, '$["Item"]["$unique"]') IS NULL
  AND (json_extract_scalar(line, '$["Item"]["_type"]["S"]') = 'Ticket'
    OR (json_extract(line, '$["Item"]["_type"]') IS NULL AND regexp_like(json_extract_scalar(line, '$["Item"]["pk"]["S"]'), '^TICKET\#[^\#]*\#[^\#]{20}\z') AND regexp_like(json_extract_scalar(line, '$["Item"]["sk"]["S"]'), '^INFO\z')));

CREATE OR REPLACE VIEW "shop_help_desk_comment" AS
SELECT
  json_extract_scalar(line, '$["Item"]["tenant"]["S"]') AS "tenant",
  CAST(json_extract_scalar(line, '$["Item"]["ticket"]["N"]') AS decimal(20, 0)) AS "ticket",
  json_extract_scalar(line, '$["Item"]["id"]["S"]') AS "id",
  json_extract_scalar(line, '$["Item"]["customer"]["S"]') AS "customer",
  json_extract_scalar(line, '$["Item"]["text"]["S"]') AS "text"
FROM "shop_help_desk_lines"
WHERE json_extract(line, '$["Item"]') IS NOT NULL
  AND json_extract(line, '$["Item"]["$unique"]') IS NULL
  AND (json_extract_scalar(line, '$["Item"]["_type"]["S"]') = 'Comment'
    OR (json_extract(line, '$["Item"]["_type"]') IS NULL AND regexp_like(json_extract_scalar(line, '$["Item"]["pk"]["S"]'), '^TICKET\#[^\#]*\#[^\#]{20}\z') AND regexp_like(json_extract_scalar(line, '$["Item"]["sk"]["S"]'), '^COMMENT\#[^\#]{36}\z')));

CREATE OR REPLACE VIEW "shop_help_desk_event" AS
SELECT
  json_extract_scalar(line, '$["Item"]["tenant"]["S"]') AS "tenant",
  CAST(json_extract_scalar(line, '$["Item"]["ticket"]["N"]') AS decimal(20, 0)) AS "ticket",
  json_extract_scalar(line, '$["Item"]["id"]["S"]') AS "id",
  json_extract_scalar(line, '$["Item"]["what"]["S"]') AS "what",
  json_extract_scalar(line, '$["Item"]["by"]["S"]') AS "by"
FROM "shop_help_desk_lines"
WHERE json_extract(line, '$["Item"]') IS NOT NULL
  AND json_extract(line, '$["Item"]["$unique"]') IS NULL
  AND (json_extract_scalar(line, '$["Item"]["_type"]["S"]') = 'Event'
    OR (json_extract(line, '$["Item"]["_type"]') IS NULL AND regexp_like(json_extract_scalar(line, '$["Item"]["pk"]["S"]'), '^TICKET\#[^\#]*\#[^\#]{20}\z') AND regexp_like(json_extract_scalar(line, '$["Item"]["sk"]["S"]'), '^EVENT\#[^\#]{36}\z')));

CREATE OR REPLACE VIEW "shop_help_desk_tag" AS
SELECT
  json_extract_scalar(line, '$["Item"]["tenant"]["S"]') AS "tenant",
  CAST(json_extract_scalar(line, '$["Item"]["ticket"]["N"]') AS decimal(20, 0)) AS "ticket",
  json_extract_scalar(line, '$["Item"]["tag"]["S"]') AS "tag"
FROM "shop_help_desk_lines"
WHERE json_extract(line, '$["Item"]') IS NOT NULL
  AND json_extract(line, '$["Item"]["$unique"]') IS NULL
  AND (json_extract_scalar(line, '$["Item"]["_type"]["S"]') = 'Tag'
    OR (json_extract(line, '$["Item"]["_type"]') IS NULL AND regexp_like(json_extract_scalar(line, '$["Item"]["pk"]["S"]'), '^TICKET\#[^\#]*\#[^\#]{20}\z') AND regexp_like(json_extract_scalar(line, '$["Item"]["sk"]["S"]'), '^TAG\#[^\#]*\z')));

CREATE OR REPLACE VIEW "shop_help_desk_counter" AS
SELECT
  json_extract_scalar(line, '$["Item"]["tenant"]["S"]') AS "tenant",
  json_extract_scalar(line, '$["Item"]["name"]["S"]') AS "name",
  CAST(json_extract_scalar(line, '$["Item"]["last"]["N"]') AS decimal(20, 0)) AS "last"
FROM "shop_help_desk_lines"
WHERE json_extract(line, '$["Item"]') IS NOT NULL
  AND json_extract(line, '$["Item"]["$unique"]') IS NULL
  AND (json_extract_scalar(line, '$["Item"]["_type"]["S"]') = 'Counter'
    OR (json_extract(line, '$["Item"]["_type"]') IS NULL AND regexp_like(json_extract_scalar(line, '$["Item"]["pk"]["S"]'), '^COUNTER\#[^\#]*\z') AND regexp_like(json_extract_scalar(line, '$["Item"]["sk"]["S"]'), '^[^\#]*\z')));

CREATE OR REPLACE VIEW "shop_help_desk_tally" AS
SELECT
  json_extract_scalar(line, '$["Item"]["tenant"]["S"]') AS "tenant",
  json_extract_scalar(line, '$["Item"]["status"]["S"]') AS "status",
  CAST(json_extract_scalar(line, '$["Item"]["tickets"]["N"]') AS bigint) AS "tickets"
FROM "shop_help_desk_lines"
WHERE json_extract(line, '$["Item"]') IS NOT NULL
  AND json_extract(line, '$["Item"]["$unique"]') IS NULL
  AND (json_extract_scalar(line, '$["Item"]["_type"]["S"]') = 'Tally'
    OR (json_extract(line, '$["Item"]["_type"]') IS NULL AND regexp_like(json_extract_scalar(line, '$["Item"]["pk"]["S"]'), '^TALLY\#[^\#]*\z') AND regexp_like(json_extract_scalar(line, '$["Item"]["sk"]["S"]'), '^[^\#]*\z')));

CREATE OR REPLACE VIEW "shop_help_desk_session" AS
SELECT
  json_extract_scalar(line, '$["Item"]["token"]["S"]') AS "token",
  json_extract_scalar(line, '$["Item"]["tenant"]["S"]') AS "tenant",
  json_extract_scalar(line, '$["Item"]["agent"]["S"]') AS "agent",
  CAST(from_unixtime(CAST(json_extract_scalar(line, '$["Item"]["until"]["N"]') AS double)) AT TIME ZONE 'UTC' AS timestamp) AS "until"
FROM "shop_help_desk_lines"
WHERE json_extract(line, '$["Item"]') IS NOT NULL
  AND json_extract(line, '$["Item"]["$unique"]') IS NULL
  AND (json_extract_scalar(line, '$["Item"]["_type"]["S"]') = 'Session'
    OR (json_extract(line, '$["Item"]["_type"]') IS NULL AND regexp_like(json_extract_scalar(line, '$["Item"]["pk"]["S"]'), '^SESSION\#[^\#]*\z') AND regexp_like(json_extract_scalar(line, '$["Item"]["sk"]["S"]'), '^INFO\z')));

DROP TABLE IF EXISTS `shop_measurement_lines`;

CREATE EXTERNAL TABLE `shop_measurement_lines` (`line` string)
ROW FORMAT DELIMITED FIELDS TERMINATED BY '\001' LINES TERMINATED BY '\n'
STORED AS TEXTFILE
LOCATION 's3://exports/measurement/AWSDynamoDB/01700000000000-a1b2c3d4/data/';

CREATE OR REPLACE VIEW "shop_measurement_measurement" AS
SELECT
  json_extract_scalar(line, '$["Item"]["meter"]["S"]') AS "meter",
  CAST(from_iso8601_timestamp(json_extract_scalar(line, '$["Item"]["at"]["S"]')) AT TIME ZONE 'UTC' AS timestamp) AS "at",
  CAST(json_extract_scalar(line, '$["Item"]["litres"]["N"]') AS bigint) AS "litres"
FROM "shop_measurement_lines"
WHERE json_extract(line, '$["Item"]') IS NOT NULL
  AND json_extract(line, '$["Item"]["$unique"]') IS NULL;

DROP TABLE IF EXISTS `shop_meter_status_lines`;

CREATE EXTERNAL TABLE `shop_meter_status_lines` (`line` string)
ROW FORMAT DELIMITED FIELDS TERMINATED BY '\001' LINES TERMINATED BY '\n'
STORED AS TEXTFILE
LOCATION 's3://exports/meter-status/AWSDynamoDB/01700000000000-a1b2c3d4/data/';

CREATE OR REPLACE VIEW "shop_meter_status_meter_status" AS
SELECT
  json_extract_scalar(line, '$["Item"]["meter"]["S"]') AS "meter",
  json_extract_scalar(line, '$["Item"]["battery"]["S"]') AS "battery",
  CAST(from_iso8601_timestamp(json_extract_scalar(line, '$["Item"]["seen_at"]["S"]')) AT TIME ZONE 'UTC' AS timestamp) AS "seen_at"
FROM "shop_meter_status_lines"
WHERE json_extract(line, '$["Item"]') IS NOT NULL
  AND json_extract(line, '$["Item"]["$unique"]') IS NULL;

DROP TABLE IF EXISTS `shop_meter_configuration_lines`;

CREATE EXTERNAL TABLE `shop_meter_configuration_lines` (`line` string)
ROW FORMAT DELIMITED FIELDS TERMINATED BY '\001' LINES TERMINATED BY '\n'
STORED AS TEXTFILE
LOCATION 's3://exports/meter-configuration/AWSDynamoDB/01700000000000-a1b2c3d4/data/';

CREATE OR REPLACE VIEW "shop_meter_configuration_configuration" AS
SELECT
  json_extract_scalar(line, '$["Item"]["meter"]["S"]') AS "meter",
  CAST(json_extract_scalar(line, '$["Item"]["revision"]["N"]') AS bigint) AS "revision",
  CAST(json_extract_scalar(line, '$["Item"]["interval_minutes"]["N"]') AS bigint) AS "interval_minutes"
FROM "shop_meter_configuration_lines"
WHERE json_extract(line, '$["Item"]') IS NOT NULL
  AND json_extract(line, '$["Item"]["$unique"]') IS NULL;

DROP TABLE IF EXISTS `shop_readings_lines`;

CREATE EXTERNAL TABLE `shop_readings_lines` (`line` string)
ROW FORMAT DELIMITED FIELDS TERMINATED BY '\001' LINES TERMINATED BY '\n'
STORED AS TEXTFILE
LOCATION 's3://exports/readings/AWSDynamoDB/01700000000000-a1b2c3d4/data/';

CREATE OR REPLACE VIEW "shop_readings_reading" AS
SELECT
  CAST(json_extract_scalar(line, '$["Item"]["meter"]["N"]') AS decimal(20, 0)) AS "meter",
  CAST(json_extract_scalar(line, '$["Item"]["number"]["N"]') AS decimal(20, 0)) AS "number",
  CAST(json_extract_scalar(line, '$["Item"]["watts"]["N"]') AS bigint) AS "watts",
  json_extract_scalar(line, '$["Item"]["note"]["S"]') AS "note"
FROM "shop_readings_lines"
WHERE json_extract(line, '$["Item"]') IS NOT NULL
  AND json_extract(line, '$["Item"]["$unique"]') IS NULL;

DROP TABLE IF EXISTS `shop_message_lines`;

CREATE EXTERNAL TABLE `shop_message_lines` (`line` string)
ROW FORMAT DELIMITED FIELDS TERMINATED BY '\001' LINES TERMINATED BY '\n'
STORED AS TEXTFILE
LOCATION 's3://exports/message/AWSDynamoDB/01700000000000-a1b2c3d4/data/';

CREATE OR REPLACE VIEW "shop_message_message" AS
SELECT
  json_extract_scalar(line, '$["Item"]["id"]["S"]') AS "id",
  json_extract_scalar(line, '$["Item"]["text"]["S"]') AS "text",
  CAST(json_extract_scalar(line, '$["Item"]["chunks"]["N"]') AS bigint) AS "chunks",
  CASE WHEN json_extract(line, '$["Item"]["next"]["NULL"]') IS NULL THEN json_format(json_extract(line, '$["Item"]["next"]')) END AS "next",
  CAST(json_extract_scalar(line, '$["Item"]["version"]["N"]') AS decimal(20, 0)) AS "version"
FROM "shop_message_lines"
WHERE json_extract(line, '$["Item"]') IS NOT NULL
  AND json_extract(line, '$["Item"]["$unique"]') IS NULL
  AND (json_extract_scalar(line, '$["Item"]["_type"]["S"]') = 'Message'
    OR (json_extract(line, '$["Item"]["_type"]') IS NULL AND regexp_like(json_extract_scalar(line, '$["Item"]["pk"]["S"]'), '^MESSAGE\#[^\#]*\z') AND regexp_like(json_extract_scalar(line, '$["Item"]["sk"]["S"]'), '^INFO\z')));

CREATE OR REPLACE VIEW "shop_message_chunk" AS
SELECT
  json_extract_scalar(line, '$["Item"]["message"]["S"]') AS "message",
  CAST(json_extract_scalar(line, '$["Item"]["number"]["N"]') AS bigint) AS "number",
  transform(CAST(json_extract(line, '$["Item"]["recipients"]["L"]') AS array(json)), e -> json_extract_scalar(e, '$["S"]')) AS "recipients"
FROM "shop_message_lines"
WHERE json_extract(line, '$["Item"]') IS NOT NULL
  AND json_extract(line, '$["Item"]["$unique"]') IS NULL
  AND (json_extract_scalar(line, '$["Item"]["_type"]["S"]') = 'Chunk'
    OR (json_extract(line, '$["Item"]["_type"]') IS NULL AND regexp_like(json_extract_scalar(line, '$["Item"]["pk"]["S"]'), '^MESSAGE\#[^\#]*\z') AND regexp_like(json_extract_scalar(line, '$["Item"]["sk"]["S"]'), '^CHUNK\#[^\#]{10}\z')));

CREATE OR REPLACE VIEW "shop_message_waiting" AS
SELECT
  json_extract_scalar(line, '$["Item"]["message"]["S"]') AS "message",
  json_extract_scalar(line, '$["Item"]["recipient"]["S"]') AS "recipient"
FROM "shop_message_lines"
WHERE json_extract(line, '$["Item"]') IS NOT NULL
  AND json_extract(line, '$["Item"]["$unique"]') IS NULL
  AND (json_extract_scalar(line, '$["Item"]["_type"]["S"]') = 'Waiting'
    OR (json_extract(line, '$["Item"]["_type"]') IS NULL AND regexp_like(json_extract_scalar(line, '$["Item"]["pk"]["S"]'), '^MESSAGE\#[^\#]*\z') AND regexp_like(json_extract_scalar(line, '$["Item"]["sk"]["S"]'), '^TO\#[^\#]*\z')));

DROP TABLE IF EXISTS `shop_mailbox_lines`;

CREATE EXTERNAL TABLE `shop_mailbox_lines` (`line` string)
ROW FORMAT DELIMITED FIELDS TERMINATED BY '\001' LINES TERMINATED BY '\n'
STORED AS TEXTFILE
LOCATION 's3://exports/mailbox/AWSDynamoDB/01700000000000-a1b2c3d4/data/';

CREATE OR REPLACE VIEW "shop_mailbox_mailbox" AS
SELECT
  json_extract_scalar(line, '$["Item"]["recipient"]["S"]') AS "recipient",
  CAST(json_extract_scalar(line, '$["Item"]["unread"]["N"]') AS bigint) AS "unread"
FROM "shop_mailbox_lines"
WHERE json_extract(line, '$["Item"]') IS NOT NULL
  AND json_extract(line, '$["Item"]["$unique"]') IS NULL;

DROP TABLE IF EXISTS `shop_mail_shop_lines`;

CREATE EXTERNAL TABLE `shop_mail_shop_lines` (`line` string)
ROW FORMAT DELIMITED FIELDS TERMINATED BY '\001' LINES TERMINATED BY '\n'
STORED AS TEXTFILE
LOCATION 's3://exports/mail-shop/AWSDynamoDB/01700000000000-a1b2c3d4/data/';

CREATE OR REPLACE VIEW "shop_mail_shop_buyer" AS
SELECT
  json_extract_scalar(line, '$["Item"]["buyer"]["S"]') AS "buyer",
  json_extract_scalar(line, '$["Item"]["mail"]["S"]') AS "mail"
FROM "shop_mail_shop_lines"
WHERE json_extract(line, '$["Item"]') IS NOT NULL
  AND json_extract(line, '$["Item"]["$unique"]') IS NULL
  AND (json_extract_scalar(line, '$["Item"]["_type"]["S"]') = 'Buyer'
    OR (json_extract(line, '$["Item"]["_type"]') IS NULL AND regexp_like(json_extract_scalar(line, '$["Item"]["pk"]["S"]'), '^BUYER\#[^\#]*\z') AND regexp_like(json_extract_scalar(line, '$["Item"]["sk"]["S"]'), '^INFO\z')));

CREATE OR REPLACE VIEW "shop_mail_shop_order" AS
SELECT
  json_extract_scalar(line, '$["Item"]["buyer"]["S"]') AS "buyer",
  CAST(json_extract_scalar(line, '$["Item"]["number"]["N"]') AS bigint) AS "number",
  json_extract_scalar(line, '$["Item"]["status"]["S"]') AS "status",
  CAST(json_extract_scalar(line, '$["Item"]["cents"]["N"]') AS decimal(20, 0)) AS "cents"
FROM "shop_mail_shop_lines"
WHERE json_extract(line, '$["Item"]') IS NOT NULL
  AND json_extract(line, '$["Item"]["$unique"]') IS NULL
  AND (json_extract_scalar(line, '$["Item"]["_type"]["S"]') = 'Order'
    OR (json_extract(line, '$["Item"]["_type"]') IS NULL AND regexp_like(json_extract_scalar(line, '$["Item"]["pk"]["S"]'), '^BUYER\#[^\#]*\z') AND regexp_like(json_extract_scalar(line, '$["Item"]["sk"]["S"]'), '^ORDER\#[^\#]{6}\z')));

CREATE OR REPLACE VIEW "shop_mail_shop_reward" AS
SELECT
  json_extract_scalar(line, '$["Item"]["buyer"]["S"]') AS "buyer",
  CAST(json_extract_scalar(line, '$["Item"]["number"]["N"]') AS bigint) AS "number"
FROM "shop_mail_shop_lines"
WHERE json_extract(line, '$["Item"]') IS NOT NULL
  AND json_extract(line, '$["Item"]["$unique"]') IS NULL
  AND (json_extract_scalar(line, '$["Item"]["_type"]["S"]') = 'Reward'
    OR (json_extract(line, '$["Item"]["_type"]') IS NULL AND regexp_like(json_extract_scalar(line, '$["Item"]["pk"]["S"]'), '^BUYER\#[^\#]*\z') AND regexp_like(json_extract_scalar(line, '$["Item"]["sk"]["S"]'), '^REWARD\#[^\#]{6}\z')));

DROP TABLE IF EXISTS `shop_mail_sales_lines`;

CREATE EXTERNAL TABLE `shop_mail_sales_lines` (`line` string)
ROW FORMAT DELIMITED FIELDS TERMINATED BY '\001' LINES TERMINATED BY '\n'
STORED AS TEXTFILE
LOCATION 's3://exports/mail-sales/AWSDynamoDB/01700000000000-a1b2c3d4/data/';

CREATE OR REPLACE VIEW "shop_mail_sales_sales" AS
SELECT
  json_extract_scalar(line, '$["Item"]["buyer"]["S"]') AS "buyer",
  CAST(json_extract_scalar(line, '$["Item"]["cents"]["N"]') AS decimal(20, 0)) AS "cents"
FROM "shop_mail_sales_lines"
WHERE json_extract(line, '$["Item"]') IS NOT NULL
  AND json_extract(line, '$["Item"]["$unique"]') IS NULL;

DROP TABLE IF EXISTS `shop_stream_leases_lines`;

CREATE EXTERNAL TABLE `shop_stream_leases_lines` (`line` string)
ROW FORMAT DELIMITED FIELDS TERMINATED BY '\001' LINES TERMINATED BY '\n'
STORED AS TEXTFILE
LOCATION 's3://exports/stream-leases/AWSDynamoDB/01700000000000-a1b2c3d4/data/';

CREATE OR REPLACE VIEW "shop_stream_leases_stream_group" AS
SELECT
  json_extract_scalar(line, '$["Item"]["group"]["S"]') AS "group",
  json_extract_scalar(line, '$["Item"]["stream"]["S"]') AS "stream",
  CAST(json_extract_scalar(line, '$["Item"]["start_at"]["N"]') AS bigint) AS "start_at",
  json_extract_scalar(line, '$["Item"]["owner"]["S"]') AS "owner",
  CAST(json_extract_scalar(line, '$["Item"]["epoch"]["N"]') AS decimal(20, 0)) AS "epoch",
  CAST(json_extract_scalar(line, '$["Item"]["renewals"]["N"]') AS decimal(20, 0)) AS "renewals",
  CAST(json_extract_scalar(line, '$["Item"]["lease_millis"]["N"]') AS decimal(20, 0)) AS "lease_millis",
  CAST(json_extract_scalar(line, '$["Item"]["surveyed_at"]["N"]') AS bigint) AS "surveyed_at",
  CAST(json_extract(line, '$["Item"]["entities"]["SS"]') AS array(varchar)) AS "entities"
FROM "shop_stream_leases_lines"
WHERE json_extract(line, '$["Item"]') IS NOT NULL
  AND json_extract(line, '$["Item"]["$unique"]') IS NULL
  AND (json_extract_scalar(line, '$["Item"]["_type"]["S"]') = 'StreamGroup'
    OR (json_extract(line, '$["Item"]["_type"]') IS NULL AND regexp_like(json_extract_scalar(line, '$["Item"]["pk"]["S"]'), '^GROUP\#[^\#]*\z') AND regexp_like(json_extract_scalar(line, '$["Item"]["sk"]["S"]'), '^GROUP\z')));

CREATE OR REPLACE VIEW "shop_stream_leases_group_roots" AS
SELECT
  json_extract_scalar(line, '$["Item"]["group"]["S"]') AS "group",
  CAST(json_extract(line, '$["Item"]["shards"]["SS"]') AS array(varchar)) AS "shards"
FROM "shop_stream_leases_lines"
WHERE json_extract(line, '$["Item"]') IS NOT NULL
  AND json_extract(line, '$["Item"]["$unique"]') IS NULL
  AND (json_extract_scalar(line, '$["Item"]["_type"]["S"]') = 'GroupRoots'
    OR (json_extract(line, '$["Item"]["_type"]') IS NULL AND regexp_like(json_extract_scalar(line, '$["Item"]["pk"]["S"]'), '^GROUP\#[^\#]*\z') AND regexp_like(json_extract_scalar(line, '$["Item"]["sk"]["S"]'), '^ROOTS\z')));

CREATE OR REPLACE VIEW "shop_stream_leases_shard_lease" AS
SELECT
  json_extract_scalar(line, '$["Item"]["group"]["S"]') AS "group",
  json_extract_scalar(line, '$["Item"]["shard"]["S"]') AS "shard",
  json_extract_scalar(line, '$["Item"]["parent"]["S"]') AS "parent",
  CAST(json_extract(line, '$["Item"]["children"]["SS"]') AS array(varchar)) AS "children",
  CAST(json_extract_scalar(line, '$["Item"]["unread_since"]["N"]') AS bigint) AS "unread_since",
  json_extract_scalar(line, '$["Item"]["owner"]["S"]') AS "owner",
  CAST(json_extract_scalar(line, '$["Item"]["epoch"]["N"]') AS decimal(20, 0)) AS "epoch",
  CAST(json_extract_scalar(line, '$["Item"]["renewals"]["N"]') AS decimal(20, 0)) AS "renewals",
  CAST(json_extract_scalar(line, '$["Item"]["lease_millis"]["N"]') AS decimal(20, 0)) AS "lease_millis",
  json_extract_scalar(line, '$["Item"]["requested_by"]["S"]') AS "requested_by",
  json_extract_scalar(line, '$["Item"]["place"]["S"]') AS "place",
  CAST(json_extract_scalar(line, '$["Item"]["place_at"]["N"]') AS bigint) AS "place_at",
  CAST(json_extract_scalar(line, '$["Item"]["is_finished"]["BOOL"]') AS boolean) AS "is_finished",
  CAST(json_extract_scalar(line, '$["Item"]["is_initial"]["BOOL"]') AS boolean) AS "is_initial"
FROM "shop_stream_leases_lines"
WHERE json_extract(line, '$["Item"]') IS NOT NULL
  AND json_extract(line, '$["Item"]["$unique"]') IS NULL
  AND (json_extract_scalar(line, '$["Item"]["_type"]["S"]') = 'ShardLease'
    OR (json_extract(line, '$["Item"]["_type"]') IS NULL AND regexp_like(json_extract_scalar(line, '$["Item"]["pk"]["S"]'), '^GROUP\#[^\#]*\z') AND regexp_like(json_extract_scalar(line, '$["Item"]["sk"]["S"]'), '^SHARD\#[^\#]*\z')));

CREATE OR REPLACE VIEW "shop_stream_leases_stream_reader" AS
SELECT
  json_extract_scalar(line, '$["Item"]["stream"]["S"]') AS "stream",
  json_extract_scalar(line, '$["Item"]["group"]["S"]') AS "group"
FROM "shop_stream_leases_lines"
WHERE json_extract(line, '$["Item"]') IS NOT NULL
  AND json_extract(line, '$["Item"]["$unique"]') IS NULL
  AND (json_extract_scalar(line, '$["Item"]["_type"]["S"]') = 'StreamReader'
    OR (json_extract(line, '$["Item"]["_type"]') IS NULL AND regexp_like(json_extract_scalar(line, '$["Item"]["pk"]["S"]'), '^STREAM\#[^\#]*\z') AND regexp_like(json_extract_scalar(line, '$["Item"]["sk"]["S"]'), '^READER\#[^\#]*\z')));

DROP TABLE IF EXISTS `shop_parked_changes_lines`;

CREATE EXTERNAL TABLE `shop_parked_changes_lines` (`line` string)
ROW FORMAT DELIMITED FIELDS TERMINATED BY '\001' LINES TERMINATED BY '\n'
STORED AS TEXTFILE
LOCATION 's3://exports/parked-changes/AWSDynamoDB/01700000000000-a1b2c3d4/data/';

CREATE OR REPLACE VIEW "shop_parked_changes_parked_change" AS
SELECT
  json_extract_scalar(line, '$["Item"]["consumer"]["S"]') AS "consumer",
  json_extract_scalar(line, '$["Item"]["event_id"]["S"]') AS "event_id",
  CAST(json_extract(line, '$["Item"]["attempts"]["SS"]') AS array(varchar)) AS "attempts",
  json_extract_scalar(line, '$["Item"]["reason"]["S"]') AS "reason",
  json_extract_scalar(line, '$["Item"]["item_table"]["S"]') AS "item_table",
  CASE WHEN json_extract(line, '$["Item"]["item_key"]["NULL"]') IS NULL THEN json_format(json_extract(line, '$["Item"]["item_key"]')) END AS "item_key",
  json_extract_scalar(line, '$["Item"]["sequence"]["S"]') AS "sequence",
  CAST(from_iso8601_timestamp(json_extract_scalar(line, '$["Item"]["parked_at"]["S"]')) AT TIME ZONE 'UTC' AS timestamp) AS "parked_at",
  json_extract_scalar(line, '$["Item"]["stored_by"]["S"]') AS "stored_by",
  CAST(json_extract_scalar(line, '$["Item"]["parts"]["N"]') AS bigint) AS "parts",
  CAST(from_unixtime(CAST(json_extract_scalar(line, '$["Item"]["expires_at"]["N"]') AS double)) AT TIME ZONE 'UTC' AS timestamp) AS "expires_at"
FROM "shop_parked_changes_lines"
WHERE json_extract(line, '$["Item"]') IS NOT NULL
  AND json_extract(line, '$["Item"]["$unique"]') IS NULL
  AND (json_extract_scalar(line, '$["Item"]["_type"]["S"]') = 'ParkedChange'
    OR (json_extract(line, '$["Item"]["_type"]') IS NULL AND regexp_like(json_extract_scalar(line, '$["Item"]["pk"]["S"]'), '^CONSUMER\#[^\#]*\z') AND regexp_like(json_extract_scalar(line, '$["Item"]["sk"]["S"]'), '^CHANGE\#[^\#]*\z')));

CREATE OR REPLACE VIEW "shop_parked_changes_parked_part" AS
SELECT
  json_extract_scalar(line, '$["Item"]["consumer"]["S"]') AS "consumer",
  json_extract_scalar(line, '$["Item"]["event_id"]["S"]') AS "event_id",
  json_extract_scalar(line, '$["Item"]["attempt"]["S"]') AS "attempt",
  CAST(json_extract_scalar(line, '$["Item"]["number"]["N"]') AS bigint) AS "number",
  from_base64(json_extract_scalar(line, '$["Item"]["json"]["B"]')) AS "json"
FROM "shop_parked_changes_lines"
WHERE json_extract(line, '$["Item"]') IS NOT NULL
  AND json_extract(line, '$["Item"]["$unique"]') IS NULL
  AND (json_extract_scalar(line, '$["Item"]["_type"]["S"]') = 'ParkedPart'
    OR (json_extract(line, '$["Item"]["_type"]') IS NULL AND regexp_like(json_extract_scalar(line, '$["Item"]["pk"]["S"]'), '^CONSUMER\#[^\#]*\z') AND regexp_like(json_extract_scalar(line, '$["Item"]["sk"]["S"]'), '^PART\#[^\#]*\#[^\#]*\#[^\#]{6}\z')));

DROP TABLE IF EXISTS `shop_once_effects_lines`;

CREATE EXTERNAL TABLE `shop_once_effects_lines` (`line` string)
ROW FORMAT DELIMITED FIELDS TERMINATED BY '\001' LINES TERMINATED BY '\n'
STORED AS TEXTFILE
LOCATION 's3://exports/once-effects/AWSDynamoDB/01700000000000-a1b2c3d4/data/';

CREATE OR REPLACE VIEW "shop_once_effects_once_effect" AS
SELECT
  json_extract_scalar(line, '$["Item"]["id"]["S"]') AS "id",
  json_extract_scalar(line, '$["Item"]["owner"]["S"]') AS "owner",
  CAST(from_iso8601_timestamp(json_extract_scalar(line, '$["Item"]["since"]["S"]')) AT TIME ZONE 'UTC' AS timestamp) AS "since",
  CAST(from_iso8601_timestamp(json_extract_scalar(line, '$["Item"]["until"]["S"]')) AT TIME ZONE 'UTC' AS timestamp) AS "until",
  CAST(json_extract_scalar(line, '$["Item"]["is_done"]["BOOL"]') AS boolean) AS "is_done",
  CASE WHEN json_extract(line, '$["Item"]["result"]["NULL"]') IS NULL THEN json_format(json_extract(line, '$["Item"]["result"]')) END AS "result",
  CAST(from_unixtime(CAST(json_extract_scalar(line, '$["Item"]["expires_at"]["N"]') AS double)) AT TIME ZONE 'UTC' AS timestamp) AS "expires_at",
  CAST(json_extract_scalar(line, '$["Item"]["version"]["N"]') AS decimal(20, 0)) AS "version"
FROM "shop_once_effects_lines"
WHERE json_extract(line, '$["Item"]') IS NOT NULL
  AND json_extract(line, '$["Item"]["$unique"]') IS NULL;

DROP TABLE IF EXISTS `shop_order_lines`;

CREATE EXTERNAL TABLE `shop_order_lines` (`line` string)
ROW FORMAT DELIMITED FIELDS TERMINATED BY '\001' LINES TERMINATED BY '\n'
STORED AS TEXTFILE
LOCATION 's3://exports/order/AWSDynamoDB/01700000000000-a1b2c3d4/data/';

CREATE OR REPLACE VIEW "shop_order_order" AS
SELECT
  CAST(json_extract_scalar(line, '$["Item"]["number"]["N"]') AS bigint) AS "number",
  json_extract_scalar(line, '$["Item"]["customer"]["S"]') AS "customer",
  CAST(from_iso8601_timestamp(json_extract_scalar(line, '$["Item"]["placed_at"]["S"]')) AT TIME ZONE 'UTC' AS timestamp) AS "placed_at",
  json_extract_scalar(line, '$["Item"]["status"]["S"]') AS "status",
  CAST(json_extract_scalar(line, '$["Item"]["total"]["N"]') AS bigint) AS "total",
  json_extract_scalar(line, '$["Item"]["address"]["S"]') AS "address"
FROM "shop_order_lines"
WHERE json_extract(line, '$["Item"]') IS NOT NULL
  AND json_extract(line, '$["Item"]["$unique"]') IS NULL;

DROP TABLE IF EXISTS `shop_employee_lines`;

CREATE EXTERNAL TABLE `shop_employee_lines` (`line` string)
ROW FORMAT DELIMITED FIELDS TERMINATED BY '\001' LINES TERMINATED BY '\n'
STORED AS TEXTFILE
LOCATION 's3://exports/employee/AWSDynamoDB/01700000000000-a1b2c3d4/data/';

CREATE OR REPLACE VIEW "shop_employee_employee" AS
SELECT
  json_extract_scalar(line, '$["Item"]["company"]["S"]') AS "company",
  CAST(json_extract_scalar(line, '$["Item"]["number"]["N"]') AS bigint) AS "number",
  json_extract_scalar(line, '$["Item"]["name"]["S"]') AS "name",
  json_extract_scalar(line, '$["Item"]["hobby"]["S"]') AS "hobby"
FROM "shop_employee_lines"
WHERE json_extract(line, '$["Item"]') IS NOT NULL
  AND json_extract(line, '$["Item"]["$unique"]') IS NULL;

DROP TABLE IF EXISTS `shop_large_company_lines`;

CREATE EXTERNAL TABLE `shop_large_company_lines` (`line` string)
ROW FORMAT DELIMITED FIELDS TERMINATED BY '\001' LINES TERMINATED BY '\n'
STORED AS TEXTFILE
LOCATION 's3://exports/large-company/AWSDynamoDB/01700000000000-a1b2c3d4/data/';

CREATE OR REPLACE VIEW "shop_large_company_employee_of_many" AS
SELECT
  json_extract_scalar(line, '$["Item"]["company"]["S"]') AS "company",
  CAST(json_extract_scalar(line, '$["Item"]["number"]["N"]') AS bigint) AS "number",
  json_extract_scalar(line, '$["Item"]["name"]["S"]') AS "name",
  json_extract_scalar(line, '$["Item"]["hobby"]["S"]') AS "hobby"
FROM "shop_large_company_lines"
WHERE json_extract(line, '$["Item"]') IS NOT NULL
  AND json_extract(line, '$["Item"]["$unique"]') IS NULL;

DROP TABLE IF EXISTS `shop_request_count_lines`;

CREATE EXTERNAL TABLE `shop_request_count_lines` (`line` string)
ROW FORMAT DELIMITED FIELDS TERMINATED BY '\001' LINES TERMINATED BY '\n'
STORED AS TEXTFILE
LOCATION 's3://exports/request-count/AWSDynamoDB/01700000000000-a1b2c3d4/data/';

CREATE OR REPLACE VIEW "shop_request_count_request_count" AS
SELECT
  json_extract_scalar(line, '$["Item"]["request_name"]["S"]') AS "request_name",
  CAST(json_extract_scalar(line, '$["Item"]["day"]["S"]') AS date) AS "day",
  CAST(json_extract_scalar(line, '$["Item"]["count"]["N"]') AS decimal(20, 0)) AS "count"
FROM "shop_request_count_lines"
WHERE json_extract(line, '$["Item"]') IS NOT NULL
  AND json_extract(line, '$["Item"]["$unique"]') IS NULL;

DROP TABLE IF EXISTS `shop_busy_request_count_lines`;

CREATE EXTERNAL TABLE `shop_busy_request_count_lines` (`line` string)
ROW FORMAT DELIMITED FIELDS TERMINATED BY '\001' LINES TERMINATED BY '\n'
STORED AS TEXTFILE
LOCATION 's3://exports/busy-request-count/AWSDynamoDB/01700000000000-a1b2c3d4/data/';

CREATE OR REPLACE VIEW "shop_busy_request_count_busy_request_count" AS
SELECT
  json_extract_scalar(line, '$["Item"]["request_name"]["S"]') AS "request_name",
  CAST(json_extract_scalar(line, '$["Item"]["slice"]["N"]') AS bigint) AS "slice",
  CAST(json_extract_scalar(line, '$["Item"]["day"]["S"]') AS date) AS "day",
  CAST(json_extract_scalar(line, '$["Item"]["count"]["N"]') AS decimal(20, 0)) AS "count"
FROM "shop_busy_request_count_lines"
WHERE json_extract(line, '$["Item"]') IS NOT NULL
  AND json_extract(line, '$["Item"]["$unique"]') IS NULL;

DROP TABLE IF EXISTS `shop_shop_lines`;

CREATE EXTERNAL TABLE `shop_shop_lines` (`line` string)
ROW FORMAT DELIMITED FIELDS TERMINATED BY '\001' LINES TERMINATED BY '\n'
STORED AS TEXTFILE
LOCATION 's3://exports/shop/AWSDynamoDB/01700000000000-a1b2c3d4/data/';

CREATE OR REPLACE VIEW "shop_shop_shop" AS
SELECT
  CAST(json_extract_scalar(line, '$["Item"]["id"]["N"]') AS bigint) AS "id",
  json_extract_scalar(line, '$["Item"]["kind"]["S"]') AS "kind",
  json_extract_scalar(line, '$["Item"]["country"]["S"]') AS "country",
  json_extract_scalar(line, '$["Item"]["state"]["S"]') AS "state",
  json_extract_scalar(line, '$["Item"]["city"]["S"]') AS "city",
  json_extract_scalar(line, '$["Item"]["name"]["S"]') AS "name"
FROM "shop_shop_lines"
WHERE json_extract(line, '$["Item"]') IS NOT NULL
  AND json_extract(line, '$["Item"]["$unique"]') IS NULL;

DROP TABLE IF EXISTS `shop_sharded_order_lines`;

CREATE EXTERNAL TABLE `shop_sharded_order_lines` (`line` string)
ROW FORMAT DELIMITED FIELDS TERMINATED BY '\001' LINES TERMINATED BY '\n'
STORED AS TEXTFILE
LOCATION 's3://exports/sharded-order/AWSDynamoDB/01700000000000-a1b2c3d4/data/';

CREATE OR REPLACE VIEW "shop_sharded_order_order" AS
SELECT
  CAST(json_extract_scalar(line, '$["Item"]["number"]["N"]') AS bigint) AS "number",
  json_extract_scalar(line, '$["Item"]["status"]["S"]') AS "status",
  CAST(from_iso8601_timestamp(json_extract_scalar(line, '$["Item"]["placed_at"]["S"]')) AT TIME ZONE 'UTC' AS timestamp) AS "placed_at"
FROM "shop_sharded_order_lines"
WHERE json_extract(line, '$["Item"]') IS NOT NULL
  AND json_extract(line, '$["Item"]["$unique"]') IS NULL;

DROP TABLE IF EXISTS `shop_task_lines`;

CREATE EXTERNAL TABLE `shop_task_lines` (`line` string)
ROW FORMAT DELIMITED FIELDS TERMINATED BY '\001' LINES TERMINATED BY '\n'
STORED AS TEXTFILE
LOCATION 's3://exports/task/AWSDynamoDB/01700000000000-a1b2c3d4/data/';

CREATE OR REPLACE VIEW "shop_task_task" AS
SELECT
  json_extract_scalar(line, '$["Item"]["list"]["S"]') AS "list",
  json_extract_scalar(line, '$["Item"]["id"]["S"]') AS "id",
  json_extract_scalar(line, '$["Item"]["title"]["S"]') AS "title",
  CAST(json_extract_scalar(line, '$["Item"]["done"]["BOOL"]') AS boolean) AS "done",
  CAST(json_extract_scalar(line, '$["Item"]["version"]["N"]') AS decimal(20, 0)) AS "version",
  CAST(from_iso8601_timestamp(json_extract_scalar(line, '$["Item"]["created_at"]["S"]')) AT TIME ZONE 'UTC' AS timestamp) AS "created_at",
  CAST(from_iso8601_timestamp(json_extract_scalar(line, '$["Item"]["updated_at"]["S"]')) AT TIME ZONE 'UTC' AS timestamp) AS "updated_at"
FROM "shop_task_lines"
WHERE json_extract(line, '$["Item"]') IS NOT NULL
  AND json_extract(line, '$["Item"]["$unique"]') IS NULL;
