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
  TRY(CAST(from_unixtime(CAST(json_extract_scalar(line, '$["Item"]["expires_at"]["N"]') AS double)) AT TIME ZONE 'UTC' AS timestamp)) AS "expires_at"
FROM "shop_access_token_lines"
WHERE json_extract(line, '$["Item"]') IS NOT NULL
  AND json_extract(line, '$["Item"]["$unique"]') IS NULL;

CREATE OR REPLACE VIEW "shop_access_token_access_token_unread" AS
SELECT
  count(CASE WHEN json_extract(line, '$["Item"]["service"]') IS NOT NULL AND json_extract(line, '$["Item"]["service"]["NULL"]') IS NULL AND json_extract_scalar(line, '$["Item"]["service"]["S"]') IS NULL THEN 1 END) AS "service",
  count(CASE WHEN json_extract(line, '$["Item"]["token"]') IS NOT NULL AND json_extract(line, '$["Item"]["token"]["NULL"]') IS NULL AND json_extract_scalar(line, '$["Item"]["token"]["S"]') IS NULL THEN 1 END) AS "token",
  count(CASE WHEN json_extract(line, '$["Item"]["expires_at"]') IS NOT NULL AND json_extract(line, '$["Item"]["expires_at"]["NULL"]') IS NULL AND TRY(CAST(from_unixtime(CAST(json_extract_scalar(line, '$["Item"]["expires_at"]["N"]') AS double)) AT TIME ZONE 'UTC' AS timestamp)) IS NULL THEN 1 END) AS "expires_at"
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
  TRY_CAST(regexp_extract(json_extract_scalar(line, '$["Item"]["points"]["N"]'), '^-?[0-9]+\z') AS bigint) AS "points"
FROM "shop_app_user_lines"
WHERE json_extract(line, '$["Item"]') IS NOT NULL
  AND json_extract(line, '$["Item"]["$unique"]') IS NULL
  AND (json_extract_scalar(line, '$["Item"]["_type"]["S"]') = 'Rewards'
    OR (json_extract(line, '$["Item"]["_type"]') IS NULL AND regexp_like(json_extract_scalar(line, '$["Item"]["record"]["S"]'), '^REWARDS\z')));

CREATE OR REPLACE VIEW "shop_app_user_hand_over" AS
SELECT
  json_extract_scalar(line, '$["Item"]["user_id"]["S"]') AS "user_id",
  TRY(CAST(from_iso8601_timestamp(json_extract_scalar(line, '$["Item"]["at"]["S"]')) AT TIME ZONE 'UTC' AS timestamp)) AS "at",
  json_extract_scalar(line, '$["Item"]["device"]["S"]') AS "device"
FROM "shop_app_user_lines"
WHERE json_extract(line, '$["Item"]') IS NOT NULL
  AND json_extract(line, '$["Item"]["$unique"]') IS NULL
  AND (json_extract_scalar(line, '$["Item"]["_type"]["S"]') = 'HandOver'
    OR (json_extract(line, '$["Item"]["_type"]') IS NULL AND regexp_like(json_extract_scalar(line, '$["Item"]["record"]["S"]'), '^HAND_OVER\#[^\#]{30}\z')));

CREATE OR REPLACE VIEW "shop_app_user_user_info_unread" AS
SELECT
  count(CASE WHEN json_extract(line, '$["Item"]["user_id"]') IS NOT NULL AND json_extract(line, '$["Item"]["user_id"]["NULL"]') IS NULL AND json_extract_scalar(line, '$["Item"]["user_id"]["S"]') IS NULL THEN 1 END) AS "user_id",
  count(CASE WHEN json_extract(line, '$["Item"]["email"]') IS NOT NULL AND json_extract(line, '$["Item"]["email"]["NULL"]') IS NULL AND json_extract_scalar(line, '$["Item"]["email"]["S"]') IS NULL THEN 1 END) AS "email",
  count(CASE WHEN json_extract(line, '$["Item"]["device"]') IS NOT NULL AND json_extract(line, '$["Item"]["device"]["NULL"]') IS NULL AND json_extract_scalar(line, '$["Item"]["device"]["S"]') IS NULL THEN 1 END) AS "device",
  count(CASE WHEN json_extract(line, '$["Item"]["hand_over_code"]') IS NOT NULL AND json_extract(line, '$["Item"]["hand_over_code"]["NULL"]') IS NULL AND json_extract_scalar(line, '$["Item"]["hand_over_code"]["S"]') IS NULL THEN 1 END) AS "hand_over_code"
FROM "shop_app_user_lines"
WHERE json_extract(line, '$["Item"]') IS NOT NULL
  AND json_extract(line, '$["Item"]["$unique"]') IS NULL
  AND (json_extract_scalar(line, '$["Item"]["_type"]["S"]') = 'UserInfo'
    OR (json_extract(line, '$["Item"]["_type"]') IS NULL AND regexp_like(json_extract_scalar(line, '$["Item"]["record"]["S"]'), '^USER_INFO\z')));

CREATE OR REPLACE VIEW "shop_app_user_rewards_unread" AS
SELECT
  count(CASE WHEN json_extract(line, '$["Item"]["user_id"]') IS NOT NULL AND json_extract(line, '$["Item"]["user_id"]["NULL"]') IS NULL AND json_extract_scalar(line, '$["Item"]["user_id"]["S"]') IS NULL THEN 1 END) AS "user_id",
  count(CASE WHEN json_extract(line, '$["Item"]["points"]') IS NOT NULL AND json_extract(line, '$["Item"]["points"]["NULL"]') IS NULL AND TRY_CAST(regexp_extract(json_extract_scalar(line, '$["Item"]["points"]["N"]'), '^-?[0-9]+\z') AS bigint) IS NULL THEN 1 END) AS "points"
FROM "shop_app_user_lines"
WHERE json_extract(line, '$["Item"]') IS NOT NULL
  AND json_extract(line, '$["Item"]["$unique"]') IS NULL
  AND (json_extract_scalar(line, '$["Item"]["_type"]["S"]') = 'Rewards'
    OR (json_extract(line, '$["Item"]["_type"]') IS NULL AND regexp_like(json_extract_scalar(line, '$["Item"]["record"]["S"]'), '^REWARDS\z')));

CREATE OR REPLACE VIEW "shop_app_user_hand_over_unread" AS
SELECT
  count(CASE WHEN json_extract(line, '$["Item"]["user_id"]') IS NOT NULL AND json_extract(line, '$["Item"]["user_id"]["NULL"]') IS NULL AND json_extract_scalar(line, '$["Item"]["user_id"]["S"]') IS NULL THEN 1 END) AS "user_id",
  count(CASE WHEN json_extract(line, '$["Item"]["at"]') IS NOT NULL AND json_extract(line, '$["Item"]["at"]["NULL"]') IS NULL AND TRY(CAST(from_iso8601_timestamp(json_extract_scalar(line, '$["Item"]["at"]["S"]')) AT TIME ZONE 'UTC' AS timestamp)) IS NULL THEN 1 END) AS "at",
  count(CASE WHEN json_extract(line, '$["Item"]["device"]') IS NOT NULL AND json_extract(line, '$["Item"]["device"]["NULL"]') IS NULL AND json_extract_scalar(line, '$["Item"]["device"]["S"]') IS NULL THEN 1 END) AS "device"
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
  TRY(CAST(from_iso8601_timestamp(json_extract_scalar(line, '$["Item"]["written_at"]["S"]')) AT TIME ZONE 'UTC' AS timestamp)) AS "written_at",
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
  TRY(CAST(from_iso8601_timestamp(json_extract_scalar(line, '$["Item"]["written_at"]["S"]')) AT TIME ZONE 'UTC' AS timestamp)) AS "written_at",
  json_extract_scalar(line, '$["Item"]["by"]["S"]') AS "by",
  json_extract_scalar(line, '$["Item"]["text"]["S"]') AS "text"
FROM "shop_blog_lines"
WHERE json_extract(line, '$["Item"]') IS NOT NULL
  AND json_extract(line, '$["Item"]["$unique"]') IS NULL
  AND (json_extract_scalar(line, '$["Item"]["_type"]["S"]') = 'Comment'
    OR (json_extract(line, '$["Item"]["_type"]') IS NULL AND regexp_like(json_extract_scalar(line, '$["Item"]["pk"]["S"]'), '^POST\#[^\#]*\z') AND regexp_like(json_extract_scalar(line, '$["Item"]["sk"]["S"]'), '^[^\#]{30}\#[^\#]*\z')));

CREATE OR REPLACE VIEW "shop_blog_post_unread" AS
SELECT
  count(CASE WHEN json_extract(line, '$["Item"]["author"]') IS NOT NULL AND json_extract(line, '$["Item"]["author"]["NULL"]') IS NULL AND json_extract_scalar(line, '$["Item"]["author"]["S"]') IS NULL THEN 1 END) AS "author",
  count(CASE WHEN json_extract(line, '$["Item"]["id"]') IS NOT NULL AND json_extract(line, '$["Item"]["id"]["NULL"]') IS NULL AND json_extract_scalar(line, '$["Item"]["id"]["S"]') IS NULL THEN 1 END) AS "id",
  count(CASE WHEN json_extract(line, '$["Item"]["written_at"]') IS NOT NULL AND json_extract(line, '$["Item"]["written_at"]["NULL"]') IS NULL AND TRY(CAST(from_iso8601_timestamp(json_extract_scalar(line, '$["Item"]["written_at"]["S"]')) AT TIME ZONE 'UTC' AS timestamp)) IS NULL THEN 1 END) AS "written_at",
  count(CASE WHEN json_extract(line, '$["Item"]["title"]') IS NOT NULL AND json_extract(line, '$["Item"]["title"]["NULL"]') IS NULL AND json_extract_scalar(line, '$["Item"]["title"]["S"]') IS NULL THEN 1 END) AS "title",
  count(CASE WHEN json_extract(line, '$["Item"]["text"]') IS NOT NULL AND json_extract(line, '$["Item"]["text"]["NULL"]') IS NULL AND json_extract_scalar(line, '$["Item"]["text"]["S"]') IS NULL THEN 1 END) AS "text"
FROM "shop_blog_lines"
WHERE json_extract(line, '$["Item"]') IS NOT NULL
  AND json_extract(line, '$["Item"]["$unique"]') IS NULL
  AND (json_extract_scalar(line, '$["Item"]["_type"]["S"]') = 'Post'
    OR (json_extract(line, '$["Item"]["_type"]') IS NULL AND regexp_like(json_extract_scalar(line, '$["Item"]["pk"]["S"]'), '^POSTS\z') AND regexp_like(json_extract_scalar(line, '$["Item"]["sk"]["S"]'), '^[^\#]*\#[^\#]*\z')));

CREATE OR REPLACE VIEW "shop_blog_comment_unread" AS
SELECT
  count(CASE WHEN json_extract(line, '$["Item"]["post"]') IS NOT NULL AND json_extract(line, '$["Item"]["post"]["NULL"]') IS NULL AND json_extract_scalar(line, '$["Item"]["post"]["S"]') IS NULL THEN 1 END) AS "post",
  count(CASE WHEN json_extract(line, '$["Item"]["written_at"]') IS NOT NULL AND json_extract(line, '$["Item"]["written_at"]["NULL"]') IS NULL AND TRY(CAST(from_iso8601_timestamp(json_extract_scalar(line, '$["Item"]["written_at"]["S"]')) AT TIME ZONE 'UTC' AS timestamp)) IS NULL THEN 1 END) AS "written_at",
  count(CASE WHEN json_extract(line, '$["Item"]["by"]') IS NOT NULL AND json_extract(line, '$["Item"]["by"]["NULL"]') IS NULL AND json_extract_scalar(line, '$["Item"]["by"]["S"]') IS NULL THEN 1 END) AS "by",
  count(CASE WHEN json_extract(line, '$["Item"]["text"]') IS NOT NULL AND json_extract(line, '$["Item"]["text"]["NULL"]') IS NULL AND json_extract_scalar(line, '$["Item"]["text"]["S"]') IS NULL THEN 1 END) AS "text"
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
  TRY_CAST(regexp_extract(json_extract_scalar(line, '$["Item"]["number"]["N"]'), '^-?[0-9]+\z') AS bigint) AS "number",
  TRY_CAST(regexp_extract(json_extract_scalar(line, '$["Item"]["cents"]["N"]'), '^-?[0-9]+\z') AS bigint) AS "cents",
  TRY_CAST(json_extract_scalar(line, '$["Item"]["is_closed"]["BOOL"]') AS boolean) AS "is_closed",
  TRY_CAST(regexp_extract(json_extract_scalar(line, '$["Item"]["version"]["N"]'), '^-?[0-9]+\z') AS decimal(20, 0)) AS "version"
FROM "shop_accounts_lines"
WHERE json_extract(line, '$["Item"]') IS NOT NULL
  AND json_extract(line, '$["Item"]["$unique"]') IS NULL;

CREATE OR REPLACE VIEW "shop_accounts_account_unread" AS
SELECT
  count(CASE WHEN json_extract(line, '$["Item"]["branch"]') IS NOT NULL AND json_extract(line, '$["Item"]["branch"]["NULL"]') IS NULL AND json_extract_scalar(line, '$["Item"]["branch"]["S"]') IS NULL THEN 1 END) AS "branch",
  count(CASE WHEN json_extract(line, '$["Item"]["number"]') IS NOT NULL AND json_extract(line, '$["Item"]["number"]["NULL"]') IS NULL AND TRY_CAST(regexp_extract(json_extract_scalar(line, '$["Item"]["number"]["N"]'), '^-?[0-9]+\z') AS bigint) IS NULL THEN 1 END) AS "number",
  count(CASE WHEN json_extract(line, '$["Item"]["cents"]') IS NOT NULL AND json_extract(line, '$["Item"]["cents"]["NULL"]') IS NULL AND TRY_CAST(regexp_extract(json_extract_scalar(line, '$["Item"]["cents"]["N"]'), '^-?[0-9]+\z') AS bigint) IS NULL THEN 1 END) AS "cents",
  count(CASE WHEN json_extract(line, '$["Item"]["is_closed"]') IS NOT NULL AND json_extract(line, '$["Item"]["is_closed"]["NULL"]') IS NULL AND TRY_CAST(json_extract_scalar(line, '$["Item"]["is_closed"]["BOOL"]') AS boolean) IS NULL THEN 1 END) AS "is_closed",
  count(CASE WHEN json_extract(line, '$["Item"]["version"]') IS NOT NULL AND json_extract(line, '$["Item"]["version"]["NULL"]') IS NULL AND TRY_CAST(regexp_extract(json_extract_scalar(line, '$["Item"]["version"]["N"]'), '^-?[0-9]+\z') AS decimal(20, 0)) IS NULL THEN 1 END) AS "version"
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
  TRY_CAST(regexp_extract(json_extract_scalar(line, '$["Item"]["version"]["N"]'), '^-?[0-9]+\z') AS decimal(20, 0)) AS "version",
  TRY(CAST(from_iso8601_timestamp(json_extract_scalar(line, '$["Item"]["created_at"]["S"]')) AT TIME ZONE 'UTC' AS timestamp)) AS "created_at",
  TRY(CAST(from_iso8601_timestamp(json_extract_scalar(line, '$["Item"]["updated_at"]["S"]')) AT TIME ZONE 'UTC' AS timestamp)) AS "updated_at"
FROM "shop_contact_lines"
WHERE json_extract(line, '$["Item"]') IS NOT NULL
  AND json_extract(line, '$["Item"]["$unique"]') IS NULL;

CREATE OR REPLACE VIEW "shop_contact_contact_unread" AS
SELECT
  count(CASE WHEN json_extract(line, '$["Item"]["book"]') IS NOT NULL AND json_extract(line, '$["Item"]["book"]["NULL"]') IS NULL AND json_extract_scalar(line, '$["Item"]["book"]["S"]') IS NULL THEN 1 END) AS "book",
  count(CASE WHEN json_extract(line, '$["Item"]["handle"]') IS NOT NULL AND json_extract(line, '$["Item"]["handle"]["NULL"]') IS NULL AND json_extract_scalar(line, '$["Item"]["handle"]["S"]') IS NULL THEN 1 END) AS "handle",
  count(CASE WHEN json_extract(line, '$["Item"]["name"]') IS NOT NULL AND json_extract(line, '$["Item"]["name"]["NULL"]') IS NULL AND json_extract_scalar(line, '$["Item"]["name"]["S"]') IS NULL THEN 1 END) AS "name",
  count(CASE WHEN json_extract(line, '$["Item"]["email"]') IS NOT NULL AND json_extract(line, '$["Item"]["email"]["NULL"]') IS NULL AND json_extract_scalar(line, '$["Item"]["email"]["S"]') IS NULL THEN 1 END) AS "email",
  count(CASE WHEN json_extract(line, '$["Item"]["tags"]') IS NOT NULL AND json_extract(line, '$["Item"]["tags"]["NULL"]') IS NULL AND CAST(json_extract(line, '$["Item"]["tags"]["SS"]') AS array(varchar)) IS NULL THEN 1 END) AS "tags",
  count(CASE WHEN json_extract(line, '$["Item"]["version"]') IS NOT NULL AND json_extract(line, '$["Item"]["version"]["NULL"]') IS NULL AND TRY_CAST(regexp_extract(json_extract_scalar(line, '$["Item"]["version"]["N"]'), '^-?[0-9]+\z') AS decimal(20, 0)) IS NULL THEN 1 END) AS "version",
  count(CASE WHEN json_extract(line, '$["Item"]["created_at"]') IS NOT NULL AND json_extract(line, '$["Item"]["created_at"]["NULL"]') IS NULL AND TRY(CAST(from_iso8601_timestamp(json_extract_scalar(line, '$["Item"]["created_at"]["S"]')) AT TIME ZONE 'UTC' AS timestamp)) IS NULL THEN 1 END) AS "created_at",
  count(CASE WHEN json_extract(line, '$["Item"]["updated_at"]') IS NOT NULL AND json_extract(line, '$["Item"]["updated_at"]["NULL"]') IS NULL AND TRY(CAST(from_iso8601_timestamp(json_extract_scalar(line, '$["Item"]["updated_at"]["S"]')) AT TIME ZONE 'UTC' AS timestamp)) IS NULL THEN 1 END) AS "updated_at"
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
  TRY_CAST(json_extract_scalar(line, '$["Item"]["away"]["BOOL"]') AS boolean) AS "away"
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
  TRY_CAST(regexp_extract(json_extract_scalar(line, '$["Item"]["ticket"]["N"]'), '^-?[0-9]+\z') AS decimal(20, 0)) AS "ticket",
  json_extract_scalar(line, '$["Item"]["subject"]["S"]') AS "subject",
  json_extract_scalar(line, '$["Item"]["customer"]["S"]') AS "customer",
  json_extract_scalar(line, '$["Item"]["status"]["S"]') AS "status",
  TRY_CAST(regexp_extract(json_extract_scalar(line, '$["Item"]["priority"]["N"]'), '^-?[0-9]+\z') AS bigint) AS "priority",
  json_extract_scalar(line, '$["Item"]["assignee"]["S"]') AS "assignee",
  TRY(CAST(from_iso8601_timestamp(json_extract_scalar(line, '$["Item"]["due"]["S"]')) AT TIME ZONE 'UTC' AS timestamp)) AS "due",
  TRY_CAST(regexp_extract(json_extract_scalar(line, '$["Item"]["comments"]["N"]'), '^-?[0-9]+\z') AS bigint) AS "comments",
  TRY_CAST(regexp_extract(json_extract_scalar(line, '$["Item"]["merged_into"]["N"]'), '^-?[0-9]+\z') AS decimal(20, 0)) AS "merged_into",
  TRY_CAST(regexp_extract(json_extract_scalar(line, '$["Item"]["version"]["N"]'), '^-?[0-9]+\z') AS decimal(20, 0)) AS "version",
  TRY(CAST(from_iso8601_timestamp(json_extract_scalar(line, '$["Item"]["updated_at"]["S"]')) AT TIME ZONE 'UTC' AS timestamp)) AS "updated_at"
FROM "shop_help_desk_lines"
WHERE json_extract(line, '$["Item"]') IS NOT NULL
  AND json_extract(line, '$["Item"]["$unique"]') IS NULL
  AND (json_extract_scalar(line, '$["Item"]["_type"]["S"]') = 'Ticket'
    OR (json_extract(line, '$["Item"]["_type"]') IS NULL AND regexp_like(json_extract_scalar(line, '$["Item"]["pk"]["S"]'), '^TICKET\#[^\#]*\#[^\#]{20}\z') AND regexp_like(json_extract_scalar(line, '$["Item"]["sk"]["S"]'), '^INFO\z')));

CREATE OR REPLACE VIEW "shop_help_desk_comment" AS
SELECT
  json_extract_scalar(line, '$["Item"]["tenant"]["S"]') AS "tenant",
  TRY_CAST(regexp_extract(json_extract_scalar(line, '$["Item"]["ticket"]["N"]'), '^-?[0-9]+\z') AS decimal(20, 0)) AS "ticket",
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
  TRY_CAST(regexp_extract(json_extract_scalar(line, '$["Item"]["ticket"]["N"]'), '^-?[0-9]+\z') AS decimal(20, 0)) AS "ticket",
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
  TRY_CAST(regexp_extract(json_extract_scalar(line, '$["Item"]["ticket"]["N"]'), '^-?[0-9]+\z') AS decimal(20, 0)) AS "ticket",
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
  TRY_CAST(regexp_extract(json_extract_scalar(line, '$["Item"]["last"]["N"]'), '^-?[0-9]+\z') AS decimal(20, 0)) AS "last"
FROM "shop_help_desk_lines"
WHERE json_extract(line, '$["Item"]') IS NOT NULL
  AND json_extract(line, '$["Item"]["$unique"]') IS NULL
  AND (json_extract_scalar(line, '$["Item"]["_type"]["S"]') = 'Counter'
    OR (json_extract(line, '$["Item"]["_type"]') IS NULL AND regexp_like(json_extract_scalar(line, '$["Item"]["pk"]["S"]'), '^COUNTER\#[^\#]*\z') AND regexp_like(json_extract_scalar(line, '$["Item"]["sk"]["S"]'), '^[^\#]*\z')));

CREATE OR REPLACE VIEW "shop_help_desk_tally" AS
SELECT
  json_extract_scalar(line, '$["Item"]["tenant"]["S"]') AS "tenant",
  json_extract_scalar(line, '$["Item"]["status"]["S"]') AS "status",
  TRY_CAST(regexp_extract(json_extract_scalar(line, '$["Item"]["tickets"]["N"]'), '^-?[0-9]+\z') AS bigint) AS "tickets"
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
  TRY(CAST(from_unixtime(CAST(json_extract_scalar(line, '$["Item"]["until"]["N"]') AS double)) AT TIME ZONE 'UTC' AS timestamp)) AS "until"
FROM "shop_help_desk_lines"
WHERE json_extract(line, '$["Item"]') IS NOT NULL
  AND json_extract(line, '$["Item"]["$unique"]') IS NULL
  AND (json_extract_scalar(line, '$["Item"]["_type"]["S"]') = 'Session'
    OR (json_extract(line, '$["Item"]["_type"]') IS NULL AND regexp_like(json_extract_scalar(line, '$["Item"]["pk"]["S"]'), '^SESSION\#[^\#]*\z') AND regexp_like(json_extract_scalar(line, '$["Item"]["sk"]["S"]'), '^INFO\z')));

CREATE OR REPLACE VIEW "shop_help_desk_tenant_unread" AS
SELECT
  count(CASE WHEN json_extract(line, '$["Item"]["tenant"]') IS NOT NULL AND json_extract(line, '$["Item"]["tenant"]["NULL"]') IS NULL AND json_extract_scalar(line, '$["Item"]["tenant"]["S"]') IS NULL THEN 1 END) AS "tenant",
  count(CASE WHEN json_extract(line, '$["Item"]["name"]') IS NOT NULL AND json_extract(line, '$["Item"]["name"]["NULL"]') IS NULL AND json_extract_scalar(line, '$["Item"]["name"]["S"]') IS NULL THEN 1 END) AS "name"
FROM "shop_help_desk_lines"
WHERE json_extract(line, '$["Item"]') IS NOT NULL
  AND json_extract(line, '$["Item"]["$unique"]') IS NULL
  AND (json_extract_scalar(line, '$["Item"]["_type"]["S"]') = 'Tenant'
    OR (json_extract(line, '$["Item"]["_type"]') IS NULL AND regexp_like(json_extract_scalar(line, '$["Item"]["pk"]["S"]'), '^TENANT\#[^\#]*\z') AND regexp_like(json_extract_scalar(line, '$["Item"]["sk"]["S"]'), '^INFO\z')));

CREATE OR REPLACE VIEW "shop_help_desk_agent_unread" AS
SELECT
  count(CASE WHEN json_extract(line, '$["Item"]["tenant"]') IS NOT NULL AND json_extract(line, '$["Item"]["tenant"]["NULL"]') IS NULL AND json_extract_scalar(line, '$["Item"]["tenant"]["S"]') IS NULL THEN 1 END) AS "tenant",
  count(CASE WHEN json_extract(line, '$["Item"]["agent"]') IS NOT NULL AND json_extract(line, '$["Item"]["agent"]["NULL"]') IS NULL AND json_extract_scalar(line, '$["Item"]["agent"]["S"]') IS NULL THEN 1 END) AS "agent",
  count(CASE WHEN json_extract(line, '$["Item"]["email"]') IS NOT NULL AND json_extract(line, '$["Item"]["email"]["NULL"]') IS NULL AND json_extract_scalar(line, '$["Item"]["email"]["S"]') IS NULL THEN 1 END) AS "email",
  count(CASE WHEN json_extract(line, '$["Item"]["away"]') IS NOT NULL AND json_extract(line, '$["Item"]["away"]["NULL"]') IS NULL AND TRY_CAST(json_extract_scalar(line, '$["Item"]["away"]["BOOL"]') AS boolean) IS NULL THEN 1 END) AS "away"
FROM "shop_help_desk_lines"
WHERE json_extract(line, '$["Item"]') IS NOT NULL
  AND json_extract(line, '$["Item"]["$unique"]') IS NULL
  AND (json_extract_scalar(line, '$["Item"]["_type"]["S"]') = 'Agent'
    OR (json_extract(line, '$["Item"]["_type"]') IS NULL AND regexp_like(json_extract_scalar(line, '$["Item"]["pk"]["S"]'), '^TENANT\#[^\#]*\z') AND regexp_like(json_extract_scalar(line, '$["Item"]["sk"]["S"]'), '^AGENT\#[^\#]*\z')));

CREATE OR REPLACE VIEW "shop_help_desk_customer_unread" AS
SELECT
  count(CASE WHEN json_extract(line, '$["Item"]["tenant"]') IS NOT NULL AND json_extract(line, '$["Item"]["tenant"]["NULL"]') IS NULL AND json_extract_scalar(line, '$["Item"]["tenant"]["S"]') IS NULL THEN 1 END) AS "tenant",
  count(CASE WHEN json_extract(line, '$["Item"]["customer"]') IS NOT NULL AND json_extract(line, '$["Item"]["customer"]["NULL"]') IS NULL AND json_extract_scalar(line, '$["Item"]["customer"]["S"]') IS NULL THEN 1 END) AS "customer",
  count(CASE WHEN json_extract(line, '$["Item"]["email"]') IS NOT NULL AND json_extract(line, '$["Item"]["email"]["NULL"]') IS NULL AND json_extract_scalar(line, '$["Item"]["email"]["S"]') IS NULL THEN 1 END) AS "email"
FROM "shop_help_desk_lines"
WHERE json_extract(line, '$["Item"]') IS NOT NULL
  AND json_extract(line, '$["Item"]["$unique"]') IS NULL
  AND (json_extract_scalar(line, '$["Item"]["_type"]["S"]') = 'Customer'
    OR (json_extract(line, '$["Item"]["_type"]') IS NULL AND regexp_like(json_extract_scalar(line, '$["Item"]["pk"]["S"]'), '^CUSTOMER\#[^\#]*\#[^\#]{36}\z') AND regexp_like(json_extract_scalar(line, '$["Item"]["sk"]["S"]'), '^INFO\z')));

CREATE OR REPLACE VIEW "shop_help_desk_ticket_unread" AS
SELECT
  count(CASE WHEN json_extract(line, '$["Item"]["tenant"]') IS NOT NULL AND json_extract(line, '$["Item"]["tenant"]["NULL"]') IS NULL AND json_extract_scalar(line, '$["Item"]["tenant"]["S"]') IS NULL THEN 1 END) AS "tenant",
  count(CASE WHEN json_extract(line, '$["Item"]["ticket"]') IS NOT NULL AND json_extract(line, '$["Item"]["ticket"]["NULL"]') IS NULL AND TRY_CAST(regexp_extract(json_extract_scalar(line, '$["Item"]["ticket"]["N"]'), '^-?[0-9]+\z') AS decimal(20, 0)) IS NULL THEN 1 END) AS "ticket",
  count(CASE WHEN json_extract(line, '$["Item"]["subject"]') IS NOT NULL AND json_extract(line, '$["Item"]["subject"]["NULL"]') IS NULL AND json_extract_scalar(line, '$["Item"]["subject"]["S"]') IS NULL THEN 1 END) AS "subject",
  count(CASE WHEN json_extract(line, '$["Item"]["customer"]') IS NOT NULL AND json_extract(line, '$["Item"]["customer"]["NULL"]') IS NULL AND json_extract_scalar(line, '$["Item"]["customer"]["S"]') IS NULL THEN 1 END) AS "customer",
  count(CASE WHEN json_extract(line, '$["Item"]["status"]') IS NOT NULL AND json_extract(line, '$["Item"]["status"]["NULL"]') IS NULL AND json_extract_scalar(line, '$["Item"]["status"]["S"]') IS NULL THEN 1 END) AS "status",
  count(CASE WHEN json_extract(line, '$["Item"]["priority"]') IS NOT NULL AND json_extract(line, '$["Item"]["priority"]["NULL"]') IS NULL AND TRY_CAST(regexp_extract(json_extract_scalar(line, '$["Item"]["priority"]["N"]'), '^-?[0-9]+\z') AS bigint) IS NULL THEN 1 END) AS "priority",
  count(CASE WHEN json_extract(line, '$["Item"]["assignee"]') IS NOT NULL AND json_extract(line, '$["Item"]["assignee"]["NULL"]') IS NULL AND json_extract_scalar(line, '$["Item"]["assignee"]["S"]') IS NULL THEN 1 END) AS "assignee",
  count(CASE WHEN json_extract(line, '$["Item"]["due"]') IS NOT NULL AND json_extract(line, '$["Item"]["due"]["NULL"]') IS NULL AND TRY(CAST(from_iso8601_timestamp(json_extract_scalar(line, '$["Item"]["due"]["S"]')) AT TIME ZONE 'UTC' AS timestamp)) IS NULL THEN 1 END) AS "due",
  count(CASE WHEN json_extract(line, '$["Item"]["comments"]') IS NOT NULL AND json_extract(line, '$["Item"]["comments"]["NULL"]') IS NULL AND TRY_CAST(regexp_extract(json_extract_scalar(line, '$["Item"]["comments"]["N"]'), '^-?[0-9]+\z') AS bigint) IS NULL THEN 1 END) AS "comments",
  count(CASE WHEN json_extract(line, '$["Item"]["merged_into"]') IS NOT NULL AND json_extract(line, '$["Item"]["merged_into"]["NULL"]') IS NULL AND TRY_CAST(regexp_extract(json_extract_scalar(line, '$["Item"]["merged_into"]["N"]'), '^-?[0-9]+\z') AS decimal(20, 0)) IS NULL THEN 1 END) AS "merged_into",
  count(CASE WHEN json_extract(line, '$["Item"]["version"]') IS NOT NULL AND json_extract(line, '$["Item"]["version"]["NULL"]') IS NULL AND TRY_CAST(regexp_extract(json_extract_scalar(line, '$["Item"]["version"]["N"]'), '^-?[0-9]+\z') AS decimal(20, 0)) IS NULL THEN 1 END) AS "version",
  count(CASE WHEN json_extract(line, '$["Item"]["updated_at"]') IS NOT NULL AND json_extract(line, '$["Item"]["updated_at"]["NULL"]') IS NULL AND TRY(CAST(from_iso8601_timestamp(json_extract_scalar(line, '$["Item"]["updated_at"]["S"]')) AT TIME ZONE 'UTC' AS timestamp)) IS NULL THEN 1 END) AS "updated_at"
FROM "shop_help_desk_lines"
WHERE json_extract(line, '$["Item"]') IS NOT NULL
  AND json_extract(line, '$["Item"]["$unique"]') IS NULL
  AND (json_extract_scalar(line, '$["Item"]["_type"]["S"]') = 'Ticket'
    OR (json_extract(line, '$["Item"]["_type"]') IS NULL AND regexp_like(json_extract_scalar(line, '$["Item"]["pk"]["S"]'), '^TICKET\#[^\#]*\#[^\#]{20}\z') AND regexp_like(json_extract_scalar(line, '$["Item"]["sk"]["S"]'), '^INFO\z')));

CREATE OR REPLACE VIEW "shop_help_desk_comment_unread" AS
SELECT
  count(CASE WHEN json_extract(line, '$["Item"]["tenant"]') IS NOT NULL AND json_extract(line, '$["Item"]["tenant"]["NULL"]') IS NULL AND json_extract_scalar(line, '$["Item"]["tenant"]["S"]') IS NULL THEN 1 END) AS "tenant",
  count(CASE WHEN json_extract(line, '$["Item"]["ticket"]') IS NOT NULL AND json_extract(line, '$["Item"]["ticket"]["NULL"]') IS NULL AND TRY_CAST(regexp_extract(json_extract_scalar(line, '$["Item"]["ticket"]["N"]'), '^-?[0-9]+\z') AS decimal(20, 0)) IS NULL THEN 1 END) AS "ticket",
  count(CASE WHEN json_extract(line, '$["Item"]["id"]') IS NOT NULL AND json_extract(line, '$["Item"]["id"]["NULL"]') IS NULL AND json_extract_scalar(line, '$["Item"]["id"]["S"]') IS NULL THEN 1 END) AS "id",
  count(CASE WHEN json_extract(line, '$["Item"]["customer"]') IS NOT NULL AND json_extract(line, '$["Item"]["customer"]["NULL"]') IS NULL AND json_extract_scalar(line, '$["Item"]["customer"]["S"]') IS NULL THEN 1 END) AS "customer",
  count(CASE WHEN json_extract(line, '$["Item"]["text"]') IS NOT NULL AND json_extract(line, '$["Item"]["text"]["NULL"]') IS NULL AND json_extract_scalar(line, '$["Item"]["text"]["S"]') IS NULL THEN 1 END) AS "text"
FROM "shop_help_desk_lines"
WHERE json_extract(line, '$["Item"]') IS NOT NULL
  AND json_extract(line, '$["Item"]["$unique"]') IS NULL
  AND (json_extract_scalar(line, '$["Item"]["_type"]["S"]') = 'Comment'
    OR (json_extract(line, '$["Item"]["_type"]') IS NULL AND regexp_like(json_extract_scalar(line, '$["Item"]["pk"]["S"]'), '^TICKET\#[^\#]*\#[^\#]{20}\z') AND regexp_like(json_extract_scalar(line, '$["Item"]["sk"]["S"]'), '^COMMENT\#[^\#]{36}\z')));

CREATE OR REPLACE VIEW "shop_help_desk_event_unread" AS
SELECT
  count(CASE WHEN json_extract(line, '$["Item"]["tenant"]') IS NOT NULL AND json_extract(line, '$["Item"]["tenant"]["NULL"]') IS NULL AND json_extract_scalar(line, '$["Item"]["tenant"]["S"]') IS NULL THEN 1 END) AS "tenant",
  count(CASE WHEN json_extract(line, '$["Item"]["ticket"]') IS NOT NULL AND json_extract(line, '$["Item"]["ticket"]["NULL"]') IS NULL AND TRY_CAST(regexp_extract(json_extract_scalar(line, '$["Item"]["ticket"]["N"]'), '^-?[0-9]+\z') AS decimal(20, 0)) IS NULL THEN 1 END) AS "ticket",
  count(CASE WHEN json_extract(line, '$["Item"]["id"]') IS NOT NULL AND json_extract(line, '$["Item"]["id"]["NULL"]') IS NULL AND json_extract_scalar(line, '$["Item"]["id"]["S"]') IS NULL THEN 1 END) AS "id",
  count(CASE WHEN json_extract(line, '$["Item"]["what"]') IS NOT NULL AND json_extract(line, '$["Item"]["what"]["NULL"]') IS NULL AND json_extract_scalar(line, '$["Item"]["what"]["S"]') IS NULL THEN 1 END) AS "what",
  count(CASE WHEN json_extract(line, '$["Item"]["by"]') IS NOT NULL AND json_extract(line, '$["Item"]["by"]["NULL"]') IS NULL AND json_extract_scalar(line, '$["Item"]["by"]["S"]') IS NULL THEN 1 END) AS "by"
FROM "shop_help_desk_lines"
WHERE json_extract(line, '$["Item"]') IS NOT NULL
  AND json_extract(line, '$["Item"]["$unique"]') IS NULL
  AND (json_extract_scalar(line, '$["Item"]["_type"]["S"]') = 'Event'
    OR (json_extract(line, '$["Item"]["_type"]') IS NULL AND regexp_like(json_extract_scalar(line, '$["Item"]["pk"]["S"]'), '^TICKET\#[^\#]*\#[^\#]{20}\z') AND regexp_like(json_extract_scalar(line, '$["Item"]["sk"]["S"]'), '^EVENT\#[^\#]{36}\z')));

CREATE OR REPLACE VIEW "shop_help_desk_tag_unread" AS
SELECT
  count(CASE WHEN json_extract(line, '$["Item"]["tenant"]') IS NOT NULL AND json_extract(line, '$["Item"]["tenant"]["NULL"]') IS NULL AND json_extract_scalar(line, '$["Item"]["tenant"]["S"]') IS NULL THEN 1 END) AS "tenant",
  count(CASE WHEN json_extract(line, '$["Item"]["ticket"]') IS NOT NULL AND json_extract(line, '$["Item"]["ticket"]["NULL"]') IS NULL AND TRY_CAST(regexp_extract(json_extract_scalar(line, '$["Item"]["ticket"]["N"]'), '^-?[0-9]+\z') AS decimal(20, 0)) IS NULL THEN 1 END) AS "ticket",
  count(CASE WHEN json_extract(line, '$["Item"]["tag"]') IS NOT NULL AND json_extract(line, '$["Item"]["tag"]["NULL"]') IS NULL AND json_extract_scalar(line, '$["Item"]["tag"]["S"]') IS NULL THEN 1 END) AS "tag"
FROM "shop_help_desk_lines"
WHERE json_extract(line, '$["Item"]') IS NOT NULL
  AND json_extract(line, '$["Item"]["$unique"]') IS NULL
  AND (json_extract_scalar(line, '$["Item"]["_type"]["S"]') = 'Tag'
    OR (json_extract(line, '$["Item"]["_type"]') IS NULL AND regexp_like(json_extract_scalar(line, '$["Item"]["pk"]["S"]'), '^TICKET\#[^\#]*\#[^\#]{20}\z') AND regexp_like(json_extract_scalar(line, '$["Item"]["sk"]["S"]'), '^TAG\#[^\#]*\z')));

CREATE OR REPLACE VIEW "shop_help_desk_counter_unread" AS
SELECT
  count(CASE WHEN json_extract(line, '$["Item"]["tenant"]') IS NOT NULL AND json_extract(line, '$["Item"]["tenant"]["NULL"]') IS NULL AND json_extract_scalar(line, '$["Item"]["tenant"]["S"]') IS NULL THEN 1 END) AS "tenant",
  count(CASE WHEN json_extract(line, '$["Item"]["name"]') IS NOT NULL AND json_extract(line, '$["Item"]["name"]["NULL"]') IS NULL AND json_extract_scalar(line, '$["Item"]["name"]["S"]') IS NULL THEN 1 END) AS "name",
  count(CASE WHEN json_extract(line, '$["Item"]["last"]') IS NOT NULL AND json_extract(line, '$["Item"]["last"]["NULL"]') IS NULL AND TRY_CAST(regexp_extract(json_extract_scalar(line, '$["Item"]["last"]["N"]'), '^-?[0-9]+\z') AS decimal(20, 0)) IS NULL THEN 1 END) AS "last"
FROM "shop_help_desk_lines"
WHERE json_extract(line, '$["Item"]') IS NOT NULL
  AND json_extract(line, '$["Item"]["$unique"]') IS NULL
  AND (json_extract_scalar(line, '$["Item"]["_type"]["S"]') = 'Counter'
    OR (json_extract(line, '$["Item"]["_type"]') IS NULL AND regexp_like(json_extract_scalar(line, '$["Item"]["pk"]["S"]'), '^COUNTER\#[^\#]*\z') AND regexp_like(json_extract_scalar(line, '$["Item"]["sk"]["S"]'), '^[^\#]*\z')));

CREATE OR REPLACE VIEW "shop_help_desk_tally_unread" AS
SELECT
  count(CASE WHEN json_extract(line, '$["Item"]["tenant"]') IS NOT NULL AND json_extract(line, '$["Item"]["tenant"]["NULL"]') IS NULL AND json_extract_scalar(line, '$["Item"]["tenant"]["S"]') IS NULL THEN 1 END) AS "tenant",
  count(CASE WHEN json_extract(line, '$["Item"]["status"]') IS NOT NULL AND json_extract(line, '$["Item"]["status"]["NULL"]') IS NULL AND json_extract_scalar(line, '$["Item"]["status"]["S"]') IS NULL THEN 1 END) AS "status",
  count(CASE WHEN json_extract(line, '$["Item"]["tickets"]') IS NOT NULL AND json_extract(line, '$["Item"]["tickets"]["NULL"]') IS NULL AND TRY_CAST(regexp_extract(json_extract_scalar(line, '$["Item"]["tickets"]["N"]'), '^-?[0-9]+\z') AS bigint) IS NULL THEN 1 END) AS "tickets"
FROM "shop_help_desk_lines"
WHERE json_extract(line, '$["Item"]') IS NOT NULL
  AND json_extract(line, '$["Item"]["$unique"]') IS NULL
  AND (json_extract_scalar(line, '$["Item"]["_type"]["S"]') = 'Tally'
    OR (json_extract(line, '$["Item"]["_type"]') IS NULL AND regexp_like(json_extract_scalar(line, '$["Item"]["pk"]["S"]'), '^TALLY\#[^\#]*\z') AND regexp_like(json_extract_scalar(line, '$["Item"]["sk"]["S"]'), '^[^\#]*\z')));

CREATE OR REPLACE VIEW "shop_help_desk_session_unread" AS
SELECT
  count(CASE WHEN json_extract(line, '$["Item"]["token"]') IS NOT NULL AND json_extract(line, '$["Item"]["token"]["NULL"]') IS NULL AND json_extract_scalar(line, '$["Item"]["token"]["S"]') IS NULL THEN 1 END) AS "token",
  count(CASE WHEN json_extract(line, '$["Item"]["tenant"]') IS NOT NULL AND json_extract(line, '$["Item"]["tenant"]["NULL"]') IS NULL AND json_extract_scalar(line, '$["Item"]["tenant"]["S"]') IS NULL THEN 1 END) AS "tenant",
  count(CASE WHEN json_extract(line, '$["Item"]["agent"]') IS NOT NULL AND json_extract(line, '$["Item"]["agent"]["NULL"]') IS NULL AND json_extract_scalar(line, '$["Item"]["agent"]["S"]') IS NULL THEN 1 END) AS "agent",
  count(CASE WHEN json_extract(line, '$["Item"]["until"]') IS NOT NULL AND json_extract(line, '$["Item"]["until"]["NULL"]') IS NULL AND TRY(CAST(from_unixtime(CAST(json_extract_scalar(line, '$["Item"]["until"]["N"]') AS double)) AT TIME ZONE 'UTC' AS timestamp)) IS NULL THEN 1 END) AS "until"
FROM "shop_help_desk_lines"
WHERE json_extract(line, '$["Item"]') IS NOT NULL
  AND json_extract(line, '$["Item"]["$unique"]') IS NULL
  AND (json_extract_scalar(line, '$["Item"]["_type"]["S"]') = 'Session'
    OR (json_extract(line, '$["Item"]["_type"]') IS NULL AND regexp_like(json_extract_scalar(line, '$["Item"]["pk"]["S"]'), '^SESSION\#[^\#]*\z') AND regexp_like(json_extract_scalar(line, '$["Item"]["sk"]["S"]'), '^INFO\z')));

DROP TABLE IF EXISTS `shop_help_text_lines`;

CREATE EXTERNAL TABLE `shop_help_text_lines` (`line` string)
ROW FORMAT DELIMITED FIELDS TERMINATED BY '\001' LINES TERMINATED BY '\n'
STORED AS TEXTFILE
LOCATION 's3://exports/help-text/AWSDynamoDB/01700000000000-a1b2c3d4/data/';

CREATE OR REPLACE VIEW "shop_help_text_help_text" AS
SELECT
  TRY_CAST(regexp_extract(json_extract_scalar(line, '$["Item"]["id"]["N"]'), '^-?[0-9]+\z') AS bigint) AS "id",
  json_extract_scalar(line, '$["Item"]["shop"]["S"]') AS "shop",
  json_extract_scalar(line, '$["Item"]["topic"]["S"]') AS "topic",
  json_extract_scalar(line, '$["Item"]["text"]["S"]') AS "text",
  transform(CAST(json_extract(line, '$["Item"]["embedding"]["L"]') AS array(json)), e -> TRY_CAST(json_extract_scalar(e, '$["N"]') AS double)) AS "embedding"
FROM "shop_help_text_lines"
WHERE json_extract(line, '$["Item"]') IS NOT NULL
  AND json_extract(line, '$["Item"]["$unique"]') IS NULL;

CREATE OR REPLACE VIEW "shop_help_text_help_text_unread" AS
SELECT
  count(CASE WHEN json_extract(line, '$["Item"]["id"]') IS NOT NULL AND json_extract(line, '$["Item"]["id"]["NULL"]') IS NULL AND TRY_CAST(regexp_extract(json_extract_scalar(line, '$["Item"]["id"]["N"]'), '^-?[0-9]+\z') AS bigint) IS NULL THEN 1 END) AS "id",
  count(CASE WHEN json_extract(line, '$["Item"]["shop"]') IS NOT NULL AND json_extract(line, '$["Item"]["shop"]["NULL"]') IS NULL AND json_extract_scalar(line, '$["Item"]["shop"]["S"]') IS NULL THEN 1 END) AS "shop",
  count(CASE WHEN json_extract(line, '$["Item"]["topic"]') IS NOT NULL AND json_extract(line, '$["Item"]["topic"]["NULL"]') IS NULL AND json_extract_scalar(line, '$["Item"]["topic"]["S"]') IS NULL THEN 1 END) AS "topic",
  count(CASE WHEN json_extract(line, '$["Item"]["text"]') IS NOT NULL AND json_extract(line, '$["Item"]["text"]["NULL"]') IS NULL AND json_extract_scalar(line, '$["Item"]["text"]["S"]') IS NULL THEN 1 END) AS "text",
  count(CASE WHEN json_extract(line, '$["Item"]["embedding"]') IS NOT NULL AND json_extract(line, '$["Item"]["embedding"]["NULL"]') IS NULL AND transform(CAST(json_extract(line, '$["Item"]["embedding"]["L"]') AS array(json)), e -> TRY_CAST(json_extract_scalar(e, '$["N"]') AS double)) IS NULL THEN 1 END) AS "embedding"
FROM "shop_help_text_lines"
WHERE json_extract(line, '$["Item"]') IS NOT NULL
  AND json_extract(line, '$["Item"]["$unique"]') IS NULL;

DROP TABLE IF EXISTS `shop_measurement_lines`;

CREATE EXTERNAL TABLE `shop_measurement_lines` (`line` string)
ROW FORMAT DELIMITED FIELDS TERMINATED BY '\001' LINES TERMINATED BY '\n'
STORED AS TEXTFILE
LOCATION 's3://exports/measurement/AWSDynamoDB/01700000000000-a1b2c3d4/data/';

CREATE OR REPLACE VIEW "shop_measurement_measurement" AS
SELECT
  json_extract_scalar(line, '$["Item"]["meter"]["S"]') AS "meter",
  TRY(CAST(from_iso8601_timestamp(json_extract_scalar(line, '$["Item"]["at"]["S"]')) AT TIME ZONE 'UTC' AS timestamp)) AS "at",
  TRY_CAST(regexp_extract(json_extract_scalar(line, '$["Item"]["litres"]["N"]'), '^-?[0-9]+\z') AS bigint) AS "litres"
FROM "shop_measurement_lines"
WHERE json_extract(line, '$["Item"]') IS NOT NULL
  AND json_extract(line, '$["Item"]["$unique"]') IS NULL;

CREATE OR REPLACE VIEW "shop_measurement_measurement_unread" AS
SELECT
  count(CASE WHEN json_extract(line, '$["Item"]["meter"]') IS NOT NULL AND json_extract(line, '$["Item"]["meter"]["NULL"]') IS NULL AND json_extract_scalar(line, '$["Item"]["meter"]["S"]') IS NULL THEN 1 END) AS "meter",
  count(CASE WHEN json_extract(line, '$["Item"]["at"]') IS NOT NULL AND json_extract(line, '$["Item"]["at"]["NULL"]') IS NULL AND TRY(CAST(from_iso8601_timestamp(json_extract_scalar(line, '$["Item"]["at"]["S"]')) AT TIME ZONE 'UTC' AS timestamp)) IS NULL THEN 1 END) AS "at",
  count(CASE WHEN json_extract(line, '$["Item"]["litres"]') IS NOT NULL AND json_extract(line, '$["Item"]["litres"]["NULL"]') IS NULL AND TRY_CAST(regexp_extract(json_extract_scalar(line, '$["Item"]["litres"]["N"]'), '^-?[0-9]+\z') AS bigint) IS NULL THEN 1 END) AS "litres"
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
  TRY(CAST(from_iso8601_timestamp(json_extract_scalar(line, '$["Item"]["seen_at"]["S"]')) AT TIME ZONE 'UTC' AS timestamp)) AS "seen_at"
FROM "shop_meter_status_lines"
WHERE json_extract(line, '$["Item"]') IS NOT NULL
  AND json_extract(line, '$["Item"]["$unique"]') IS NULL;

CREATE OR REPLACE VIEW "shop_meter_status_meter_status_unread" AS
SELECT
  count(CASE WHEN json_extract(line, '$["Item"]["meter"]') IS NOT NULL AND json_extract(line, '$["Item"]["meter"]["NULL"]') IS NULL AND json_extract_scalar(line, '$["Item"]["meter"]["S"]') IS NULL THEN 1 END) AS "meter",
  count(CASE WHEN json_extract(line, '$["Item"]["battery"]') IS NOT NULL AND json_extract(line, '$["Item"]["battery"]["NULL"]') IS NULL AND json_extract_scalar(line, '$["Item"]["battery"]["S"]') IS NULL THEN 1 END) AS "battery",
  count(CASE WHEN json_extract(line, '$["Item"]["seen_at"]') IS NOT NULL AND json_extract(line, '$["Item"]["seen_at"]["NULL"]') IS NULL AND TRY(CAST(from_iso8601_timestamp(json_extract_scalar(line, '$["Item"]["seen_at"]["S"]')) AT TIME ZONE 'UTC' AS timestamp)) IS NULL THEN 1 END) AS "seen_at"
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
  TRY_CAST(regexp_extract(json_extract_scalar(line, '$["Item"]["revision"]["N"]'), '^-?[0-9]+\z') AS bigint) AS "revision",
  TRY_CAST(regexp_extract(json_extract_scalar(line, '$["Item"]["interval_minutes"]["N"]'), '^-?[0-9]+\z') AS bigint) AS "interval_minutes"
FROM "shop_meter_configuration_lines"
WHERE json_extract(line, '$["Item"]') IS NOT NULL
  AND json_extract(line, '$["Item"]["$unique"]') IS NULL;

CREATE OR REPLACE VIEW "shop_meter_configuration_configuration_unread" AS
SELECT
  count(CASE WHEN json_extract(line, '$["Item"]["meter"]') IS NOT NULL AND json_extract(line, '$["Item"]["meter"]["NULL"]') IS NULL AND json_extract_scalar(line, '$["Item"]["meter"]["S"]') IS NULL THEN 1 END) AS "meter",
  count(CASE WHEN json_extract(line, '$["Item"]["revision"]') IS NOT NULL AND json_extract(line, '$["Item"]["revision"]["NULL"]') IS NULL AND TRY_CAST(regexp_extract(json_extract_scalar(line, '$["Item"]["revision"]["N"]'), '^-?[0-9]+\z') AS bigint) IS NULL THEN 1 END) AS "revision",
  count(CASE WHEN json_extract(line, '$["Item"]["interval_minutes"]') IS NOT NULL AND json_extract(line, '$["Item"]["interval_minutes"]["NULL"]') IS NULL AND TRY_CAST(regexp_extract(json_extract_scalar(line, '$["Item"]["interval_minutes"]["N"]'), '^-?[0-9]+\z') AS bigint) IS NULL THEN 1 END) AS "interval_minutes"
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
  TRY_CAST(regexp_extract(json_extract_scalar(line, '$["Item"]["meter"]["N"]'), '^-?[0-9]+\z') AS decimal(20, 0)) AS "meter",
  TRY_CAST(regexp_extract(json_extract_scalar(line, '$["Item"]["number"]["N"]'), '^-?[0-9]+\z') AS decimal(20, 0)) AS "number",
  TRY_CAST(regexp_extract(json_extract_scalar(line, '$["Item"]["watts"]["N"]'), '^-?[0-9]+\z') AS bigint) AS "watts",
  json_extract_scalar(line, '$["Item"]["note"]["S"]') AS "note"
FROM "shop_readings_lines"
WHERE json_extract(line, '$["Item"]') IS NOT NULL
  AND json_extract(line, '$["Item"]["$unique"]') IS NULL;

CREATE OR REPLACE VIEW "shop_readings_reading_unread" AS
SELECT
  count(CASE WHEN json_extract(line, '$["Item"]["meter"]') IS NOT NULL AND json_extract(line, '$["Item"]["meter"]["NULL"]') IS NULL AND TRY_CAST(regexp_extract(json_extract_scalar(line, '$["Item"]["meter"]["N"]'), '^-?[0-9]+\z') AS decimal(20, 0)) IS NULL THEN 1 END) AS "meter",
  count(CASE WHEN json_extract(line, '$["Item"]["number"]') IS NOT NULL AND json_extract(line, '$["Item"]["number"]["NULL"]') IS NULL AND TRY_CAST(regexp_extract(json_extract_scalar(line, '$["Item"]["number"]["N"]'), '^-?[0-9]+\z') AS decimal(20, 0)) IS NULL THEN 1 END) AS "number",
  count(CASE WHEN json_extract(line, '$["Item"]["watts"]') IS NOT NULL AND json_extract(line, '$["Item"]["watts"]["NULL"]') IS NULL AND TRY_CAST(regexp_extract(json_extract_scalar(line, '$["Item"]["watts"]["N"]'), '^-?[0-9]+\z') AS bigint) IS NULL THEN 1 END) AS "watts",
  count(CASE WHEN json_extract(line, '$["Item"]["note"]') IS NOT NULL AND json_extract(line, '$["Item"]["note"]["NULL"]') IS NULL AND json_extract_scalar(line, '$["Item"]["note"]["S"]') IS NULL THEN 1 END) AS "note"
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
  TRY_CAST(json_extract_scalar(line, '$["Item"]["is_published"]["BOOL"]') AS boolean) AS "is_published",
  CASE WHEN json_extract(line, '$["Item"]["next"]["NULL"]') IS NULL THEN json_format(json_extract(line, '$["Item"]["next"]')) END AS "next",
  TRY_CAST(regexp_extract(json_extract_scalar(line, '$["Item"]["version"]["N"]'), '^-?[0-9]+\z') AS decimal(20, 0)) AS "version"
FROM "shop_message_lines"
WHERE json_extract(line, '$["Item"]') IS NOT NULL
  AND json_extract(line, '$["Item"]["$unique"]') IS NULL
  AND (json_extract_scalar(line, '$["Item"]["_type"]["S"]') = 'Message'
    OR (json_extract(line, '$["Item"]["_type"]') IS NULL AND regexp_like(json_extract_scalar(line, '$["Item"]["pk"]["S"]'), '^MESSAGE\#[^\#]*\z') AND regexp_like(json_extract_scalar(line, '$["Item"]["sk"]["S"]'), '^INFO\z')));

CREATE OR REPLACE VIEW "shop_message_waiting" AS
SELECT
  json_extract_scalar(line, '$["Item"]["message"]["S"]') AS "message",
  json_extract_scalar(line, '$["Item"]["recipient"]["S"]') AS "recipient"
FROM "shop_message_lines"
WHERE json_extract(line, '$["Item"]') IS NOT NULL
  AND json_extract(line, '$["Item"]["$unique"]') IS NULL
  AND (json_extract_scalar(line, '$["Item"]["_type"]["S"]') = 'Waiting'
    OR (json_extract(line, '$["Item"]["_type"]') IS NULL AND regexp_like(json_extract_scalar(line, '$["Item"]["pk"]["S"]'), '^MESSAGE\#[^\#]*\z') AND regexp_like(json_extract_scalar(line, '$["Item"]["sk"]["S"]'), '^TO\#[^\#]*\z')));

CREATE OR REPLACE VIEW "shop_message_message_unread" AS
SELECT
  count(CASE WHEN json_extract(line, '$["Item"]["id"]') IS NOT NULL AND json_extract(line, '$["Item"]["id"]["NULL"]') IS NULL AND json_extract_scalar(line, '$["Item"]["id"]["S"]') IS NULL THEN 1 END) AS "id",
  count(CASE WHEN json_extract(line, '$["Item"]["text"]') IS NOT NULL AND json_extract(line, '$["Item"]["text"]["NULL"]') IS NULL AND json_extract_scalar(line, '$["Item"]["text"]["S"]') IS NULL THEN 1 END) AS "text",
  count(CASE WHEN json_extract(line, '$["Item"]["is_published"]') IS NOT NULL AND json_extract(line, '$["Item"]["is_published"]["NULL"]') IS NULL AND TRY_CAST(json_extract_scalar(line, '$["Item"]["is_published"]["BOOL"]') AS boolean) IS NULL THEN 1 END) AS "is_published",
  count(CASE WHEN json_extract(line, '$["Item"]["next"]') IS NOT NULL AND json_extract(line, '$["Item"]["next"]["NULL"]') IS NULL AND CASE WHEN json_extract(line, '$["Item"]["next"]["NULL"]') IS NULL THEN json_format(json_extract(line, '$["Item"]["next"]')) END IS NULL THEN 1 END) AS "next",
  count(CASE WHEN json_extract(line, '$["Item"]["version"]') IS NOT NULL AND json_extract(line, '$["Item"]["version"]["NULL"]') IS NULL AND TRY_CAST(regexp_extract(json_extract_scalar(line, '$["Item"]["version"]["N"]'), '^-?[0-9]+\z') AS decimal(20, 0)) IS NULL THEN 1 END) AS "version"
FROM "shop_message_lines"
WHERE json_extract(line, '$["Item"]') IS NOT NULL
  AND json_extract(line, '$["Item"]["$unique"]') IS NULL
  AND (json_extract_scalar(line, '$["Item"]["_type"]["S"]') = 'Message'
    OR (json_extract(line, '$["Item"]["_type"]') IS NULL AND regexp_like(json_extract_scalar(line, '$["Item"]["pk"]["S"]'), '^MESSAGE\#[^\#]*\z') AND regexp_like(json_extract_scalar(line, '$["Item"]["sk"]["S"]'), '^INFO\z')));

CREATE OR REPLACE VIEW "shop_message_waiting_unread" AS
SELECT
  count(CASE WHEN json_extract(line, '$["Item"]["message"]') IS NOT NULL AND json_extract(line, '$["Item"]["message"]["NULL"]') IS NULL AND json_extract_scalar(line, '$["Item"]["message"]["S"]') IS NULL THEN 1 END) AS "message",
  count(CASE WHEN json_extract(line, '$["Item"]["recipient"]') IS NOT NULL AND json_extract(line, '$["Item"]["recipient"]["NULL"]') IS NULL AND json_extract_scalar(line, '$["Item"]["recipient"]["S"]') IS NULL THEN 1 END) AS "recipient"
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
  TRY_CAST(regexp_extract(json_extract_scalar(line, '$["Item"]["unread"]["N"]'), '^-?[0-9]+\z') AS bigint) AS "unread"
FROM "shop_mailbox_lines"
WHERE json_extract(line, '$["Item"]') IS NOT NULL
  AND json_extract(line, '$["Item"]["$unique"]') IS NULL;

CREATE OR REPLACE VIEW "shop_mailbox_mailbox_unread" AS
SELECT
  count(CASE WHEN json_extract(line, '$["Item"]["recipient"]') IS NOT NULL AND json_extract(line, '$["Item"]["recipient"]["NULL"]') IS NULL AND json_extract_scalar(line, '$["Item"]["recipient"]["S"]') IS NULL THEN 1 END) AS "recipient",
  count(CASE WHEN json_extract(line, '$["Item"]["unread"]') IS NOT NULL AND json_extract(line, '$["Item"]["unread"]["NULL"]') IS NULL AND TRY_CAST(regexp_extract(json_extract_scalar(line, '$["Item"]["unread"]["N"]'), '^-?[0-9]+\z') AS bigint) IS NULL THEN 1 END) AS "unread"
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
  TRY_CAST(regexp_extract(json_extract_scalar(line, '$["Item"]["number"]["N"]'), '^-?[0-9]+\z') AS bigint) AS "number",
  json_extract_scalar(line, '$["Item"]["status"]["S"]') AS "status",
  TRY_CAST(regexp_extract(json_extract_scalar(line, '$["Item"]["cents"]["N"]'), '^-?[0-9]+\z') AS decimal(20, 0)) AS "cents"
FROM "shop_mail_shop_lines"
WHERE json_extract(line, '$["Item"]') IS NOT NULL
  AND json_extract(line, '$["Item"]["$unique"]') IS NULL
  AND (json_extract_scalar(line, '$["Item"]["_type"]["S"]') = 'Order'
    OR (json_extract(line, '$["Item"]["_type"]') IS NULL AND regexp_like(json_extract_scalar(line, '$["Item"]["pk"]["S"]'), '^BUYER\#[^\#]*\z') AND regexp_like(json_extract_scalar(line, '$["Item"]["sk"]["S"]'), '^ORDER\#[^\#]{6}\z')));

CREATE OR REPLACE VIEW "shop_mail_shop_reward" AS
SELECT
  json_extract_scalar(line, '$["Item"]["buyer"]["S"]') AS "buyer",
  TRY_CAST(regexp_extract(json_extract_scalar(line, '$["Item"]["number"]["N"]'), '^-?[0-9]+\z') AS bigint) AS "number"
FROM "shop_mail_shop_lines"
WHERE json_extract(line, '$["Item"]') IS NOT NULL
  AND json_extract(line, '$["Item"]["$unique"]') IS NULL
  AND (json_extract_scalar(line, '$["Item"]["_type"]["S"]') = 'Reward'
    OR (json_extract(line, '$["Item"]["_type"]') IS NULL AND regexp_like(json_extract_scalar(line, '$["Item"]["pk"]["S"]'), '^BUYER\#[^\#]*\z') AND regexp_like(json_extract_scalar(line, '$["Item"]["sk"]["S"]'), '^REWARD\#[^\#]{6}\z')));

CREATE OR REPLACE VIEW "shop_mail_shop_buyer_unread" AS
SELECT
  count(CASE WHEN json_extract(line, '$["Item"]["buyer"]') IS NOT NULL AND json_extract(line, '$["Item"]["buyer"]["NULL"]') IS NULL AND json_extract_scalar(line, '$["Item"]["buyer"]["S"]') IS NULL THEN 1 END) AS "buyer",
  count(CASE WHEN json_extract(line, '$["Item"]["mail"]') IS NOT NULL AND json_extract(line, '$["Item"]["mail"]["NULL"]') IS NULL AND json_extract_scalar(line, '$["Item"]["mail"]["S"]') IS NULL THEN 1 END) AS "mail"
FROM "shop_mail_shop_lines"
WHERE json_extract(line, '$["Item"]') IS NOT NULL
  AND json_extract(line, '$["Item"]["$unique"]') IS NULL
  AND (json_extract_scalar(line, '$["Item"]["_type"]["S"]') = 'Buyer'
    OR (json_extract(line, '$["Item"]["_type"]') IS NULL AND regexp_like(json_extract_scalar(line, '$["Item"]["pk"]["S"]'), '^BUYER\#[^\#]*\z') AND regexp_like(json_extract_scalar(line, '$["Item"]["sk"]["S"]'), '^INFO\z')));

CREATE OR REPLACE VIEW "shop_mail_shop_order_unread" AS
SELECT
  count(CASE WHEN json_extract(line, '$["Item"]["buyer"]') IS NOT NULL AND json_extract(line, '$["Item"]["buyer"]["NULL"]') IS NULL AND json_extract_scalar(line, '$["Item"]["buyer"]["S"]') IS NULL THEN 1 END) AS "buyer",
  count(CASE WHEN json_extract(line, '$["Item"]["number"]') IS NOT NULL AND json_extract(line, '$["Item"]["number"]["NULL"]') IS NULL AND TRY_CAST(regexp_extract(json_extract_scalar(line, '$["Item"]["number"]["N"]'), '^-?[0-9]+\z') AS bigint) IS NULL THEN 1 END) AS "number",
  count(CASE WHEN json_extract(line, '$["Item"]["status"]') IS NOT NULL AND json_extract(line, '$["Item"]["status"]["NULL"]') IS NULL AND json_extract_scalar(line, '$["Item"]["status"]["S"]') IS NULL THEN 1 END) AS "status",
  count(CASE WHEN json_extract(line, '$["Item"]["cents"]') IS NOT NULL AND json_extract(line, '$["Item"]["cents"]["NULL"]') IS NULL AND TRY_CAST(regexp_extract(json_extract_scalar(line, '$["Item"]["cents"]["N"]'), '^-?[0-9]+\z') AS decimal(20, 0)) IS NULL THEN 1 END) AS "cents"
FROM "shop_mail_shop_lines"
WHERE json_extract(line, '$["Item"]') IS NOT NULL
  AND json_extract(line, '$["Item"]["$unique"]') IS NULL
  AND (json_extract_scalar(line, '$["Item"]["_type"]["S"]') = 'Order'
    OR (json_extract(line, '$["Item"]["_type"]') IS NULL AND regexp_like(json_extract_scalar(line, '$["Item"]["pk"]["S"]'), '^BUYER\#[^\#]*\z') AND regexp_like(json_extract_scalar(line, '$["Item"]["sk"]["S"]'), '^ORDER\#[^\#]{6}\z')));

CREATE OR REPLACE VIEW "shop_mail_shop_reward_unread" AS
SELECT
  count(CASE WHEN json_extract(line, '$["Item"]["buyer"]') IS NOT NULL AND json_extract(line, '$["Item"]["buyer"]["NULL"]') IS NULL AND json_extract_scalar(line, '$["Item"]["buyer"]["S"]') IS NULL THEN 1 END) AS "buyer",
  count(CASE WHEN json_extract(line, '$["Item"]["number"]') IS NOT NULL AND json_extract(line, '$["Item"]["number"]["NULL"]') IS NULL AND TRY_CAST(regexp_extract(json_extract_scalar(line, '$["Item"]["number"]["N"]'), '^-?[0-9]+\z') AS bigint) IS NULL THEN 1 END) AS "number"
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
  TRY_CAST(regexp_extract(json_extract_scalar(line, '$["Item"]["cents"]["N"]'), '^-?[0-9]+\z') AS decimal(20, 0)) AS "cents"
FROM "shop_mail_sales_lines"
WHERE json_extract(line, '$["Item"]') IS NOT NULL
  AND json_extract(line, '$["Item"]["$unique"]') IS NULL;

CREATE OR REPLACE VIEW "shop_mail_sales_sales_unread" AS
SELECT
  count(CASE WHEN json_extract(line, '$["Item"]["buyer"]') IS NOT NULL AND json_extract(line, '$["Item"]["buyer"]["NULL"]') IS NULL AND json_extract_scalar(line, '$["Item"]["buyer"]["S"]') IS NULL THEN 1 END) AS "buyer",
  count(CASE WHEN json_extract(line, '$["Item"]["cents"]') IS NOT NULL AND json_extract(line, '$["Item"]["cents"]["NULL"]') IS NULL AND TRY_CAST(regexp_extract(json_extract_scalar(line, '$["Item"]["cents"]["N"]'), '^-?[0-9]+\z') AS decimal(20, 0)) IS NULL THEN 1 END) AS "cents"
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
  TRY_CAST(regexp_extract(json_extract_scalar(line, '$["Item"]["start_at"]["N"]'), '^-?[0-9]+\z') AS bigint) AS "start_at",
  json_extract_scalar(line, '$["Item"]["owner"]["S"]') AS "owner",
  TRY_CAST(regexp_extract(json_extract_scalar(line, '$["Item"]["epoch"]["N"]'), '^-?[0-9]+\z') AS decimal(20, 0)) AS "epoch",
  TRY_CAST(regexp_extract(json_extract_scalar(line, '$["Item"]["renewals"]["N"]'), '^-?[0-9]+\z') AS decimal(20, 0)) AS "renewals",
  TRY_CAST(regexp_extract(json_extract_scalar(line, '$["Item"]["lease_millis"]["N"]'), '^-?[0-9]+\z') AS decimal(20, 0)) AS "lease_millis",
  TRY_CAST(regexp_extract(json_extract_scalar(line, '$["Item"]["surveyed_at"]["N"]'), '^-?[0-9]+\z') AS bigint) AS "surveyed_at",
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
  TRY_CAST(regexp_extract(json_extract_scalar(line, '$["Item"]["unread_since"]["N"]'), '^-?[0-9]+\z') AS bigint) AS "unread_since",
  json_extract_scalar(line, '$["Item"]["owner"]["S"]') AS "owner",
  TRY_CAST(regexp_extract(json_extract_scalar(line, '$["Item"]["epoch"]["N"]'), '^-?[0-9]+\z') AS decimal(20, 0)) AS "epoch",
  TRY_CAST(regexp_extract(json_extract_scalar(line, '$["Item"]["renewals"]["N"]'), '^-?[0-9]+\z') AS decimal(20, 0)) AS "renewals",
  TRY_CAST(regexp_extract(json_extract_scalar(line, '$["Item"]["lease_millis"]["N"]'), '^-?[0-9]+\z') AS decimal(20, 0)) AS "lease_millis",
  json_extract_scalar(line, '$["Item"]["requested_by"]["S"]') AS "requested_by",
  json_extract_scalar(line, '$["Item"]["place"]["S"]') AS "place",
  TRY_CAST(regexp_extract(json_extract_scalar(line, '$["Item"]["place_at"]["N"]'), '^-?[0-9]+\z') AS bigint) AS "place_at",
  TRY_CAST(json_extract_scalar(line, '$["Item"]["is_finished"]["BOOL"]') AS boolean) AS "is_finished",
  TRY_CAST(json_extract_scalar(line, '$["Item"]["is_initial"]["BOOL"]') AS boolean) AS "is_initial"
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

CREATE OR REPLACE VIEW "shop_stream_leases_stream_group_unread" AS
SELECT
  count(CASE WHEN json_extract(line, '$["Item"]["group"]') IS NOT NULL AND json_extract(line, '$["Item"]["group"]["NULL"]') IS NULL AND json_extract_scalar(line, '$["Item"]["group"]["S"]') IS NULL THEN 1 END) AS "group",
  count(CASE WHEN json_extract(line, '$["Item"]["stream"]') IS NOT NULL AND json_extract(line, '$["Item"]["stream"]["NULL"]') IS NULL AND json_extract_scalar(line, '$["Item"]["stream"]["S"]') IS NULL THEN 1 END) AS "stream",
  count(CASE WHEN json_extract(line, '$["Item"]["start_at"]') IS NOT NULL AND json_extract(line, '$["Item"]["start_at"]["NULL"]') IS NULL AND TRY_CAST(regexp_extract(json_extract_scalar(line, '$["Item"]["start_at"]["N"]'), '^-?[0-9]+\z') AS bigint) IS NULL THEN 1 END) AS "start_at",
  count(CASE WHEN json_extract(line, '$["Item"]["owner"]') IS NOT NULL AND json_extract(line, '$["Item"]["owner"]["NULL"]') IS NULL AND json_extract_scalar(line, '$["Item"]["owner"]["S"]') IS NULL THEN 1 END) AS "owner",
  count(CASE WHEN json_extract(line, '$["Item"]["epoch"]') IS NOT NULL AND json_extract(line, '$["Item"]["epoch"]["NULL"]') IS NULL AND TRY_CAST(regexp_extract(json_extract_scalar(line, '$["Item"]["epoch"]["N"]'), '^-?[0-9]+\z') AS decimal(20, 0)) IS NULL THEN 1 END) AS "epoch",
  count(CASE WHEN json_extract(line, '$["Item"]["renewals"]') IS NOT NULL AND json_extract(line, '$["Item"]["renewals"]["NULL"]') IS NULL AND TRY_CAST(regexp_extract(json_extract_scalar(line, '$["Item"]["renewals"]["N"]'), '^-?[0-9]+\z') AS decimal(20, 0)) IS NULL THEN 1 END) AS "renewals",
  count(CASE WHEN json_extract(line, '$["Item"]["lease_millis"]') IS NOT NULL AND json_extract(line, '$["Item"]["lease_millis"]["NULL"]') IS NULL AND TRY_CAST(regexp_extract(json_extract_scalar(line, '$["Item"]["lease_millis"]["N"]'), '^-?[0-9]+\z') AS decimal(20, 0)) IS NULL THEN 1 END) AS "lease_millis",
  count(CASE WHEN json_extract(line, '$["Item"]["surveyed_at"]') IS NOT NULL AND json_extract(line, '$["Item"]["surveyed_at"]["NULL"]') IS NULL AND TRY_CAST(regexp_extract(json_extract_scalar(line, '$["Item"]["surveyed_at"]["N"]'), '^-?[0-9]+\z') AS bigint) IS NULL THEN 1 END) AS "surveyed_at",
  count(CASE WHEN json_extract(line, '$["Item"]["entities"]') IS NOT NULL AND json_extract(line, '$["Item"]["entities"]["NULL"]') IS NULL AND CAST(json_extract(line, '$["Item"]["entities"]["SS"]') AS array(varchar)) IS NULL THEN 1 END) AS "entities"
FROM "shop_stream_leases_lines"
WHERE json_extract(line, '$["Item"]') IS NOT NULL
  AND json_extract(line, '$["Item"]["$unique"]') IS NULL
  AND (json_extract_scalar(line, '$["Item"]["_type"]["S"]') = 'StreamGroup'
    OR (json_extract(line, '$["Item"]["_type"]') IS NULL AND regexp_like(json_extract_scalar(line, '$["Item"]["pk"]["S"]'), '^GROUP\#[^\#]*\z') AND regexp_like(json_extract_scalar(line, '$["Item"]["sk"]["S"]'), '^GROUP\z')));

CREATE OR REPLACE VIEW "shop_stream_leases_group_roots_unread" AS
SELECT
  count(CASE WHEN json_extract(line, '$["Item"]["group"]') IS NOT NULL AND json_extract(line, '$["Item"]["group"]["NULL"]') IS NULL AND json_extract_scalar(line, '$["Item"]["group"]["S"]') IS NULL THEN 1 END) AS "group",
  count(CASE WHEN json_extract(line, '$["Item"]["shards"]') IS NOT NULL AND json_extract(line, '$["Item"]["shards"]["NULL"]') IS NULL AND CAST(json_extract(line, '$["Item"]["shards"]["SS"]') AS array(varchar)) IS NULL THEN 1 END) AS "shards"
FROM "shop_stream_leases_lines"
WHERE json_extract(line, '$["Item"]') IS NOT NULL
  AND json_extract(line, '$["Item"]["$unique"]') IS NULL
  AND (json_extract_scalar(line, '$["Item"]["_type"]["S"]') = 'GroupRoots'
    OR (json_extract(line, '$["Item"]["_type"]') IS NULL AND regexp_like(json_extract_scalar(line, '$["Item"]["pk"]["S"]'), '^GROUP\#[^\#]*\z') AND regexp_like(json_extract_scalar(line, '$["Item"]["sk"]["S"]'), '^ROOTS\z')));

CREATE OR REPLACE VIEW "shop_stream_leases_shard_lease_unread" AS
SELECT
  count(CASE WHEN json_extract(line, '$["Item"]["group"]') IS NOT NULL AND json_extract(line, '$["Item"]["group"]["NULL"]') IS NULL AND json_extract_scalar(line, '$["Item"]["group"]["S"]') IS NULL THEN 1 END) AS "group",
  count(CASE WHEN json_extract(line, '$["Item"]["shard"]') IS NOT NULL AND json_extract(line, '$["Item"]["shard"]["NULL"]') IS NULL AND json_extract_scalar(line, '$["Item"]["shard"]["S"]') IS NULL THEN 1 END) AS "shard",
  count(CASE WHEN json_extract(line, '$["Item"]["parent"]') IS NOT NULL AND json_extract(line, '$["Item"]["parent"]["NULL"]') IS NULL AND json_extract_scalar(line, '$["Item"]["parent"]["S"]') IS NULL THEN 1 END) AS "parent",
  count(CASE WHEN json_extract(line, '$["Item"]["children"]') IS NOT NULL AND json_extract(line, '$["Item"]["children"]["NULL"]') IS NULL AND CAST(json_extract(line, '$["Item"]["children"]["SS"]') AS array(varchar)) IS NULL THEN 1 END) AS "children",
  count(CASE WHEN json_extract(line, '$["Item"]["unread_since"]') IS NOT NULL AND json_extract(line, '$["Item"]["unread_since"]["NULL"]') IS NULL AND TRY_CAST(regexp_extract(json_extract_scalar(line, '$["Item"]["unread_since"]["N"]'), '^-?[0-9]+\z') AS bigint) IS NULL THEN 1 END) AS "unread_since",
  count(CASE WHEN json_extract(line, '$["Item"]["owner"]') IS NOT NULL AND json_extract(line, '$["Item"]["owner"]["NULL"]') IS NULL AND json_extract_scalar(line, '$["Item"]["owner"]["S"]') IS NULL THEN 1 END) AS "owner",
  count(CASE WHEN json_extract(line, '$["Item"]["epoch"]') IS NOT NULL AND json_extract(line, '$["Item"]["epoch"]["NULL"]') IS NULL AND TRY_CAST(regexp_extract(json_extract_scalar(line, '$["Item"]["epoch"]["N"]'), '^-?[0-9]+\z') AS decimal(20, 0)) IS NULL THEN 1 END) AS "epoch",
  count(CASE WHEN json_extract(line, '$["Item"]["renewals"]') IS NOT NULL AND json_extract(line, '$["Item"]["renewals"]["NULL"]') IS NULL AND TRY_CAST(regexp_extract(json_extract_scalar(line, '$["Item"]["renewals"]["N"]'), '^-?[0-9]+\z') AS decimal(20, 0)) IS NULL THEN 1 END) AS "renewals",
  count(CASE WHEN json_extract(line, '$["Item"]["lease_millis"]') IS NOT NULL AND json_extract(line, '$["Item"]["lease_millis"]["NULL"]') IS NULL AND TRY_CAST(regexp_extract(json_extract_scalar(line, '$["Item"]["lease_millis"]["N"]'), '^-?[0-9]+\z') AS decimal(20, 0)) IS NULL THEN 1 END) AS "lease_millis",
  count(CASE WHEN json_extract(line, '$["Item"]["requested_by"]') IS NOT NULL AND json_extract(line, '$["Item"]["requested_by"]["NULL"]') IS NULL AND json_extract_scalar(line, '$["Item"]["requested_by"]["S"]') IS NULL THEN 1 END) AS "requested_by",
  count(CASE WHEN json_extract(line, '$["Item"]["place"]') IS NOT NULL AND json_extract(line, '$["Item"]["place"]["NULL"]') IS NULL AND json_extract_scalar(line, '$["Item"]["place"]["S"]') IS NULL THEN 1 END) AS "place",
  count(CASE WHEN json_extract(line, '$["Item"]["place_at"]') IS NOT NULL AND json_extract(line, '$["Item"]["place_at"]["NULL"]') IS NULL AND TRY_CAST(regexp_extract(json_extract_scalar(line, '$["Item"]["place_at"]["N"]'), '^-?[0-9]+\z') AS bigint) IS NULL THEN 1 END) AS "place_at",
  count(CASE WHEN json_extract(line, '$["Item"]["is_finished"]') IS NOT NULL AND json_extract(line, '$["Item"]["is_finished"]["NULL"]') IS NULL AND TRY_CAST(json_extract_scalar(line, '$["Item"]["is_finished"]["BOOL"]') AS boolean) IS NULL THEN 1 END) AS "is_finished",
  count(CASE WHEN json_extract(line, '$["Item"]["is_initial"]') IS NOT NULL AND json_extract(line, '$["Item"]["is_initial"]["NULL"]') IS NULL AND TRY_CAST(json_extract_scalar(line, '$["Item"]["is_initial"]["BOOL"]') AS boolean) IS NULL THEN 1 END) AS "is_initial"
FROM "shop_stream_leases_lines"
WHERE json_extract(line, '$["Item"]') IS NOT NULL
  AND json_extract(line, '$["Item"]["$unique"]') IS NULL
  AND (json_extract_scalar(line, '$["Item"]["_type"]["S"]') = 'ShardLease'
    OR (json_extract(line, '$["Item"]["_type"]') IS NULL AND regexp_like(json_extract_scalar(line, '$["Item"]["pk"]["S"]'), '^GROUP\#[^\#]*\z') AND regexp_like(json_extract_scalar(line, '$["Item"]["sk"]["S"]'), '^SHARD\#[^\#]*\z')));

CREATE OR REPLACE VIEW "shop_stream_leases_stream_reader_unread" AS
SELECT
  count(CASE WHEN json_extract(line, '$["Item"]["stream"]') IS NOT NULL AND json_extract(line, '$["Item"]["stream"]["NULL"]') IS NULL AND json_extract_scalar(line, '$["Item"]["stream"]["S"]') IS NULL THEN 1 END) AS "stream",
  count(CASE WHEN json_extract(line, '$["Item"]["group"]') IS NOT NULL AND json_extract(line, '$["Item"]["group"]["NULL"]') IS NULL AND json_extract_scalar(line, '$["Item"]["group"]["S"]') IS NULL THEN 1 END) AS "group"
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
  TRY(CAST(from_iso8601_timestamp(json_extract_scalar(line, '$["Item"]["parked_at"]["S"]')) AT TIME ZONE 'UTC' AS timestamp)) AS "parked_at",
  json_extract_scalar(line, '$["Item"]["stored_by"]["S"]') AS "stored_by",
  TRY_CAST(regexp_extract(json_extract_scalar(line, '$["Item"]["parts"]["N"]'), '^-?[0-9]+\z') AS bigint) AS "parts",
  TRY(CAST(from_unixtime(CAST(json_extract_scalar(line, '$["Item"]["expires_at"]["N"]') AS double)) AT TIME ZONE 'UTC' AS timestamp)) AS "expires_at"
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
  TRY_CAST(regexp_extract(json_extract_scalar(line, '$["Item"]["number"]["N"]'), '^-?[0-9]+\z') AS bigint) AS "number",
  TRY(from_base64(json_extract_scalar(line, '$["Item"]["json"]["B"]'))) AS "json"
FROM "shop_parked_changes_lines"
WHERE json_extract(line, '$["Item"]') IS NOT NULL
  AND json_extract(line, '$["Item"]["$unique"]') IS NULL
  AND (json_extract_scalar(line, '$["Item"]["_type"]["S"]') = 'ParkedPart'
    OR (json_extract(line, '$["Item"]["_type"]') IS NULL AND regexp_like(json_extract_scalar(line, '$["Item"]["pk"]["S"]'), '^CONSUMER\#[^\#]*\z') AND regexp_like(json_extract_scalar(line, '$["Item"]["sk"]["S"]'), '^PART\#[^\#]*\#[^\#]*\#[^\#]{6}\z')));

CREATE OR REPLACE VIEW "shop_parked_changes_parked_change_unread" AS
SELECT
  count(CASE WHEN json_extract(line, '$["Item"]["consumer"]') IS NOT NULL AND json_extract(line, '$["Item"]["consumer"]["NULL"]') IS NULL AND json_extract_scalar(line, '$["Item"]["consumer"]["S"]') IS NULL THEN 1 END) AS "consumer",
  count(CASE WHEN json_extract(line, '$["Item"]["event_id"]') IS NOT NULL AND json_extract(line, '$["Item"]["event_id"]["NULL"]') IS NULL AND json_extract_scalar(line, '$["Item"]["event_id"]["S"]') IS NULL THEN 1 END) AS "event_id",
  count(CASE WHEN json_extract(line, '$["Item"]["attempts"]') IS NOT NULL AND json_extract(line, '$["Item"]["attempts"]["NULL"]') IS NULL AND CAST(json_extract(line, '$["Item"]["attempts"]["SS"]') AS array(varchar)) IS NULL THEN 1 END) AS "attempts",
  count(CASE WHEN json_extract(line, '$["Item"]["reason"]') IS NOT NULL AND json_extract(line, '$["Item"]["reason"]["NULL"]') IS NULL AND json_extract_scalar(line, '$["Item"]["reason"]["S"]') IS NULL THEN 1 END) AS "reason",
  count(CASE WHEN json_extract(line, '$["Item"]["item_table"]') IS NOT NULL AND json_extract(line, '$["Item"]["item_table"]["NULL"]') IS NULL AND json_extract_scalar(line, '$["Item"]["item_table"]["S"]') IS NULL THEN 1 END) AS "item_table",
  count(CASE WHEN json_extract(line, '$["Item"]["item_key"]') IS NOT NULL AND json_extract(line, '$["Item"]["item_key"]["NULL"]') IS NULL AND CASE WHEN json_extract(line, '$["Item"]["item_key"]["NULL"]') IS NULL THEN json_format(json_extract(line, '$["Item"]["item_key"]')) END IS NULL THEN 1 END) AS "item_key",
  count(CASE WHEN json_extract(line, '$["Item"]["sequence"]') IS NOT NULL AND json_extract(line, '$["Item"]["sequence"]["NULL"]') IS NULL AND json_extract_scalar(line, '$["Item"]["sequence"]["S"]') IS NULL THEN 1 END) AS "sequence",
  count(CASE WHEN json_extract(line, '$["Item"]["parked_at"]') IS NOT NULL AND json_extract(line, '$["Item"]["parked_at"]["NULL"]') IS NULL AND TRY(CAST(from_iso8601_timestamp(json_extract_scalar(line, '$["Item"]["parked_at"]["S"]')) AT TIME ZONE 'UTC' AS timestamp)) IS NULL THEN 1 END) AS "parked_at",
  count(CASE WHEN json_extract(line, '$["Item"]["stored_by"]') IS NOT NULL AND json_extract(line, '$["Item"]["stored_by"]["NULL"]') IS NULL AND json_extract_scalar(line, '$["Item"]["stored_by"]["S"]') IS NULL THEN 1 END) AS "stored_by",
  count(CASE WHEN json_extract(line, '$["Item"]["parts"]') IS NOT NULL AND json_extract(line, '$["Item"]["parts"]["NULL"]') IS NULL AND TRY_CAST(regexp_extract(json_extract_scalar(line, '$["Item"]["parts"]["N"]'), '^-?[0-9]+\z') AS bigint) IS NULL THEN 1 END) AS "parts",
  count(CASE WHEN json_extract(line, '$["Item"]["expires_at"]') IS NOT NULL AND json_extract(line, '$["Item"]["expires_at"]["NULL"]') IS NULL AND TRY(CAST(from_unixtime(CAST(json_extract_scalar(line, '$["Item"]["expires_at"]["N"]') AS double)) AT TIME ZONE 'UTC' AS timestamp)) IS NULL THEN 1 END) AS "expires_at"
FROM "shop_parked_changes_lines"
WHERE json_extract(line, '$["Item"]') IS NOT NULL
  AND json_extract(line, '$["Item"]["$unique"]') IS NULL
  AND (json_extract_scalar(line, '$["Item"]["_type"]["S"]') = 'ParkedChange'
    OR (json_extract(line, '$["Item"]["_type"]') IS NULL AND regexp_like(json_extract_scalar(line, '$["Item"]["pk"]["S"]'), '^CONSUMER\#[^\#]*\z') AND regexp_like(json_extract_scalar(line, '$["Item"]["sk"]["S"]'), '^CHANGE\#[^\#]*\z')));

CREATE OR REPLACE VIEW "shop_parked_changes_parked_part_unread" AS
SELECT
  count(CASE WHEN json_extract(line, '$["Item"]["consumer"]') IS NOT NULL AND json_extract(line, '$["Item"]["consumer"]["NULL"]') IS NULL AND json_extract_scalar(line, '$["Item"]["consumer"]["S"]') IS NULL THEN 1 END) AS "consumer",
  count(CASE WHEN json_extract(line, '$["Item"]["event_id"]') IS NOT NULL AND json_extract(line, '$["Item"]["event_id"]["NULL"]') IS NULL AND json_extract_scalar(line, '$["Item"]["event_id"]["S"]') IS NULL THEN 1 END) AS "event_id",
  count(CASE WHEN json_extract(line, '$["Item"]["attempt"]') IS NOT NULL AND json_extract(line, '$["Item"]["attempt"]["NULL"]') IS NULL AND json_extract_scalar(line, '$["Item"]["attempt"]["S"]') IS NULL THEN 1 END) AS "attempt",
  count(CASE WHEN json_extract(line, '$["Item"]["number"]') IS NOT NULL AND json_extract(line, '$["Item"]["number"]["NULL"]') IS NULL AND TRY_CAST(regexp_extract(json_extract_scalar(line, '$["Item"]["number"]["N"]'), '^-?[0-9]+\z') AS bigint) IS NULL THEN 1 END) AS "number",
  count(CASE WHEN json_extract(line, '$["Item"]["json"]') IS NOT NULL AND json_extract(line, '$["Item"]["json"]["NULL"]') IS NULL AND TRY(from_base64(json_extract_scalar(line, '$["Item"]["json"]["B"]'))) IS NULL THEN 1 END) AS "json"
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
  TRY(CAST(from_iso8601_timestamp(json_extract_scalar(line, '$["Item"]["since"]["S"]')) AT TIME ZONE 'UTC' AS timestamp)) AS "since",
  TRY(CAST(from_iso8601_timestamp(json_extract_scalar(line, '$["Item"]["until"]["S"]')) AT TIME ZONE 'UTC' AS timestamp)) AS "until",
  TRY_CAST(json_extract_scalar(line, '$["Item"]["is_done"]["BOOL"]') AS boolean) AS "is_done",
  CASE WHEN json_extract(line, '$["Item"]["result"]["NULL"]') IS NULL THEN json_format(json_extract(line, '$["Item"]["result"]')) END AS "result",
  TRY(CAST(from_unixtime(CAST(json_extract_scalar(line, '$["Item"]["expires_at"]["N"]') AS double)) AT TIME ZONE 'UTC' AS timestamp)) AS "expires_at",
  TRY_CAST(regexp_extract(json_extract_scalar(line, '$["Item"]["version"]["N"]'), '^-?[0-9]+\z') AS decimal(20, 0)) AS "version"
FROM "shop_once_effects_lines"
WHERE json_extract(line, '$["Item"]') IS NOT NULL
  AND json_extract(line, '$["Item"]["$unique"]') IS NULL;

CREATE OR REPLACE VIEW "shop_once_effects_once_effect_unread" AS
SELECT
  count(CASE WHEN json_extract(line, '$["Item"]["id"]') IS NOT NULL AND json_extract(line, '$["Item"]["id"]["NULL"]') IS NULL AND json_extract_scalar(line, '$["Item"]["id"]["S"]') IS NULL THEN 1 END) AS "id",
  count(CASE WHEN json_extract(line, '$["Item"]["owner"]') IS NOT NULL AND json_extract(line, '$["Item"]["owner"]["NULL"]') IS NULL AND json_extract_scalar(line, '$["Item"]["owner"]["S"]') IS NULL THEN 1 END) AS "owner",
  count(CASE WHEN json_extract(line, '$["Item"]["since"]') IS NOT NULL AND json_extract(line, '$["Item"]["since"]["NULL"]') IS NULL AND TRY(CAST(from_iso8601_timestamp(json_extract_scalar(line, '$["Item"]["since"]["S"]')) AT TIME ZONE 'UTC' AS timestamp)) IS NULL THEN 1 END) AS "since",
  count(CASE WHEN json_extract(line, '$["Item"]["until"]') IS NOT NULL AND json_extract(line, '$["Item"]["until"]["NULL"]') IS NULL AND TRY(CAST(from_iso8601_timestamp(json_extract_scalar(line, '$["Item"]["until"]["S"]')) AT TIME ZONE 'UTC' AS timestamp)) IS NULL THEN 1 END) AS "until",
  count(CASE WHEN json_extract(line, '$["Item"]["is_done"]') IS NOT NULL AND json_extract(line, '$["Item"]["is_done"]["NULL"]') IS NULL AND TRY_CAST(json_extract_scalar(line, '$["Item"]["is_done"]["BOOL"]') AS boolean) IS NULL THEN 1 END) AS "is_done",
  count(CASE WHEN json_extract(line, '$["Item"]["result"]') IS NOT NULL AND json_extract(line, '$["Item"]["result"]["NULL"]') IS NULL AND CASE WHEN json_extract(line, '$["Item"]["result"]["NULL"]') IS NULL THEN json_format(json_extract(line, '$["Item"]["result"]')) END IS NULL THEN 1 END) AS "result",
  count(CASE WHEN json_extract(line, '$["Item"]["expires_at"]') IS NOT NULL AND json_extract(line, '$["Item"]["expires_at"]["NULL"]') IS NULL AND TRY(CAST(from_unixtime(CAST(json_extract_scalar(line, '$["Item"]["expires_at"]["N"]') AS double)) AT TIME ZONE 'UTC' AS timestamp)) IS NULL THEN 1 END) AS "expires_at",
  count(CASE WHEN json_extract(line, '$["Item"]["version"]') IS NOT NULL AND json_extract(line, '$["Item"]["version"]["NULL"]') IS NULL AND TRY_CAST(regexp_extract(json_extract_scalar(line, '$["Item"]["version"]["N"]'), '^-?[0-9]+\z') AS decimal(20, 0)) IS NULL THEN 1 END) AS "version"
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
  TRY_CAST(regexp_extract(json_extract_scalar(line, '$["Item"]["number"]["N"]'), '^-?[0-9]+\z') AS bigint) AS "number",
  json_extract_scalar(line, '$["Item"]["customer"]["S"]') AS "customer",
  TRY(CAST(from_iso8601_timestamp(json_extract_scalar(line, '$["Item"]["placed_at"]["S"]')) AT TIME ZONE 'UTC' AS timestamp)) AS "placed_at",
  json_extract_scalar(line, '$["Item"]["status"]["S"]') AS "status",
  TRY_CAST(regexp_extract(json_extract_scalar(line, '$["Item"]["total"]["N"]'), '^-?[0-9]+\z') AS bigint) AS "total",
  json_extract_scalar(line, '$["Item"]["address"]["S"]') AS "address"
FROM "shop_order_lines"
WHERE json_extract(line, '$["Item"]') IS NOT NULL
  AND json_extract(line, '$["Item"]["$unique"]') IS NULL;

CREATE OR REPLACE VIEW "shop_order_order_unread" AS
SELECT
  count(CASE WHEN json_extract(line, '$["Item"]["number"]') IS NOT NULL AND json_extract(line, '$["Item"]["number"]["NULL"]') IS NULL AND TRY_CAST(regexp_extract(json_extract_scalar(line, '$["Item"]["number"]["N"]'), '^-?[0-9]+\z') AS bigint) IS NULL THEN 1 END) AS "number",
  count(CASE WHEN json_extract(line, '$["Item"]["customer"]') IS NOT NULL AND json_extract(line, '$["Item"]["customer"]["NULL"]') IS NULL AND json_extract_scalar(line, '$["Item"]["customer"]["S"]') IS NULL THEN 1 END) AS "customer",
  count(CASE WHEN json_extract(line, '$["Item"]["placed_at"]') IS NOT NULL AND json_extract(line, '$["Item"]["placed_at"]["NULL"]') IS NULL AND TRY(CAST(from_iso8601_timestamp(json_extract_scalar(line, '$["Item"]["placed_at"]["S"]')) AT TIME ZONE 'UTC' AS timestamp)) IS NULL THEN 1 END) AS "placed_at",
  count(CASE WHEN json_extract(line, '$["Item"]["status"]') IS NOT NULL AND json_extract(line, '$["Item"]["status"]["NULL"]') IS NULL AND json_extract_scalar(line, '$["Item"]["status"]["S"]') IS NULL THEN 1 END) AS "status",
  count(CASE WHEN json_extract(line, '$["Item"]["total"]') IS NOT NULL AND json_extract(line, '$["Item"]["total"]["NULL"]') IS NULL AND TRY_CAST(regexp_extract(json_extract_scalar(line, '$["Item"]["total"]["N"]'), '^-?[0-9]+\z') AS bigint) IS NULL THEN 1 END) AS "total",
  count(CASE WHEN json_extract(line, '$["Item"]["address"]') IS NOT NULL AND json_extract(line, '$["Item"]["address"]["NULL"]') IS NULL AND json_extract_scalar(line, '$["Item"]["address"]["S"]') IS NULL THEN 1 END) AS "address"
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
  TRY_CAST(regexp_extract(json_extract_scalar(line, '$["Item"]["number"]["N"]'), '^-?[0-9]+\z') AS bigint) AS "number",
  json_extract_scalar(line, '$["Item"]["name"]["S"]') AS "name",
  json_extract_scalar(line, '$["Item"]["hobby"]["S"]') AS "hobby"
FROM "shop_employee_lines"
WHERE json_extract(line, '$["Item"]') IS NOT NULL
  AND json_extract(line, '$["Item"]["$unique"]') IS NULL;

CREATE OR REPLACE VIEW "shop_employee_employee_unread" AS
SELECT
  count(CASE WHEN json_extract(line, '$["Item"]["company"]') IS NOT NULL AND json_extract(line, '$["Item"]["company"]["NULL"]') IS NULL AND json_extract_scalar(line, '$["Item"]["company"]["S"]') IS NULL THEN 1 END) AS "company",
  count(CASE WHEN json_extract(line, '$["Item"]["number"]') IS NOT NULL AND json_extract(line, '$["Item"]["number"]["NULL"]') IS NULL AND TRY_CAST(regexp_extract(json_extract_scalar(line, '$["Item"]["number"]["N"]'), '^-?[0-9]+\z') AS bigint) IS NULL THEN 1 END) AS "number",
  count(CASE WHEN json_extract(line, '$["Item"]["name"]') IS NOT NULL AND json_extract(line, '$["Item"]["name"]["NULL"]') IS NULL AND json_extract_scalar(line, '$["Item"]["name"]["S"]') IS NULL THEN 1 END) AS "name",
  count(CASE WHEN json_extract(line, '$["Item"]["hobby"]') IS NOT NULL AND json_extract(line, '$["Item"]["hobby"]["NULL"]') IS NULL AND json_extract_scalar(line, '$["Item"]["hobby"]["S"]') IS NULL THEN 1 END) AS "hobby"
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
  TRY_CAST(regexp_extract(json_extract_scalar(line, '$["Item"]["number"]["N"]'), '^-?[0-9]+\z') AS bigint) AS "number",
  json_extract_scalar(line, '$["Item"]["name"]["S"]') AS "name",
  json_extract_scalar(line, '$["Item"]["hobby"]["S"]') AS "hobby"
FROM "shop_large_company_lines"
WHERE json_extract(line, '$["Item"]') IS NOT NULL
  AND json_extract(line, '$["Item"]["$unique"]') IS NULL;

CREATE OR REPLACE VIEW "shop_large_company_employee_of_many_unread" AS
SELECT
  count(CASE WHEN json_extract(line, '$["Item"]["company"]') IS NOT NULL AND json_extract(line, '$["Item"]["company"]["NULL"]') IS NULL AND json_extract_scalar(line, '$["Item"]["company"]["S"]') IS NULL THEN 1 END) AS "company",
  count(CASE WHEN json_extract(line, '$["Item"]["number"]') IS NOT NULL AND json_extract(line, '$["Item"]["number"]["NULL"]') IS NULL AND TRY_CAST(regexp_extract(json_extract_scalar(line, '$["Item"]["number"]["N"]'), '^-?[0-9]+\z') AS bigint) IS NULL THEN 1 END) AS "number",
  count(CASE WHEN json_extract(line, '$["Item"]["name"]') IS NOT NULL AND json_extract(line, '$["Item"]["name"]["NULL"]') IS NULL AND json_extract_scalar(line, '$["Item"]["name"]["S"]') IS NULL THEN 1 END) AS "name",
  count(CASE WHEN json_extract(line, '$["Item"]["hobby"]') IS NOT NULL AND json_extract(line, '$["Item"]["hobby"]["NULL"]') IS NULL AND json_extract_scalar(line, '$["Item"]["hobby"]["S"]') IS NULL THEN 1 END) AS "hobby"
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
  TRY_CAST(json_extract_scalar(line, '$["Item"]["day"]["S"]') AS date) AS "day",
  TRY_CAST(regexp_extract(json_extract_scalar(line, '$["Item"]["count"]["N"]'), '^-?[0-9]+\z') AS decimal(20, 0)) AS "count"
FROM "shop_request_count_lines"
WHERE json_extract(line, '$["Item"]') IS NOT NULL
  AND json_extract(line, '$["Item"]["$unique"]') IS NULL;

CREATE OR REPLACE VIEW "shop_request_count_request_count_unread" AS
SELECT
  count(CASE WHEN json_extract(line, '$["Item"]["request_name"]') IS NOT NULL AND json_extract(line, '$["Item"]["request_name"]["NULL"]') IS NULL AND json_extract_scalar(line, '$["Item"]["request_name"]["S"]') IS NULL THEN 1 END) AS "request_name",
  count(CASE WHEN json_extract(line, '$["Item"]["day"]') IS NOT NULL AND json_extract(line, '$["Item"]["day"]["NULL"]') IS NULL AND TRY_CAST(json_extract_scalar(line, '$["Item"]["day"]["S"]') AS date) IS NULL THEN 1 END) AS "day",
  count(CASE WHEN json_extract(line, '$["Item"]["count"]') IS NOT NULL AND json_extract(line, '$["Item"]["count"]["NULL"]') IS NULL AND TRY_CAST(regexp_extract(json_extract_scalar(line, '$["Item"]["count"]["N"]'), '^-?[0-9]+\z') AS decimal(20, 0)) IS NULL THEN 1 END) AS "count"
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
  TRY_CAST(regexp_extract(json_extract_scalar(line, '$["Item"]["slice"]["N"]'), '^-?[0-9]+\z') AS bigint) AS "slice",
  TRY_CAST(json_extract_scalar(line, '$["Item"]["day"]["S"]') AS date) AS "day",
  TRY_CAST(regexp_extract(json_extract_scalar(line, '$["Item"]["count"]["N"]'), '^-?[0-9]+\z') AS decimal(20, 0)) AS "count"
FROM "shop_busy_request_count_lines"
WHERE json_extract(line, '$["Item"]') IS NOT NULL
  AND json_extract(line, '$["Item"]["$unique"]') IS NULL;

CREATE OR REPLACE VIEW "shop_busy_request_count_busy_request_count_unread" AS
SELECT
  count(CASE WHEN json_extract(line, '$["Item"]["request_name"]') IS NOT NULL AND json_extract(line, '$["Item"]["request_name"]["NULL"]') IS NULL AND json_extract_scalar(line, '$["Item"]["request_name"]["S"]') IS NULL THEN 1 END) AS "request_name",
  count(CASE WHEN json_extract(line, '$["Item"]["slice"]') IS NOT NULL AND json_extract(line, '$["Item"]["slice"]["NULL"]') IS NULL AND TRY_CAST(regexp_extract(json_extract_scalar(line, '$["Item"]["slice"]["N"]'), '^-?[0-9]+\z') AS bigint) IS NULL THEN 1 END) AS "slice",
  count(CASE WHEN json_extract(line, '$["Item"]["day"]') IS NOT NULL AND json_extract(line, '$["Item"]["day"]["NULL"]') IS NULL AND TRY_CAST(json_extract_scalar(line, '$["Item"]["day"]["S"]') AS date) IS NULL THEN 1 END) AS "day",
  count(CASE WHEN json_extract(line, '$["Item"]["count"]') IS NOT NULL AND json_extract(line, '$["Item"]["count"]["NULL"]') IS NULL AND TRY_CAST(regexp_extract(json_extract_scalar(line, '$["Item"]["count"]["N"]'), '^-?[0-9]+\z') AS decimal(20, 0)) IS NULL THEN 1 END) AS "count"
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
  TRY_CAST(regexp_extract(json_extract_scalar(line, '$["Item"]["id"]["N"]'), '^-?[0-9]+\z') AS bigint) AS "id",
  json_extract_scalar(line, '$["Item"]["kind"]["S"]') AS "kind",
  json_extract_scalar(line, '$["Item"]["country"]["S"]') AS "country",
  json_extract_scalar(line, '$["Item"]["state"]["S"]') AS "state",
  json_extract_scalar(line, '$["Item"]["city"]["S"]') AS "city",
  json_extract_scalar(line, '$["Item"]["name"]["S"]') AS "name"
FROM "shop_shop_lines"
WHERE json_extract(line, '$["Item"]') IS NOT NULL
  AND json_extract(line, '$["Item"]["$unique"]') IS NULL;

CREATE OR REPLACE VIEW "shop_shop_shop_unread" AS
SELECT
  count(CASE WHEN json_extract(line, '$["Item"]["id"]') IS NOT NULL AND json_extract(line, '$["Item"]["id"]["NULL"]') IS NULL AND TRY_CAST(regexp_extract(json_extract_scalar(line, '$["Item"]["id"]["N"]'), '^-?[0-9]+\z') AS bigint) IS NULL THEN 1 END) AS "id",
  count(CASE WHEN json_extract(line, '$["Item"]["kind"]') IS NOT NULL AND json_extract(line, '$["Item"]["kind"]["NULL"]') IS NULL AND json_extract_scalar(line, '$["Item"]["kind"]["S"]') IS NULL THEN 1 END) AS "kind",
  count(CASE WHEN json_extract(line, '$["Item"]["country"]') IS NOT NULL AND json_extract(line, '$["Item"]["country"]["NULL"]') IS NULL AND json_extract_scalar(line, '$["Item"]["country"]["S"]') IS NULL THEN 1 END) AS "country",
  count(CASE WHEN json_extract(line, '$["Item"]["state"]') IS NOT NULL AND json_extract(line, '$["Item"]["state"]["NULL"]') IS NULL AND json_extract_scalar(line, '$["Item"]["state"]["S"]') IS NULL THEN 1 END) AS "state",
  count(CASE WHEN json_extract(line, '$["Item"]["city"]') IS NOT NULL AND json_extract(line, '$["Item"]["city"]["NULL"]') IS NULL AND json_extract_scalar(line, '$["Item"]["city"]["S"]') IS NULL THEN 1 END) AS "city",
  count(CASE WHEN json_extract(line, '$["Item"]["name"]') IS NOT NULL AND json_extract(line, '$["Item"]["name"]["NULL"]') IS NULL AND json_extract_scalar(line, '$["Item"]["name"]["S"]') IS NULL THEN 1 END) AS "name"
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
  TRY_CAST(regexp_extract(json_extract_scalar(line, '$["Item"]["number"]["N"]'), '^-?[0-9]+\z') AS bigint) AS "number",
  json_extract_scalar(line, '$["Item"]["status"]["S"]') AS "status",
  TRY(CAST(from_iso8601_timestamp(json_extract_scalar(line, '$["Item"]["placed_at"]["S"]')) AT TIME ZONE 'UTC' AS timestamp)) AS "placed_at"
FROM "shop_sharded_order_lines"
WHERE json_extract(line, '$["Item"]') IS NOT NULL
  AND json_extract(line, '$["Item"]["$unique"]') IS NULL;

CREATE OR REPLACE VIEW "shop_sharded_order_order_unread" AS
SELECT
  count(CASE WHEN json_extract(line, '$["Item"]["number"]') IS NOT NULL AND json_extract(line, '$["Item"]["number"]["NULL"]') IS NULL AND TRY_CAST(regexp_extract(json_extract_scalar(line, '$["Item"]["number"]["N"]'), '^-?[0-9]+\z') AS bigint) IS NULL THEN 1 END) AS "number",
  count(CASE WHEN json_extract(line, '$["Item"]["status"]') IS NOT NULL AND json_extract(line, '$["Item"]["status"]["NULL"]') IS NULL AND json_extract_scalar(line, '$["Item"]["status"]["S"]') IS NULL THEN 1 END) AS "status",
  count(CASE WHEN json_extract(line, '$["Item"]["placed_at"]') IS NOT NULL AND json_extract(line, '$["Item"]["placed_at"]["NULL"]') IS NULL AND TRY(CAST(from_iso8601_timestamp(json_extract_scalar(line, '$["Item"]["placed_at"]["S"]')) AT TIME ZONE 'UTC' AS timestamp)) IS NULL THEN 1 END) AS "placed_at"
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
  TRY_CAST(json_extract_scalar(line, '$["Item"]["done"]["BOOL"]') AS boolean) AS "done",
  TRY_CAST(regexp_extract(json_extract_scalar(line, '$["Item"]["version"]["N"]'), '^-?[0-9]+\z') AS decimal(20, 0)) AS "version",
  TRY(CAST(from_iso8601_timestamp(json_extract_scalar(line, '$["Item"]["created_at"]["S"]')) AT TIME ZONE 'UTC' AS timestamp)) AS "created_at",
  TRY(CAST(from_iso8601_timestamp(json_extract_scalar(line, '$["Item"]["updated_at"]["S"]')) AT TIME ZONE 'UTC' AS timestamp)) AS "updated_at"
FROM "shop_task_lines"
WHERE json_extract(line, '$["Item"]') IS NOT NULL
  AND json_extract(line, '$["Item"]["$unique"]') IS NULL;

CREATE OR REPLACE VIEW "shop_task_task_unread" AS
SELECT
  count(CASE WHEN json_extract(line, '$["Item"]["list"]') IS NOT NULL AND json_extract(line, '$["Item"]["list"]["NULL"]') IS NULL AND json_extract_scalar(line, '$["Item"]["list"]["S"]') IS NULL THEN 1 END) AS "list",
  count(CASE WHEN json_extract(line, '$["Item"]["id"]') IS NOT NULL AND json_extract(line, '$["Item"]["id"]["NULL"]') IS NULL AND json_extract_scalar(line, '$["Item"]["id"]["S"]') IS NULL THEN 1 END) AS "id",
  count(CASE WHEN json_extract(line, '$["Item"]["title"]') IS NOT NULL AND json_extract(line, '$["Item"]["title"]["NULL"]') IS NULL AND json_extract_scalar(line, '$["Item"]["title"]["S"]') IS NULL THEN 1 END) AS "title",
  count(CASE WHEN json_extract(line, '$["Item"]["done"]') IS NOT NULL AND json_extract(line, '$["Item"]["done"]["NULL"]') IS NULL AND TRY_CAST(json_extract_scalar(line, '$["Item"]["done"]["BOOL"]') AS boolean) IS NULL THEN 1 END) AS "done",
  count(CASE WHEN json_extract(line, '$["Item"]["version"]') IS NOT NULL AND json_extract(line, '$["Item"]["version"]["NULL"]') IS NULL AND TRY_CAST(regexp_extract(json_extract_scalar(line, '$["Item"]["version"]["N"]'), '^-?[0-9]+\z') AS decimal(20, 0)) IS NULL THEN 1 END) AS "version",
  count(CASE WHEN json_extract(line, '$["Item"]["created_at"]') IS NOT NULL AND json_extract(line, '$["Item"]["created_at"]["NULL"]') IS NULL AND TRY(CAST(from_iso8601_timestamp(json_extract_scalar(line, '$["Item"]["created_at"]["S"]')) AT TIME ZONE 'UTC' AS timestamp)) IS NULL THEN 1 END) AS "created_at",
  count(CASE WHEN json_extract(line, '$["Item"]["updated_at"]') IS NOT NULL AND json_extract(line, '$["Item"]["updated_at"]["NULL"]') IS NULL AND TRY(CAST(from_iso8601_timestamp(json_extract_scalar(line, '$["Item"]["updated_at"]["S"]')) AT TIME ZONE 'UTC' AS timestamp)) IS NULL THEN 1 END) AS "updated_at"
FROM "shop_task_lines"
WHERE json_extract(line, '$["Item"]') IS NOT NULL
  AND json_extract(line, '$["Item"]["$unique"]') IS NULL;
