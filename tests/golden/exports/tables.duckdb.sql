CREATE OR REPLACE TEMP VIEW "shop-access-token" AS
SELECT json AS line FROM read_json_objects('exports/access-token/AWSDynamoDB/01700000000000-a1b2c3d4/data/*.json.gz', format = 'newline_delimited');

COPY (
SELECT
  json_extract_string(line, '/Item/service/S') AS "service",
  json_extract_string(line, '/Item/token/S') AS "token",
  TRY(make_timestamp(CAST(CAST(json_extract_string(line, '/Item/expires_at/N') AS DECIMAL(28, 9)) * 1000000 AS BIGINT))) AS "expires_at"
FROM "shop-access-token"
WHERE json_extract(line, '/Item') IS NOT NULL
  AND json_extract(line, '/Item/$unique') IS NULL
) TO 'parquet/shop-access-token.AccessToken.parquet' (FORMAT parquet);

CREATE OR REPLACE TEMP VIEW "shop-access-token.AccessToken.unread" AS
SELECT
  count(CASE WHEN json_extract(line, '/Item/service') IS NOT NULL AND json_extract(line, '/Item/service/NULL') IS NULL AND json_extract_string(line, '/Item/service/S') IS NULL THEN 1 END) AS "service",
  count(CASE WHEN json_extract(line, '/Item/token') IS NOT NULL AND json_extract(line, '/Item/token/NULL') IS NULL AND json_extract_string(line, '/Item/token/S') IS NULL THEN 1 END) AS "token",
  count(CASE WHEN json_extract(line, '/Item/expires_at') IS NOT NULL AND json_extract(line, '/Item/expires_at/NULL') IS NULL AND TRY(make_timestamp(CAST(CAST(json_extract_string(line, '/Item/expires_at/N') AS DECIMAL(28, 9)) * 1000000 AS BIGINT))) IS NULL THEN 1 END) AS "expires_at"
FROM "shop-access-token"
WHERE json_extract(line, '/Item') IS NOT NULL
  AND json_extract(line, '/Item/$unique') IS NULL;

CREATE OR REPLACE TEMP VIEW "shop-app-user" AS
SELECT json AS line FROM read_json_objects('exports/app-user/AWSDynamoDB/01700000000000-a1b2c3d4/data/*.json.gz', format = 'newline_delimited');

COPY (
SELECT
  json_extract_string(line, '/Item/user_id/S') AS "user_id",
  json_extract_string(line, '/Item/email/S') AS "email",
  json_extract_string(line, '/Item/device/S') AS "device",
  json_extract_string(line, '/Item/hand_over_code/S') AS "hand_over_code"
FROM "shop-app-user"
WHERE json_extract(line, '/Item') IS NOT NULL
  AND json_extract(line, '/Item/$unique') IS NULL
  AND (json_extract_string(line, '/Item/_type/S') = 'UserInfo'
    OR (json_extract(line, '/Item/_type') IS NULL AND regexp_matches(json_extract_string(line, '/Item/record/S'), '^USER_INFO\z')))
) TO 'parquet/shop-app-user.UserInfo.parquet' (FORMAT parquet);

COPY (
SELECT
  json_extract_string(line, '/Item/user_id/S') AS "user_id",
  TRY_CAST(regexp_extract(json_extract_string(line, '/Item/points/N'), '^-?[0-9]+\z') AS BIGINT) AS "points"
FROM "shop-app-user"
WHERE json_extract(line, '/Item') IS NOT NULL
  AND json_extract(line, '/Item/$unique') IS NULL
  AND (json_extract_string(line, '/Item/_type/S') = 'Rewards'
    OR (json_extract(line, '/Item/_type') IS NULL AND regexp_matches(json_extract_string(line, '/Item/record/S'), '^REWARDS\z')))
) TO 'parquet/shop-app-user.Rewards.parquet' (FORMAT parquet);

COPY (
SELECT
  json_extract_string(line, '/Item/user_id/S') AS "user_id",
  (TRY_CAST(json_extract_string(line, '/Item/at/S') AS TIMESTAMPTZ) AT TIME ZONE 'UTC') AS "at",
  json_extract_string(line, '/Item/device/S') AS "device"
FROM "shop-app-user"
WHERE json_extract(line, '/Item') IS NOT NULL
  AND json_extract(line, '/Item/$unique') IS NULL
  AND (json_extract_string(line, '/Item/_type/S') = 'HandOver'
    OR (json_extract(line, '/Item/_type') IS NULL AND regexp_matches(json_extract_string(line, '/Item/record/S'), '^HAND_OVER\#[^\#]{30}\z')))
) TO 'parquet/shop-app-user.HandOver.parquet' (FORMAT parquet);

CREATE OR REPLACE TEMP VIEW "shop-app-user.UserInfo.unread" AS
SELECT
  count(CASE WHEN json_extract(line, '/Item/user_id') IS NOT NULL AND json_extract(line, '/Item/user_id/NULL') IS NULL AND json_extract_string(line, '/Item/user_id/S') IS NULL THEN 1 END) AS "user_id",
  count(CASE WHEN json_extract(line, '/Item/email') IS NOT NULL AND json_extract(line, '/Item/email/NULL') IS NULL AND json_extract_string(line, '/Item/email/S') IS NULL THEN 1 END) AS "email",
  count(CASE WHEN json_extract(line, '/Item/device') IS NOT NULL AND json_extract(line, '/Item/device/NULL') IS NULL AND json_extract_string(line, '/Item/device/S') IS NULL THEN 1 END) AS "device",
  count(CASE WHEN json_extract(line, '/Item/hand_over_code') IS NOT NULL AND json_extract(line, '/Item/hand_over_code/NULL') IS NULL AND json_extract_string(line, '/Item/hand_over_code/S') IS NULL THEN 1 END) AS "hand_over_code"
FROM "shop-app-user"
WHERE json_extract(line, '/Item') IS NOT NULL
  AND json_extract(line, '/Item/$unique') IS NULL
  AND (json_extract_string(line, '/Item/_type/S') = 'UserInfo'
    OR (json_extract(line, '/Item/_type') IS NULL AND regexp_matches(json_extract_string(line, '/Item/record/S'), '^USER_INFO\z')));

CREATE OR REPLACE TEMP VIEW "shop-app-user.Rewards.unread" AS
SELECT
  count(CASE WHEN json_extract(line, '/Item/user_id') IS NOT NULL AND json_extract(line, '/Item/user_id/NULL') IS NULL AND json_extract_string(line, '/Item/user_id/S') IS NULL THEN 1 END) AS "user_id",
  count(CASE WHEN json_extract(line, '/Item/points') IS NOT NULL AND json_extract(line, '/Item/points/NULL') IS NULL AND TRY_CAST(regexp_extract(json_extract_string(line, '/Item/points/N'), '^-?[0-9]+\z') AS BIGINT) IS NULL THEN 1 END) AS "points"
FROM "shop-app-user"
WHERE json_extract(line, '/Item') IS NOT NULL
  AND json_extract(line, '/Item/$unique') IS NULL
  AND (json_extract_string(line, '/Item/_type/S') = 'Rewards'
    OR (json_extract(line, '/Item/_type') IS NULL AND regexp_matches(json_extract_string(line, '/Item/record/S'), '^REWARDS\z')));

CREATE OR REPLACE TEMP VIEW "shop-app-user.HandOver.unread" AS
SELECT
  count(CASE WHEN json_extract(line, '/Item/user_id') IS NOT NULL AND json_extract(line, '/Item/user_id/NULL') IS NULL AND json_extract_string(line, '/Item/user_id/S') IS NULL THEN 1 END) AS "user_id",
  count(CASE WHEN json_extract(line, '/Item/at') IS NOT NULL AND json_extract(line, '/Item/at/NULL') IS NULL AND (TRY_CAST(json_extract_string(line, '/Item/at/S') AS TIMESTAMPTZ) AT TIME ZONE 'UTC') IS NULL THEN 1 END) AS "at",
  count(CASE WHEN json_extract(line, '/Item/device') IS NOT NULL AND json_extract(line, '/Item/device/NULL') IS NULL AND json_extract_string(line, '/Item/device/S') IS NULL THEN 1 END) AS "device"
FROM "shop-app-user"
WHERE json_extract(line, '/Item') IS NOT NULL
  AND json_extract(line, '/Item/$unique') IS NULL
  AND (json_extract_string(line, '/Item/_type/S') = 'HandOver'
    OR (json_extract(line, '/Item/_type') IS NULL AND regexp_matches(json_extract_string(line, '/Item/record/S'), '^HAND_OVER\#[^\#]{30}\z')));

CREATE OR REPLACE TEMP VIEW "shop-blog" AS
SELECT json AS line FROM read_json_objects('exports/blog/AWSDynamoDB/01700000000000-a1b2c3d4/data/*.json.gz', format = 'newline_delimited');

COPY (
SELECT
  json_extract_string(line, '/Item/author/S') AS "author",
  json_extract_string(line, '/Item/id/S') AS "id",
  (TRY_CAST(json_extract_string(line, '/Item/written_at/S') AS TIMESTAMPTZ) AT TIME ZONE 'UTC') AS "written_at",
  json_extract_string(line, '/Item/title/S') AS "title",
  json_extract_string(line, '/Item/text/S') AS "text"
FROM "shop-blog"
WHERE json_extract(line, '/Item') IS NOT NULL
  AND json_extract(line, '/Item/$unique') IS NULL
  AND (json_extract_string(line, '/Item/_type/S') = 'Post'
    OR (json_extract(line, '/Item/_type') IS NULL AND regexp_matches(json_extract_string(line, '/Item/pk/S'), '^POSTS\z') AND regexp_matches(json_extract_string(line, '/Item/sk/S'), '^[^\#]*\#[^\#]*\z')))
) TO 'parquet/shop-blog.Post.parquet' (FORMAT parquet);

COPY (
SELECT
  json_extract_string(line, '/Item/post/S') AS "post",
  (TRY_CAST(json_extract_string(line, '/Item/written_at/S') AS TIMESTAMPTZ) AT TIME ZONE 'UTC') AS "written_at",
  json_extract_string(line, '/Item/by/S') AS "by",
  json_extract_string(line, '/Item/text/S') AS "text"
FROM "shop-blog"
WHERE json_extract(line, '/Item') IS NOT NULL
  AND json_extract(line, '/Item/$unique') IS NULL
  AND (json_extract_string(line, '/Item/_type/S') = 'Comment'
    OR (json_extract(line, '/Item/_type') IS NULL AND regexp_matches(json_extract_string(line, '/Item/pk/S'), '^POST\#[^\#]*\z') AND regexp_matches(json_extract_string(line, '/Item/sk/S'), '^[^\#]{30}\#[^\#]*\z')))
) TO 'parquet/shop-blog.Comment.parquet' (FORMAT parquet);

CREATE OR REPLACE TEMP VIEW "shop-blog.Post.unread" AS
SELECT
  count(CASE WHEN json_extract(line, '/Item/author') IS NOT NULL AND json_extract(line, '/Item/author/NULL') IS NULL AND json_extract_string(line, '/Item/author/S') IS NULL THEN 1 END) AS "author",
  count(CASE WHEN json_extract(line, '/Item/id') IS NOT NULL AND json_extract(line, '/Item/id/NULL') IS NULL AND json_extract_string(line, '/Item/id/S') IS NULL THEN 1 END) AS "id",
  count(CASE WHEN json_extract(line, '/Item/written_at') IS NOT NULL AND json_extract(line, '/Item/written_at/NULL') IS NULL AND (TRY_CAST(json_extract_string(line, '/Item/written_at/S') AS TIMESTAMPTZ) AT TIME ZONE 'UTC') IS NULL THEN 1 END) AS "written_at",
  count(CASE WHEN json_extract(line, '/Item/title') IS NOT NULL AND json_extract(line, '/Item/title/NULL') IS NULL AND json_extract_string(line, '/Item/title/S') IS NULL THEN 1 END) AS "title",
  count(CASE WHEN json_extract(line, '/Item/text') IS NOT NULL AND json_extract(line, '/Item/text/NULL') IS NULL AND json_extract_string(line, '/Item/text/S') IS NULL THEN 1 END) AS "text"
FROM "shop-blog"
WHERE json_extract(line, '/Item') IS NOT NULL
  AND json_extract(line, '/Item/$unique') IS NULL
  AND (json_extract_string(line, '/Item/_type/S') = 'Post'
    OR (json_extract(line, '/Item/_type') IS NULL AND regexp_matches(json_extract_string(line, '/Item/pk/S'), '^POSTS\z') AND regexp_matches(json_extract_string(line, '/Item/sk/S'), '^[^\#]*\#[^\#]*\z')));

CREATE OR REPLACE TEMP VIEW "shop-blog.Comment.unread" AS
SELECT
  count(CASE WHEN json_extract(line, '/Item/post') IS NOT NULL AND json_extract(line, '/Item/post/NULL') IS NULL AND json_extract_string(line, '/Item/post/S') IS NULL THEN 1 END) AS "post",
  count(CASE WHEN json_extract(line, '/Item/written_at') IS NOT NULL AND json_extract(line, '/Item/written_at/NULL') IS NULL AND (TRY_CAST(json_extract_string(line, '/Item/written_at/S') AS TIMESTAMPTZ) AT TIME ZONE 'UTC') IS NULL THEN 1 END) AS "written_at",
  count(CASE WHEN json_extract(line, '/Item/by') IS NOT NULL AND json_extract(line, '/Item/by/NULL') IS NULL AND json_extract_string(line, '/Item/by/S') IS NULL THEN 1 END) AS "by",
  count(CASE WHEN json_extract(line, '/Item/text') IS NOT NULL AND json_extract(line, '/Item/text/NULL') IS NULL AND json_extract_string(line, '/Item/text/S') IS NULL THEN 1 END) AS "text"
FROM "shop-blog"
WHERE json_extract(line, '/Item') IS NOT NULL
  AND json_extract(line, '/Item/$unique') IS NULL
  AND (json_extract_string(line, '/Item/_type/S') = 'Comment'
    OR (json_extract(line, '/Item/_type') IS NULL AND regexp_matches(json_extract_string(line, '/Item/pk/S'), '^POST\#[^\#]*\z') AND regexp_matches(json_extract_string(line, '/Item/sk/S'), '^[^\#]{30}\#[^\#]*\z')));

CREATE OR REPLACE TEMP VIEW "shop-accounts" AS
SELECT json AS line FROM read_json_objects('exports/accounts/AWSDynamoDB/01700000000000-a1b2c3d4/data/*.json.gz', format = 'newline_delimited');

COPY (
SELECT
  json_extract_string(line, '/Item/branch/S') AS "branch",
  TRY_CAST(regexp_extract(json_extract_string(line, '/Item/number/N'), '^-?[0-9]+\z') AS BIGINT) AS "number",
  TRY_CAST(regexp_extract(json_extract_string(line, '/Item/cents/N'), '^-?[0-9]+\z') AS BIGINT) AS "cents",
  TRY_CAST(json_extract_string(line, '/Item/is_closed/BOOL') AS BOOLEAN) AS "is_closed",
  TRY_CAST(regexp_extract(json_extract_string(line, '/Item/version/N'), '^-?[0-9]+\z') AS DECIMAL(20, 0)) AS "version"
FROM "shop-accounts"
WHERE json_extract(line, '/Item') IS NOT NULL
  AND json_extract(line, '/Item/$unique') IS NULL
) TO 'parquet/shop-accounts.Account.parquet' (FORMAT parquet);

CREATE OR REPLACE TEMP VIEW "shop-accounts.Account.unread" AS
SELECT
  count(CASE WHEN json_extract(line, '/Item/branch') IS NOT NULL AND json_extract(line, '/Item/branch/NULL') IS NULL AND json_extract_string(line, '/Item/branch/S') IS NULL THEN 1 END) AS "branch",
  count(CASE WHEN json_extract(line, '/Item/number') IS NOT NULL AND json_extract(line, '/Item/number/NULL') IS NULL AND TRY_CAST(regexp_extract(json_extract_string(line, '/Item/number/N'), '^-?[0-9]+\z') AS BIGINT) IS NULL THEN 1 END) AS "number",
  count(CASE WHEN json_extract(line, '/Item/cents') IS NOT NULL AND json_extract(line, '/Item/cents/NULL') IS NULL AND TRY_CAST(regexp_extract(json_extract_string(line, '/Item/cents/N'), '^-?[0-9]+\z') AS BIGINT) IS NULL THEN 1 END) AS "cents",
  count(CASE WHEN json_extract(line, '/Item/is_closed') IS NOT NULL AND json_extract(line, '/Item/is_closed/NULL') IS NULL AND TRY_CAST(json_extract_string(line, '/Item/is_closed/BOOL') AS BOOLEAN) IS NULL THEN 1 END) AS "is_closed",
  count(CASE WHEN json_extract(line, '/Item/version') IS NOT NULL AND json_extract(line, '/Item/version/NULL') IS NULL AND TRY_CAST(regexp_extract(json_extract_string(line, '/Item/version/N'), '^-?[0-9]+\z') AS DECIMAL(20, 0)) IS NULL THEN 1 END) AS "version"
FROM "shop-accounts"
WHERE json_extract(line, '/Item') IS NOT NULL
  AND json_extract(line, '/Item/$unique') IS NULL;

CREATE OR REPLACE TEMP VIEW "shop-contact" AS
SELECT json AS line FROM read_json_objects('exports/contact/AWSDynamoDB/01700000000000-a1b2c3d4/data/*.json.gz', format = 'newline_delimited');

COPY (
SELECT
  json_extract_string(line, '/Item/book/S') AS "book",
  json_extract_string(line, '/Item/handle/S') AS "handle",
  json_extract_string(line, '/Item/name/S') AS "name",
  json_extract_string(line, '/Item/email/S') AS "email",
  CAST(json_extract(line, '/Item/tags/SS') AS VARCHAR[]) AS "tags",
  TRY_CAST(regexp_extract(json_extract_string(line, '/Item/version/N'), '^-?[0-9]+\z') AS DECIMAL(20, 0)) AS "version",
  (TRY_CAST(json_extract_string(line, '/Item/created_at/S') AS TIMESTAMPTZ) AT TIME ZONE 'UTC') AS "created_at",
  (TRY_CAST(json_extract_string(line, '/Item/updated_at/S') AS TIMESTAMPTZ) AT TIME ZONE 'UTC') AS "updated_at"
FROM "shop-contact"
WHERE json_extract(line, '/Item') IS NOT NULL
  AND json_extract(line, '/Item/$unique') IS NULL
) TO 'parquet/shop-contact.Contact.parquet' (FORMAT parquet);

CREATE OR REPLACE TEMP VIEW "shop-contact.Contact.unread" AS
SELECT
  count(CASE WHEN json_extract(line, '/Item/book') IS NOT NULL AND json_extract(line, '/Item/book/NULL') IS NULL AND json_extract_string(line, '/Item/book/S') IS NULL THEN 1 END) AS "book",
  count(CASE WHEN json_extract(line, '/Item/handle') IS NOT NULL AND json_extract(line, '/Item/handle/NULL') IS NULL AND json_extract_string(line, '/Item/handle/S') IS NULL THEN 1 END) AS "handle",
  count(CASE WHEN json_extract(line, '/Item/name') IS NOT NULL AND json_extract(line, '/Item/name/NULL') IS NULL AND json_extract_string(line, '/Item/name/S') IS NULL THEN 1 END) AS "name",
  count(CASE WHEN json_extract(line, '/Item/email') IS NOT NULL AND json_extract(line, '/Item/email/NULL') IS NULL AND json_extract_string(line, '/Item/email/S') IS NULL THEN 1 END) AS "email",
  count(CASE WHEN json_extract(line, '/Item/tags') IS NOT NULL AND json_extract(line, '/Item/tags/NULL') IS NULL AND CAST(json_extract(line, '/Item/tags/SS') AS VARCHAR[]) IS NULL THEN 1 END) AS "tags",
  count(CASE WHEN json_extract(line, '/Item/version') IS NOT NULL AND json_extract(line, '/Item/version/NULL') IS NULL AND TRY_CAST(regexp_extract(json_extract_string(line, '/Item/version/N'), '^-?[0-9]+\z') AS DECIMAL(20, 0)) IS NULL THEN 1 END) AS "version",
  count(CASE WHEN json_extract(line, '/Item/created_at') IS NOT NULL AND json_extract(line, '/Item/created_at/NULL') IS NULL AND (TRY_CAST(json_extract_string(line, '/Item/created_at/S') AS TIMESTAMPTZ) AT TIME ZONE 'UTC') IS NULL THEN 1 END) AS "created_at",
  count(CASE WHEN json_extract(line, '/Item/updated_at') IS NOT NULL AND json_extract(line, '/Item/updated_at/NULL') IS NULL AND (TRY_CAST(json_extract_string(line, '/Item/updated_at/S') AS TIMESTAMPTZ) AT TIME ZONE 'UTC') IS NULL THEN 1 END) AS "updated_at"
FROM "shop-contact"
WHERE json_extract(line, '/Item') IS NOT NULL
  AND json_extract(line, '/Item/$unique') IS NULL;

CREATE OR REPLACE TEMP VIEW "shop-help-desk" AS
SELECT json AS line FROM read_json_objects('exports/help-desk/AWSDynamoDB/01700000000000-a1b2c3d4/data/*.json.gz', format = 'newline_delimited');

COPY (
SELECT
  json_extract_string(line, '/Item/tenant/S') AS "tenant",
  json_extract_string(line, '/Item/name/S') AS "name"
FROM "shop-help-desk"
WHERE json_extract(line, '/Item') IS NOT NULL
  AND json_extract(line, '/Item/$unique') IS NULL
  AND (json_extract_string(line, '/Item/_type/S') = 'Tenant'
    OR (json_extract(line, '/Item/_type') IS NULL AND regexp_matches(json_extract_string(line, '/Item/pk/S'), '^TENANT\#[^\#]*\z') AND regexp_matches(json_extract_string(line, '/Item/sk/S'), '^INFO\z')))
) TO 'parquet/shop-help-desk.Tenant.parquet' (FORMAT parquet);

COPY (
SELECT
  json_extract_string(line, '/Item/tenant/S') AS "tenant",
  json_extract_string(line, '/Item/agent/S') AS "agent",
  json_extract_string(line, '/Item/email/S') AS "email",
  TRY_CAST(json_extract_string(line, '/Item/away/BOOL') AS BOOLEAN) AS "away"
FROM "shop-help-desk"
WHERE json_extract(line, '/Item') IS NOT NULL
  AND json_extract(line, '/Item/$unique') IS NULL
  AND (json_extract_string(line, '/Item/_type/S') = 'Agent'
    OR (json_extract(line, '/Item/_type') IS NULL AND regexp_matches(json_extract_string(line, '/Item/pk/S'), '^TENANT\#[^\#]*\z') AND regexp_matches(json_extract_string(line, '/Item/sk/S'), '^AGENT\#[^\#]*\z')))
) TO 'parquet/shop-help-desk.Agent.parquet' (FORMAT parquet);

COPY (
SELECT
  json_extract_string(line, '/Item/tenant/S') AS "tenant",
  json_extract_string(line, '/Item/customer/S') AS "customer",
  json_extract_string(line, '/Item/email/S') AS "email"
FROM "shop-help-desk"
WHERE json_extract(line, '/Item') IS NOT NULL
  AND json_extract(line, '/Item/$unique') IS NULL
  AND (json_extract_string(line, '/Item/_type/S') = 'Customer'
    OR (json_extract(line, '/Item/_type') IS NULL AND regexp_matches(json_extract_string(line, '/Item/pk/S'), '^CUSTOMER\#[^\#]*\#[^\#]{36}\z') AND regexp_matches(json_extract_string(line, '/Item/sk/S'), '^INFO\z')))
) TO 'parquet/shop-help-desk.Customer.parquet' (FORMAT parquet);

COPY (
SELECT
  json_extract_string(line, '/Item/tenant/S') AS "tenant",
  TRY_CAST(regexp_extract(json_extract_string(line, '/Item/ticket/N'), '^-?[0-9]+\z') AS DECIMAL(20, 0)) AS "ticket",
  json_extract_string(line, '/Item/subject/S') AS "subject",
  json_extract_string(line, '/Item/customer/S') AS "customer",
  json_extract_string(line, '/Item/status/S') AS "status",
  TRY_CAST(regexp_extract(json_extract_string(line, '/Item/priority/N'), '^-?[0-9]+\z') AS BIGINT) AS "priority",
  json_extract_string(line, '/Item/assignee/S') AS "assignee",
  (TRY_CAST(json_extract_string(line, '/Item/due/S') AS TIMESTAMPTZ) AT TIME ZONE 'UTC') AS "due",
  TRY_CAST(regexp_extract(json_extract_string(line, '/Item/comments/N'), '^-?[0-9]+\z') AS BIGINT) AS "comments",
  TRY_CAST(regexp_extract(json_extract_string(line, '/Item/merged_into/N'), '^-?[0-9]+\z') AS DECIMAL(20, 0)) AS "merged_into",
  TRY_CAST(regexp_extract(json_extract_string(line, '/Item/version/N'), '^-?[0-9]+\z') AS DECIMAL(20, 0)) AS "version",
  (TRY_CAST(json_extract_string(line, '/Item/updated_at/S') AS TIMESTAMPTZ) AT TIME ZONE 'UTC') AS "updated_at"
FROM "shop-help-desk"
WHERE json_extract(line, '/Item') IS NOT NULL
  AND json_extract(line, '/Item/$unique') IS NULL
  AND (json_extract_string(line, '/Item/_type/S') = 'Ticket'
    OR (json_extract(line, '/Item/_type') IS NULL AND regexp_matches(json_extract_string(line, '/Item/pk/S'), '^TICKET\#[^\#]*\#[^\#]{20}\z') AND regexp_matches(json_extract_string(line, '/Item/sk/S'), '^INFO\z')))
) TO 'parquet/shop-help-desk.Ticket.parquet' (FORMAT parquet);

COPY (
SELECT
  json_extract_string(line, '/Item/tenant/S') AS "tenant",
  TRY_CAST(regexp_extract(json_extract_string(line, '/Item/ticket/N'), '^-?[0-9]+\z') AS DECIMAL(20, 0)) AS "ticket",
  json_extract_string(line, '/Item/id/S') AS "id",
  json_extract_string(line, '/Item/customer/S') AS "customer",
  json_extract_string(line, '/Item/text/S') AS "text"
FROM "shop-help-desk"
WHERE json_extract(line, '/Item') IS NOT NULL
  AND json_extract(line, '/Item/$unique') IS NULL
  AND (json_extract_string(line, '/Item/_type/S') = 'Comment'
    OR (json_extract(line, '/Item/_type') IS NULL AND regexp_matches(json_extract_string(line, '/Item/pk/S'), '^TICKET\#[^\#]*\#[^\#]{20}\z') AND regexp_matches(json_extract_string(line, '/Item/sk/S'), '^COMMENT\#[^\#]{36}\z')))
) TO 'parquet/shop-help-desk.Comment.parquet' (FORMAT parquet);

COPY (
SELECT
  json_extract_string(line, '/Item/tenant/S') AS "tenant",
  TRY_CAST(regexp_extract(json_extract_string(line, '/Item/ticket/N'), '^-?[0-9]+\z') AS DECIMAL(20, 0)) AS "ticket",
  json_extract_string(line, '/Item/id/S') AS "id",
  json_extract_string(line, '/Item/what/S') AS "what",
  json_extract_string(line, '/Item/by/S') AS "by"
FROM "shop-help-desk"
WHERE json_extract(line, '/Item') IS NOT NULL
  AND json_extract(line, '/Item/$unique') IS NULL
  AND (json_extract_string(line, '/Item/_type/S') = 'Event'
    OR (json_extract(line, '/Item/_type') IS NULL AND regexp_matches(json_extract_string(line, '/Item/pk/S'), '^TICKET\#[^\#]*\#[^\#]{20}\z') AND regexp_matches(json_extract_string(line, '/Item/sk/S'), '^EVENT\#[^\#]{36}\z')))
) TO 'parquet/shop-help-desk.Event.parquet' (FORMAT parquet);

COPY (
SELECT
  json_extract_string(line, '/Item/tenant/S') AS "tenant",
  TRY_CAST(regexp_extract(json_extract_string(line, '/Item/ticket/N'), '^-?[0-9]+\z') AS DECIMAL(20, 0)) AS "ticket",
  json_extract_string(line, '/Item/tag/S') AS "tag"
FROM "shop-help-desk"
WHERE json_extract(line, '/Item') IS NOT NULL
  AND json_extract(line, '/Item/$unique') IS NULL
  AND (json_extract_string(line, '/Item/_type/S') = 'Tag'
    OR (json_extract(line, '/Item/_type') IS NULL AND regexp_matches(json_extract_string(line, '/Item/pk/S'), '^TICKET\#[^\#]*\#[^\#]{20}\z') AND regexp_matches(json_extract_string(line, '/Item/sk/S'), '^TAG\#[^\#]*\z')))
) TO 'parquet/shop-help-desk.Tag.parquet' (FORMAT parquet);

COPY (
SELECT
  json_extract_string(line, '/Item/tenant/S') AS "tenant",
  json_extract_string(line, '/Item/name/S') AS "name",
  TRY_CAST(regexp_extract(json_extract_string(line, '/Item/last/N'), '^-?[0-9]+\z') AS DECIMAL(20, 0)) AS "last"
FROM "shop-help-desk"
WHERE json_extract(line, '/Item') IS NOT NULL
  AND json_extract(line, '/Item/$unique') IS NULL
  AND (json_extract_string(line, '/Item/_type/S') = 'Counter'
    OR (json_extract(line, '/Item/_type') IS NULL AND regexp_matches(json_extract_string(line, '/Item/pk/S'), '^COUNTER\#[^\#]*\z') AND regexp_matches(json_extract_string(line, '/Item/sk/S'), '^[^\#]*\z')))
) TO 'parquet/shop-help-desk.Counter.parquet' (FORMAT parquet);

COPY (
SELECT
  json_extract_string(line, '/Item/tenant/S') AS "tenant",
  json_extract_string(line, '/Item/status/S') AS "status",
  TRY_CAST(regexp_extract(json_extract_string(line, '/Item/tickets/N'), '^-?[0-9]+\z') AS BIGINT) AS "tickets"
FROM "shop-help-desk"
WHERE json_extract(line, '/Item') IS NOT NULL
  AND json_extract(line, '/Item/$unique') IS NULL
  AND (json_extract_string(line, '/Item/_type/S') = 'Tally'
    OR (json_extract(line, '/Item/_type') IS NULL AND regexp_matches(json_extract_string(line, '/Item/pk/S'), '^TALLY\#[^\#]*\z') AND regexp_matches(json_extract_string(line, '/Item/sk/S'), '^[^\#]*\z')))
) TO 'parquet/shop-help-desk.Tally.parquet' (FORMAT parquet);

COPY (
SELECT
  json_extract_string(line, '/Item/token/S') AS "token",
  json_extract_string(line, '/Item/tenant/S') AS "tenant",
  json_extract_string(line, '/Item/agent/S') AS "agent",
  TRY(make_timestamp(CAST(CAST(json_extract_string(line, '/Item/until/N') AS DECIMAL(28, 9)) * 1000000 AS BIGINT))) AS "until"
FROM "shop-help-desk"
WHERE json_extract(line, '/Item') IS NOT NULL
  AND json_extract(line, '/Item/$unique') IS NULL
  AND (json_extract_string(line, '/Item/_type/S') = 'Session'
    OR (json_extract(line, '/Item/_type') IS NULL AND regexp_matches(json_extract_string(line, '/Item/pk/S'), '^SESSION\#[^\#]*\z') AND regexp_matches(json_extract_string(line, '/Item/sk/S'), '^INFO\z')))
) TO 'parquet/shop-help-desk.Session.parquet' (FORMAT parquet);

CREATE OR REPLACE TEMP VIEW "shop-help-desk.Tenant.unread" AS
SELECT
  count(CASE WHEN json_extract(line, '/Item/tenant') IS NOT NULL AND json_extract(line, '/Item/tenant/NULL') IS NULL AND json_extract_string(line, '/Item/tenant/S') IS NULL THEN 1 END) AS "tenant",
  count(CASE WHEN json_extract(line, '/Item/name') IS NOT NULL AND json_extract(line, '/Item/name/NULL') IS NULL AND json_extract_string(line, '/Item/name/S') IS NULL THEN 1 END) AS "name"
FROM "shop-help-desk"
WHERE json_extract(line, '/Item') IS NOT NULL
  AND json_extract(line, '/Item/$unique') IS NULL
  AND (json_extract_string(line, '/Item/_type/S') = 'Tenant'
    OR (json_extract(line, '/Item/_type') IS NULL AND regexp_matches(json_extract_string(line, '/Item/pk/S'), '^TENANT\#[^\#]*\z') AND regexp_matches(json_extract_string(line, '/Item/sk/S'), '^INFO\z')));

CREATE OR REPLACE TEMP VIEW "shop-help-desk.Agent.unread" AS
SELECT
  count(CASE WHEN json_extract(line, '/Item/tenant') IS NOT NULL AND json_extract(line, '/Item/tenant/NULL') IS NULL AND json_extract_string(line, '/Item/tenant/S') IS NULL THEN 1 END) AS "tenant",
  count(CASE WHEN json_extract(line, '/Item/agent') IS NOT NULL AND json_extract(line, '/Item/agent/NULL') IS NULL AND json_extract_string(line, '/Item/agent/S') IS NULL THEN 1 END) AS "agent",
  count(CASE WHEN json_extract(line, '/Item/email') IS NOT NULL AND json_extract(line, '/Item/email/NULL') IS NULL AND json_extract_string(line, '/Item/email/S') IS NULL THEN 1 END) AS "email",
  count(CASE WHEN json_extract(line, '/Item/away') IS NOT NULL AND json_extract(line, '/Item/away/NULL') IS NULL AND TRY_CAST(json_extract_string(line, '/Item/away/BOOL') AS BOOLEAN) IS NULL THEN 1 END) AS "away"
FROM "shop-help-desk"
WHERE json_extract(line, '/Item') IS NOT NULL
  AND json_extract(line, '/Item/$unique') IS NULL
  AND (json_extract_string(line, '/Item/_type/S') = 'Agent'
    OR (json_extract(line, '/Item/_type') IS NULL AND regexp_matches(json_extract_string(line, '/Item/pk/S'), '^TENANT\#[^\#]*\z') AND regexp_matches(json_extract_string(line, '/Item/sk/S'), '^AGENT\#[^\#]*\z')));

CREATE OR REPLACE TEMP VIEW "shop-help-desk.Customer.unread" AS
SELECT
  count(CASE WHEN json_extract(line, '/Item/tenant') IS NOT NULL AND json_extract(line, '/Item/tenant/NULL') IS NULL AND json_extract_string(line, '/Item/tenant/S') IS NULL THEN 1 END) AS "tenant",
  count(CASE WHEN json_extract(line, '/Item/customer') IS NOT NULL AND json_extract(line, '/Item/customer/NULL') IS NULL AND json_extract_string(line, '/Item/customer/S') IS NULL THEN 1 END) AS "customer",
  count(CASE WHEN json_extract(line, '/Item/email') IS NOT NULL AND json_extract(line, '/Item/email/NULL') IS NULL AND json_extract_string(line, '/Item/email/S') IS NULL THEN 1 END) AS "email"
FROM "shop-help-desk"
WHERE json_extract(line, '/Item') IS NOT NULL
  AND json_extract(line, '/Item/$unique') IS NULL
  AND (json_extract_string(line, '/Item/_type/S') = 'Customer'
    OR (json_extract(line, '/Item/_type') IS NULL AND regexp_matches(json_extract_string(line, '/Item/pk/S'), '^CUSTOMER\#[^\#]*\#[^\#]{36}\z') AND regexp_matches(json_extract_string(line, '/Item/sk/S'), '^INFO\z')));

CREATE OR REPLACE TEMP VIEW "shop-help-desk.Ticket.unread" AS
SELECT
  count(CASE WHEN json_extract(line, '/Item/tenant') IS NOT NULL AND json_extract(line, '/Item/tenant/NULL') IS NULL AND json_extract_string(line, '/Item/tenant/S') IS NULL THEN 1 END) AS "tenant",
  count(CASE WHEN json_extract(line, '/Item/ticket') IS NOT NULL AND json_extract(line, '/Item/ticket/NULL') IS NULL AND TRY_CAST(regexp_extract(json_extract_string(line, '/Item/ticket/N'), '^-?[0-9]+\z') AS DECIMAL(20, 0)) IS NULL THEN 1 END) AS "ticket",
  count(CASE WHEN json_extract(line, '/Item/subject') IS NOT NULL AND json_extract(line, '/Item/subject/NULL') IS NULL AND json_extract_string(line, '/Item/subject/S') IS NULL THEN 1 END) AS "subject",
  count(CASE WHEN json_extract(line, '/Item/customer') IS NOT NULL AND json_extract(line, '/Item/customer/NULL') IS NULL AND json_extract_string(line, '/Item/customer/S') IS NULL THEN 1 END) AS "customer",
  count(CASE WHEN json_extract(line, '/Item/status') IS NOT NULL AND json_extract(line, '/Item/status/NULL') IS NULL AND json_extract_string(line, '/Item/status/S') IS NULL THEN 1 END) AS "status",
  count(CASE WHEN json_extract(line, '/Item/priority') IS NOT NULL AND json_extract(line, '/Item/priority/NULL') IS NULL AND TRY_CAST(regexp_extract(json_extract_string(line, '/Item/priority/N'), '^-?[0-9]+\z') AS BIGINT) IS NULL THEN 1 END) AS "priority",
  count(CASE WHEN json_extract(line, '/Item/assignee') IS NOT NULL AND json_extract(line, '/Item/assignee/NULL') IS NULL AND json_extract_string(line, '/Item/assignee/S') IS NULL THEN 1 END) AS "assignee",
  count(CASE WHEN json_extract(line, '/Item/due') IS NOT NULL AND json_extract(line, '/Item/due/NULL') IS NULL AND (TRY_CAST(json_extract_string(line, '/Item/due/S') AS TIMESTAMPTZ) AT TIME ZONE 'UTC') IS NULL THEN 1 END) AS "due",
  count(CASE WHEN json_extract(line, '/Item/comments') IS NOT NULL AND json_extract(line, '/Item/comments/NULL') IS NULL AND TRY_CAST(regexp_extract(json_extract_string(line, '/Item/comments/N'), '^-?[0-9]+\z') AS BIGINT) IS NULL THEN 1 END) AS "comments",
  count(CASE WHEN json_extract(line, '/Item/merged_into') IS NOT NULL AND json_extract(line, '/Item/merged_into/NULL') IS NULL AND TRY_CAST(regexp_extract(json_extract_string(line, '/Item/merged_into/N'), '^-?[0-9]+\z') AS DECIMAL(20, 0)) IS NULL THEN 1 END) AS "merged_into",
  count(CASE WHEN json_extract(line, '/Item/version') IS NOT NULL AND json_extract(line, '/Item/version/NULL') IS NULL AND TRY_CAST(regexp_extract(json_extract_string(line, '/Item/version/N'), '^-?[0-9]+\z') AS DECIMAL(20, 0)) IS NULL THEN 1 END) AS "version",
  count(CASE WHEN json_extract(line, '/Item/updated_at') IS NOT NULL AND json_extract(line, '/Item/updated_at/NULL') IS NULL AND (TRY_CAST(json_extract_string(line, '/Item/updated_at/S') AS TIMESTAMPTZ) AT TIME ZONE 'UTC') IS NULL THEN 1 END) AS "updated_at"
FROM "shop-help-desk"
WHERE json_extract(line, '/Item') IS NOT NULL
  AND json_extract(line, '/Item/$unique') IS NULL
  AND (json_extract_string(line, '/Item/_type/S') = 'Ticket'
    OR (json_extract(line, '/Item/_type') IS NULL AND regexp_matches(json_extract_string(line, '/Item/pk/S'), '^TICKET\#[^\#]*\#[^\#]{20}\z') AND regexp_matches(json_extract_string(line, '/Item/sk/S'), '^INFO\z')));

CREATE OR REPLACE TEMP VIEW "shop-help-desk.Comment.unread" AS
SELECT
  count(CASE WHEN json_extract(line, '/Item/tenant') IS NOT NULL AND json_extract(line, '/Item/tenant/NULL') IS NULL AND json_extract_string(line, '/Item/tenant/S') IS NULL THEN 1 END) AS "tenant",
  count(CASE WHEN json_extract(line, '/Item/ticket') IS NOT NULL AND json_extract(line, '/Item/ticket/NULL') IS NULL AND TRY_CAST(regexp_extract(json_extract_string(line, '/Item/ticket/N'), '^-?[0-9]+\z') AS DECIMAL(20, 0)) IS NULL THEN 1 END) AS "ticket",
  count(CASE WHEN json_extract(line, '/Item/id') IS NOT NULL AND json_extract(line, '/Item/id/NULL') IS NULL AND json_extract_string(line, '/Item/id/S') IS NULL THEN 1 END) AS "id",
  count(CASE WHEN json_extract(line, '/Item/customer') IS NOT NULL AND json_extract(line, '/Item/customer/NULL') IS NULL AND json_extract_string(line, '/Item/customer/S') IS NULL THEN 1 END) AS "customer",
  count(CASE WHEN json_extract(line, '/Item/text') IS NOT NULL AND json_extract(line, '/Item/text/NULL') IS NULL AND json_extract_string(line, '/Item/text/S') IS NULL THEN 1 END) AS "text"
FROM "shop-help-desk"
WHERE json_extract(line, '/Item') IS NOT NULL
  AND json_extract(line, '/Item/$unique') IS NULL
  AND (json_extract_string(line, '/Item/_type/S') = 'Comment'
    OR (json_extract(line, '/Item/_type') IS NULL AND regexp_matches(json_extract_string(line, '/Item/pk/S'), '^TICKET\#[^\#]*\#[^\#]{20}\z') AND regexp_matches(json_extract_string(line, '/Item/sk/S'), '^COMMENT\#[^\#]{36}\z')));

CREATE OR REPLACE TEMP VIEW "shop-help-desk.Event.unread" AS
SELECT
  count(CASE WHEN json_extract(line, '/Item/tenant') IS NOT NULL AND json_extract(line, '/Item/tenant/NULL') IS NULL AND json_extract_string(line, '/Item/tenant/S') IS NULL THEN 1 END) AS "tenant",
  count(CASE WHEN json_extract(line, '/Item/ticket') IS NOT NULL AND json_extract(line, '/Item/ticket/NULL') IS NULL AND TRY_CAST(regexp_extract(json_extract_string(line, '/Item/ticket/N'), '^-?[0-9]+\z') AS DECIMAL(20, 0)) IS NULL THEN 1 END) AS "ticket",
  count(CASE WHEN json_extract(line, '/Item/id') IS NOT NULL AND json_extract(line, '/Item/id/NULL') IS NULL AND json_extract_string(line, '/Item/id/S') IS NULL THEN 1 END) AS "id",
  count(CASE WHEN json_extract(line, '/Item/what') IS NOT NULL AND json_extract(line, '/Item/what/NULL') IS NULL AND json_extract_string(line, '/Item/what/S') IS NULL THEN 1 END) AS "what",
  count(CASE WHEN json_extract(line, '/Item/by') IS NOT NULL AND json_extract(line, '/Item/by/NULL') IS NULL AND json_extract_string(line, '/Item/by/S') IS NULL THEN 1 END) AS "by"
FROM "shop-help-desk"
WHERE json_extract(line, '/Item') IS NOT NULL
  AND json_extract(line, '/Item/$unique') IS NULL
  AND (json_extract_string(line, '/Item/_type/S') = 'Event'
    OR (json_extract(line, '/Item/_type') IS NULL AND regexp_matches(json_extract_string(line, '/Item/pk/S'), '^TICKET\#[^\#]*\#[^\#]{20}\z') AND regexp_matches(json_extract_string(line, '/Item/sk/S'), '^EVENT\#[^\#]{36}\z')));

CREATE OR REPLACE TEMP VIEW "shop-help-desk.Tag.unread" AS
SELECT
  count(CASE WHEN json_extract(line, '/Item/tenant') IS NOT NULL AND json_extract(line, '/Item/tenant/NULL') IS NULL AND json_extract_string(line, '/Item/tenant/S') IS NULL THEN 1 END) AS "tenant",
  count(CASE WHEN json_extract(line, '/Item/ticket') IS NOT NULL AND json_extract(line, '/Item/ticket/NULL') IS NULL AND TRY_CAST(regexp_extract(json_extract_string(line, '/Item/ticket/N'), '^-?[0-9]+\z') AS DECIMAL(20, 0)) IS NULL THEN 1 END) AS "ticket",
  count(CASE WHEN json_extract(line, '/Item/tag') IS NOT NULL AND json_extract(line, '/Item/tag/NULL') IS NULL AND json_extract_string(line, '/Item/tag/S') IS NULL THEN 1 END) AS "tag"
FROM "shop-help-desk"
WHERE json_extract(line, '/Item') IS NOT NULL
  AND json_extract(line, '/Item/$unique') IS NULL
  AND (json_extract_string(line, '/Item/_type/S') = 'Tag'
    OR (json_extract(line, '/Item/_type') IS NULL AND regexp_matches(json_extract_string(line, '/Item/pk/S'), '^TICKET\#[^\#]*\#[^\#]{20}\z') AND regexp_matches(json_extract_string(line, '/Item/sk/S'), '^TAG\#[^\#]*\z')));

CREATE OR REPLACE TEMP VIEW "shop-help-desk.Counter.unread" AS
SELECT
  count(CASE WHEN json_extract(line, '/Item/tenant') IS NOT NULL AND json_extract(line, '/Item/tenant/NULL') IS NULL AND json_extract_string(line, '/Item/tenant/S') IS NULL THEN 1 END) AS "tenant",
  count(CASE WHEN json_extract(line, '/Item/name') IS NOT NULL AND json_extract(line, '/Item/name/NULL') IS NULL AND json_extract_string(line, '/Item/name/S') IS NULL THEN 1 END) AS "name",
  count(CASE WHEN json_extract(line, '/Item/last') IS NOT NULL AND json_extract(line, '/Item/last/NULL') IS NULL AND TRY_CAST(regexp_extract(json_extract_string(line, '/Item/last/N'), '^-?[0-9]+\z') AS DECIMAL(20, 0)) IS NULL THEN 1 END) AS "last"
FROM "shop-help-desk"
WHERE json_extract(line, '/Item') IS NOT NULL
  AND json_extract(line, '/Item/$unique') IS NULL
  AND (json_extract_string(line, '/Item/_type/S') = 'Counter'
    OR (json_extract(line, '/Item/_type') IS NULL AND regexp_matches(json_extract_string(line, '/Item/pk/S'), '^COUNTER\#[^\#]*\z') AND regexp_matches(json_extract_string(line, '/Item/sk/S'), '^[^\#]*\z')));

CREATE OR REPLACE TEMP VIEW "shop-help-desk.Tally.unread" AS
SELECT
  count(CASE WHEN json_extract(line, '/Item/tenant') IS NOT NULL AND json_extract(line, '/Item/tenant/NULL') IS NULL AND json_extract_string(line, '/Item/tenant/S') IS NULL THEN 1 END) AS "tenant",
  count(CASE WHEN json_extract(line, '/Item/status') IS NOT NULL AND json_extract(line, '/Item/status/NULL') IS NULL AND json_extract_string(line, '/Item/status/S') IS NULL THEN 1 END) AS "status",
  count(CASE WHEN json_extract(line, '/Item/tickets') IS NOT NULL AND json_extract(line, '/Item/tickets/NULL') IS NULL AND TRY_CAST(regexp_extract(json_extract_string(line, '/Item/tickets/N'), '^-?[0-9]+\z') AS BIGINT) IS NULL THEN 1 END) AS "tickets"
FROM "shop-help-desk"
WHERE json_extract(line, '/Item') IS NOT NULL
  AND json_extract(line, '/Item/$unique') IS NULL
  AND (json_extract_string(line, '/Item/_type/S') = 'Tally'
    OR (json_extract(line, '/Item/_type') IS NULL AND regexp_matches(json_extract_string(line, '/Item/pk/S'), '^TALLY\#[^\#]*\z') AND regexp_matches(json_extract_string(line, '/Item/sk/S'), '^[^\#]*\z')));

CREATE OR REPLACE TEMP VIEW "shop-help-desk.Session.unread" AS
SELECT
  count(CASE WHEN json_extract(line, '/Item/token') IS NOT NULL AND json_extract(line, '/Item/token/NULL') IS NULL AND json_extract_string(line, '/Item/token/S') IS NULL THEN 1 END) AS "token",
  count(CASE WHEN json_extract(line, '/Item/tenant') IS NOT NULL AND json_extract(line, '/Item/tenant/NULL') IS NULL AND json_extract_string(line, '/Item/tenant/S') IS NULL THEN 1 END) AS "tenant",
  count(CASE WHEN json_extract(line, '/Item/agent') IS NOT NULL AND json_extract(line, '/Item/agent/NULL') IS NULL AND json_extract_string(line, '/Item/agent/S') IS NULL THEN 1 END) AS "agent",
  count(CASE WHEN json_extract(line, '/Item/until') IS NOT NULL AND json_extract(line, '/Item/until/NULL') IS NULL AND TRY(make_timestamp(CAST(CAST(json_extract_string(line, '/Item/until/N') AS DECIMAL(28, 9)) * 1000000 AS BIGINT))) IS NULL THEN 1 END) AS "until"
FROM "shop-help-desk"
WHERE json_extract(line, '/Item') IS NOT NULL
  AND json_extract(line, '/Item/$unique') IS NULL
  AND (json_extract_string(line, '/Item/_type/S') = 'Session'
    OR (json_extract(line, '/Item/_type') IS NULL AND regexp_matches(json_extract_string(line, '/Item/pk/S'), '^SESSION\#[^\#]*\z') AND regexp_matches(json_extract_string(line, '/Item/sk/S'), '^INFO\z')));

CREATE OR REPLACE TEMP VIEW "shop-help-text" AS
SELECT json AS line FROM read_json_objects('exports/help-text/AWSDynamoDB/01700000000000-a1b2c3d4/data/*.json.gz', format = 'newline_delimited');

COPY (
SELECT
  TRY_CAST(regexp_extract(json_extract_string(line, '/Item/id/N'), '^-?[0-9]+\z') AS BIGINT) AS "id",
  json_extract_string(line, '/Item/shop/S') AS "shop",
  json_extract_string(line, '/Item/topic/S') AS "topic",
  json_extract_string(line, '/Item/text/S') AS "text",
  list_transform(CAST(json_extract(line, '/Item/embedding/L') AS JSON[]), lambda e: TRY_CAST(json_extract_string(e, '/N') AS DOUBLE)) AS "embedding"
FROM "shop-help-text"
WHERE json_extract(line, '/Item') IS NOT NULL
  AND json_extract(line, '/Item/$unique') IS NULL
) TO 'parquet/shop-help-text.HelpText.parquet' (FORMAT parquet);

CREATE OR REPLACE TEMP VIEW "shop-help-text.HelpText.unread" AS
SELECT
  count(CASE WHEN json_extract(line, '/Item/id') IS NOT NULL AND json_extract(line, '/Item/id/NULL') IS NULL AND TRY_CAST(regexp_extract(json_extract_string(line, '/Item/id/N'), '^-?[0-9]+\z') AS BIGINT) IS NULL THEN 1 END) AS "id",
  count(CASE WHEN json_extract(line, '/Item/shop') IS NOT NULL AND json_extract(line, '/Item/shop/NULL') IS NULL AND json_extract_string(line, '/Item/shop/S') IS NULL THEN 1 END) AS "shop",
  count(CASE WHEN json_extract(line, '/Item/topic') IS NOT NULL AND json_extract(line, '/Item/topic/NULL') IS NULL AND json_extract_string(line, '/Item/topic/S') IS NULL THEN 1 END) AS "topic",
  count(CASE WHEN json_extract(line, '/Item/text') IS NOT NULL AND json_extract(line, '/Item/text/NULL') IS NULL AND json_extract_string(line, '/Item/text/S') IS NULL THEN 1 END) AS "text",
  count(CASE WHEN json_extract(line, '/Item/embedding') IS NOT NULL AND json_extract(line, '/Item/embedding/NULL') IS NULL AND list_transform(CAST(json_extract(line, '/Item/embedding/L') AS JSON[]), lambda e: TRY_CAST(json_extract_string(e, '/N') AS DOUBLE)) IS NULL THEN 1 END) AS "embedding"
FROM "shop-help-text"
WHERE json_extract(line, '/Item') IS NOT NULL
  AND json_extract(line, '/Item/$unique') IS NULL;

CREATE OR REPLACE TEMP VIEW "shop-measurement" AS
SELECT json AS line FROM read_json_objects('exports/measurement/AWSDynamoDB/01700000000000-a1b2c3d4/data/*.json.gz', format = 'newline_delimited');

COPY (
SELECT
  json_extract_string(line, '/Item/meter/S') AS "meter",
  (TRY_CAST(json_extract_string(line, '/Item/at/S') AS TIMESTAMPTZ) AT TIME ZONE 'UTC') AS "at",
  TRY_CAST(regexp_extract(json_extract_string(line, '/Item/litres/N'), '^-?[0-9]+\z') AS BIGINT) AS "litres"
FROM "shop-measurement"
WHERE json_extract(line, '/Item') IS NOT NULL
  AND json_extract(line, '/Item/$unique') IS NULL
) TO 'parquet/shop-measurement.Measurement.parquet' (FORMAT parquet);

CREATE OR REPLACE TEMP VIEW "shop-measurement.Measurement.unread" AS
SELECT
  count(CASE WHEN json_extract(line, '/Item/meter') IS NOT NULL AND json_extract(line, '/Item/meter/NULL') IS NULL AND json_extract_string(line, '/Item/meter/S') IS NULL THEN 1 END) AS "meter",
  count(CASE WHEN json_extract(line, '/Item/at') IS NOT NULL AND json_extract(line, '/Item/at/NULL') IS NULL AND (TRY_CAST(json_extract_string(line, '/Item/at/S') AS TIMESTAMPTZ) AT TIME ZONE 'UTC') IS NULL THEN 1 END) AS "at",
  count(CASE WHEN json_extract(line, '/Item/litres') IS NOT NULL AND json_extract(line, '/Item/litres/NULL') IS NULL AND TRY_CAST(regexp_extract(json_extract_string(line, '/Item/litres/N'), '^-?[0-9]+\z') AS BIGINT) IS NULL THEN 1 END) AS "litres"
FROM "shop-measurement"
WHERE json_extract(line, '/Item') IS NOT NULL
  AND json_extract(line, '/Item/$unique') IS NULL;

CREATE OR REPLACE TEMP VIEW "shop-meter-status" AS
SELECT json AS line FROM read_json_objects('exports/meter-status/AWSDynamoDB/01700000000000-a1b2c3d4/data/*.json.gz', format = 'newline_delimited');

COPY (
SELECT
  json_extract_string(line, '/Item/meter/S') AS "meter",
  json_extract_string(line, '/Item/battery/S') AS "battery",
  (TRY_CAST(json_extract_string(line, '/Item/seen_at/S') AS TIMESTAMPTZ) AT TIME ZONE 'UTC') AS "seen_at"
FROM "shop-meter-status"
WHERE json_extract(line, '/Item') IS NOT NULL
  AND json_extract(line, '/Item/$unique') IS NULL
) TO 'parquet/shop-meter-status.MeterStatus.parquet' (FORMAT parquet);

CREATE OR REPLACE TEMP VIEW "shop-meter-status.MeterStatus.unread" AS
SELECT
  count(CASE WHEN json_extract(line, '/Item/meter') IS NOT NULL AND json_extract(line, '/Item/meter/NULL') IS NULL AND json_extract_string(line, '/Item/meter/S') IS NULL THEN 1 END) AS "meter",
  count(CASE WHEN json_extract(line, '/Item/battery') IS NOT NULL AND json_extract(line, '/Item/battery/NULL') IS NULL AND json_extract_string(line, '/Item/battery/S') IS NULL THEN 1 END) AS "battery",
  count(CASE WHEN json_extract(line, '/Item/seen_at') IS NOT NULL AND json_extract(line, '/Item/seen_at/NULL') IS NULL AND (TRY_CAST(json_extract_string(line, '/Item/seen_at/S') AS TIMESTAMPTZ) AT TIME ZONE 'UTC') IS NULL THEN 1 END) AS "seen_at"
FROM "shop-meter-status"
WHERE json_extract(line, '/Item') IS NOT NULL
  AND json_extract(line, '/Item/$unique') IS NULL;

CREATE OR REPLACE TEMP VIEW "shop-meter-configuration" AS
SELECT json AS line FROM read_json_objects('exports/meter-configuration/AWSDynamoDB/01700000000000-a1b2c3d4/data/*.json.gz', format = 'newline_delimited');

COPY (
SELECT
  json_extract_string(line, '/Item/meter/S') AS "meter",
  TRY_CAST(regexp_extract(json_extract_string(line, '/Item/revision/N'), '^-?[0-9]+\z') AS BIGINT) AS "revision",
  TRY_CAST(regexp_extract(json_extract_string(line, '/Item/interval_minutes/N'), '^-?[0-9]+\z') AS BIGINT) AS "interval_minutes"
FROM "shop-meter-configuration"
WHERE json_extract(line, '/Item') IS NOT NULL
  AND json_extract(line, '/Item/$unique') IS NULL
) TO 'parquet/shop-meter-configuration.Configuration.parquet' (FORMAT parquet);

CREATE OR REPLACE TEMP VIEW "shop-meter-configuration.Configuration.unread" AS
SELECT
  count(CASE WHEN json_extract(line, '/Item/meter') IS NOT NULL AND json_extract(line, '/Item/meter/NULL') IS NULL AND json_extract_string(line, '/Item/meter/S') IS NULL THEN 1 END) AS "meter",
  count(CASE WHEN json_extract(line, '/Item/revision') IS NOT NULL AND json_extract(line, '/Item/revision/NULL') IS NULL AND TRY_CAST(regexp_extract(json_extract_string(line, '/Item/revision/N'), '^-?[0-9]+\z') AS BIGINT) IS NULL THEN 1 END) AS "revision",
  count(CASE WHEN json_extract(line, '/Item/interval_minutes') IS NOT NULL AND json_extract(line, '/Item/interval_minutes/NULL') IS NULL AND TRY_CAST(regexp_extract(json_extract_string(line, '/Item/interval_minutes/N'), '^-?[0-9]+\z') AS BIGINT) IS NULL THEN 1 END) AS "interval_minutes"
FROM "shop-meter-configuration"
WHERE json_extract(line, '/Item') IS NOT NULL
  AND json_extract(line, '/Item/$unique') IS NULL;

CREATE OR REPLACE TEMP VIEW "shop-readings" AS
SELECT json AS line FROM read_json_objects('exports/readings/AWSDynamoDB/01700000000000-a1b2c3d4/data/*.json.gz', format = 'newline_delimited');

COPY (
SELECT
  TRY_CAST(regexp_extract(json_extract_string(line, '/Item/meter/N'), '^-?[0-9]+\z') AS DECIMAL(20, 0)) AS "meter",
  TRY_CAST(regexp_extract(json_extract_string(line, '/Item/number/N'), '^-?[0-9]+\z') AS DECIMAL(20, 0)) AS "number",
  TRY_CAST(regexp_extract(json_extract_string(line, '/Item/watts/N'), '^-?[0-9]+\z') AS BIGINT) AS "watts",
  json_extract_string(line, '/Item/note/S') AS "note"
FROM "shop-readings"
WHERE json_extract(line, '/Item') IS NOT NULL
  AND json_extract(line, '/Item/$unique') IS NULL
) TO 'parquet/shop-readings.Reading.parquet' (FORMAT parquet);

CREATE OR REPLACE TEMP VIEW "shop-readings.Reading.unread" AS
SELECT
  count(CASE WHEN json_extract(line, '/Item/meter') IS NOT NULL AND json_extract(line, '/Item/meter/NULL') IS NULL AND TRY_CAST(regexp_extract(json_extract_string(line, '/Item/meter/N'), '^-?[0-9]+\z') AS DECIMAL(20, 0)) IS NULL THEN 1 END) AS "meter",
  count(CASE WHEN json_extract(line, '/Item/number') IS NOT NULL AND json_extract(line, '/Item/number/NULL') IS NULL AND TRY_CAST(regexp_extract(json_extract_string(line, '/Item/number/N'), '^-?[0-9]+\z') AS DECIMAL(20, 0)) IS NULL THEN 1 END) AS "number",
  count(CASE WHEN json_extract(line, '/Item/watts') IS NOT NULL AND json_extract(line, '/Item/watts/NULL') IS NULL AND TRY_CAST(regexp_extract(json_extract_string(line, '/Item/watts/N'), '^-?[0-9]+\z') AS BIGINT) IS NULL THEN 1 END) AS "watts",
  count(CASE WHEN json_extract(line, '/Item/note') IS NOT NULL AND json_extract(line, '/Item/note/NULL') IS NULL AND json_extract_string(line, '/Item/note/S') IS NULL THEN 1 END) AS "note"
FROM "shop-readings"
WHERE json_extract(line, '/Item') IS NOT NULL
  AND json_extract(line, '/Item/$unique') IS NULL;

CREATE OR REPLACE TEMP VIEW "shop-message" AS
SELECT json AS line FROM read_json_objects('exports/message/AWSDynamoDB/01700000000000-a1b2c3d4/data/*.json.gz', format = 'newline_delimited');

COPY (
SELECT
  json_extract_string(line, '/Item/id/S') AS "id",
  json_extract_string(line, '/Item/text/S') AS "text",
  TRY_CAST(json_extract_string(line, '/Item/is_published/BOOL') AS BOOLEAN) AS "is_published",
  CASE WHEN json_extract(line, '/Item/next/NULL') IS NULL THEN json_extract(line, '/Item/next') END AS "next",
  TRY_CAST(regexp_extract(json_extract_string(line, '/Item/version/N'), '^-?[0-9]+\z') AS DECIMAL(20, 0)) AS "version"
FROM "shop-message"
WHERE json_extract(line, '/Item') IS NOT NULL
  AND json_extract(line, '/Item/$unique') IS NULL
  AND (json_extract_string(line, '/Item/_type/S') = 'Message'
    OR (json_extract(line, '/Item/_type') IS NULL AND regexp_matches(json_extract_string(line, '/Item/pk/S'), '^MESSAGE\#[^\#]*\z') AND regexp_matches(json_extract_string(line, '/Item/sk/S'), '^INFO\z')))
) TO 'parquet/shop-message.Message.parquet' (FORMAT parquet);

COPY (
SELECT
  json_extract_string(line, '/Item/message/S') AS "message",
  json_extract_string(line, '/Item/recipient/S') AS "recipient"
FROM "shop-message"
WHERE json_extract(line, '/Item') IS NOT NULL
  AND json_extract(line, '/Item/$unique') IS NULL
  AND (json_extract_string(line, '/Item/_type/S') = 'Waiting'
    OR (json_extract(line, '/Item/_type') IS NULL AND regexp_matches(json_extract_string(line, '/Item/pk/S'), '^MESSAGE\#[^\#]*\z') AND regexp_matches(json_extract_string(line, '/Item/sk/S'), '^TO\#[^\#]*\z')))
) TO 'parquet/shop-message.Waiting.parquet' (FORMAT parquet);

CREATE OR REPLACE TEMP VIEW "shop-message.Message.unread" AS
SELECT
  count(CASE WHEN json_extract(line, '/Item/id') IS NOT NULL AND json_extract(line, '/Item/id/NULL') IS NULL AND json_extract_string(line, '/Item/id/S') IS NULL THEN 1 END) AS "id",
  count(CASE WHEN json_extract(line, '/Item/text') IS NOT NULL AND json_extract(line, '/Item/text/NULL') IS NULL AND json_extract_string(line, '/Item/text/S') IS NULL THEN 1 END) AS "text",
  count(CASE WHEN json_extract(line, '/Item/is_published') IS NOT NULL AND json_extract(line, '/Item/is_published/NULL') IS NULL AND TRY_CAST(json_extract_string(line, '/Item/is_published/BOOL') AS BOOLEAN) IS NULL THEN 1 END) AS "is_published",
  count(CASE WHEN json_extract(line, '/Item/next') IS NOT NULL AND json_extract(line, '/Item/next/NULL') IS NULL AND CASE WHEN json_extract(line, '/Item/next/NULL') IS NULL THEN json_extract(line, '/Item/next') END IS NULL THEN 1 END) AS "next",
  count(CASE WHEN json_extract(line, '/Item/version') IS NOT NULL AND json_extract(line, '/Item/version/NULL') IS NULL AND TRY_CAST(regexp_extract(json_extract_string(line, '/Item/version/N'), '^-?[0-9]+\z') AS DECIMAL(20, 0)) IS NULL THEN 1 END) AS "version"
FROM "shop-message"
WHERE json_extract(line, '/Item') IS NOT NULL
  AND json_extract(line, '/Item/$unique') IS NULL
  AND (json_extract_string(line, '/Item/_type/S') = 'Message'
    OR (json_extract(line, '/Item/_type') IS NULL AND regexp_matches(json_extract_string(line, '/Item/pk/S'), '^MESSAGE\#[^\#]*\z') AND regexp_matches(json_extract_string(line, '/Item/sk/S'), '^INFO\z')));

CREATE OR REPLACE TEMP VIEW "shop-message.Waiting.unread" AS
SELECT
  count(CASE WHEN json_extract(line, '/Item/message') IS NOT NULL AND json_extract(line, '/Item/message/NULL') IS NULL AND json_extract_string(line, '/Item/message/S') IS NULL THEN 1 END) AS "message",
  count(CASE WHEN json_extract(line, '/Item/recipient') IS NOT NULL AND json_extract(line, '/Item/recipient/NULL') IS NULL AND json_extract_string(line, '/Item/recipient/S') IS NULL THEN 1 END) AS "recipient"
FROM "shop-message"
WHERE json_extract(line, '/Item') IS NOT NULL
  AND json_extract(line, '/Item/$unique') IS NULL
  AND (json_extract_string(line, '/Item/_type/S') = 'Waiting'
    OR (json_extract(line, '/Item/_type') IS NULL AND regexp_matches(json_extract_string(line, '/Item/pk/S'), '^MESSAGE\#[^\#]*\z') AND regexp_matches(json_extract_string(line, '/Item/sk/S'), '^TO\#[^\#]*\z')));

CREATE OR REPLACE TEMP VIEW "shop-mailbox" AS
SELECT json AS line FROM read_json_objects('exports/mailbox/AWSDynamoDB/01700000000000-a1b2c3d4/data/*.json.gz', format = 'newline_delimited');

COPY (
SELECT
  json_extract_string(line, '/Item/recipient/S') AS "recipient",
  TRY_CAST(regexp_extract(json_extract_string(line, '/Item/unread/N'), '^-?[0-9]+\z') AS BIGINT) AS "unread"
FROM "shop-mailbox"
WHERE json_extract(line, '/Item') IS NOT NULL
  AND json_extract(line, '/Item/$unique') IS NULL
) TO 'parquet/shop-mailbox.Mailbox.parquet' (FORMAT parquet);

CREATE OR REPLACE TEMP VIEW "shop-mailbox.Mailbox.unread" AS
SELECT
  count(CASE WHEN json_extract(line, '/Item/recipient') IS NOT NULL AND json_extract(line, '/Item/recipient/NULL') IS NULL AND json_extract_string(line, '/Item/recipient/S') IS NULL THEN 1 END) AS "recipient",
  count(CASE WHEN json_extract(line, '/Item/unread') IS NOT NULL AND json_extract(line, '/Item/unread/NULL') IS NULL AND TRY_CAST(regexp_extract(json_extract_string(line, '/Item/unread/N'), '^-?[0-9]+\z') AS BIGINT) IS NULL THEN 1 END) AS "unread"
FROM "shop-mailbox"
WHERE json_extract(line, '/Item') IS NOT NULL
  AND json_extract(line, '/Item/$unique') IS NULL;

CREATE OR REPLACE TEMP VIEW "shop-mail-shop" AS
SELECT json AS line FROM read_json_objects('exports/mail-shop/AWSDynamoDB/01700000000000-a1b2c3d4/data/*.json.gz', format = 'newline_delimited');

COPY (
SELECT
  json_extract_string(line, '/Item/buyer/S') AS "buyer",
  json_extract_string(line, '/Item/mail/S') AS "mail"
FROM "shop-mail-shop"
WHERE json_extract(line, '/Item') IS NOT NULL
  AND json_extract(line, '/Item/$unique') IS NULL
  AND (json_extract_string(line, '/Item/_type/S') = 'Buyer'
    OR (json_extract(line, '/Item/_type') IS NULL AND regexp_matches(json_extract_string(line, '/Item/pk/S'), '^BUYER\#[^\#]*\z') AND regexp_matches(json_extract_string(line, '/Item/sk/S'), '^INFO\z')))
) TO 'parquet/shop-mail-shop.Buyer.parquet' (FORMAT parquet);

COPY (
SELECT
  json_extract_string(line, '/Item/buyer/S') AS "buyer",
  TRY_CAST(regexp_extract(json_extract_string(line, '/Item/number/N'), '^-?[0-9]+\z') AS BIGINT) AS "number",
  json_extract_string(line, '/Item/status/S') AS "status",
  TRY_CAST(regexp_extract(json_extract_string(line, '/Item/cents/N'), '^-?[0-9]+\z') AS DECIMAL(20, 0)) AS "cents"
FROM "shop-mail-shop"
WHERE json_extract(line, '/Item') IS NOT NULL
  AND json_extract(line, '/Item/$unique') IS NULL
  AND (json_extract_string(line, '/Item/_type/S') = 'Order'
    OR (json_extract(line, '/Item/_type') IS NULL AND regexp_matches(json_extract_string(line, '/Item/pk/S'), '^BUYER\#[^\#]*\z') AND regexp_matches(json_extract_string(line, '/Item/sk/S'), '^ORDER\#[^\#]{6}\z')))
) TO 'parquet/shop-mail-shop.Order.parquet' (FORMAT parquet);

COPY (
SELECT
  json_extract_string(line, '/Item/buyer/S') AS "buyer",
  TRY_CAST(regexp_extract(json_extract_string(line, '/Item/number/N'), '^-?[0-9]+\z') AS BIGINT) AS "number"
FROM "shop-mail-shop"
WHERE json_extract(line, '/Item') IS NOT NULL
  AND json_extract(line, '/Item/$unique') IS NULL
  AND (json_extract_string(line, '/Item/_type/S') = 'Reward'
    OR (json_extract(line, '/Item/_type') IS NULL AND regexp_matches(json_extract_string(line, '/Item/pk/S'), '^BUYER\#[^\#]*\z') AND regexp_matches(json_extract_string(line, '/Item/sk/S'), '^REWARD\#[^\#]{6}\z')))
) TO 'parquet/shop-mail-shop.Reward.parquet' (FORMAT parquet);

CREATE OR REPLACE TEMP VIEW "shop-mail-shop.Buyer.unread" AS
SELECT
  count(CASE WHEN json_extract(line, '/Item/buyer') IS NOT NULL AND json_extract(line, '/Item/buyer/NULL') IS NULL AND json_extract_string(line, '/Item/buyer/S') IS NULL THEN 1 END) AS "buyer",
  count(CASE WHEN json_extract(line, '/Item/mail') IS NOT NULL AND json_extract(line, '/Item/mail/NULL') IS NULL AND json_extract_string(line, '/Item/mail/S') IS NULL THEN 1 END) AS "mail"
FROM "shop-mail-shop"
WHERE json_extract(line, '/Item') IS NOT NULL
  AND json_extract(line, '/Item/$unique') IS NULL
  AND (json_extract_string(line, '/Item/_type/S') = 'Buyer'
    OR (json_extract(line, '/Item/_type') IS NULL AND regexp_matches(json_extract_string(line, '/Item/pk/S'), '^BUYER\#[^\#]*\z') AND regexp_matches(json_extract_string(line, '/Item/sk/S'), '^INFO\z')));

CREATE OR REPLACE TEMP VIEW "shop-mail-shop.Order.unread" AS
SELECT
  count(CASE WHEN json_extract(line, '/Item/buyer') IS NOT NULL AND json_extract(line, '/Item/buyer/NULL') IS NULL AND json_extract_string(line, '/Item/buyer/S') IS NULL THEN 1 END) AS "buyer",
  count(CASE WHEN json_extract(line, '/Item/number') IS NOT NULL AND json_extract(line, '/Item/number/NULL') IS NULL AND TRY_CAST(regexp_extract(json_extract_string(line, '/Item/number/N'), '^-?[0-9]+\z') AS BIGINT) IS NULL THEN 1 END) AS "number",
  count(CASE WHEN json_extract(line, '/Item/status') IS NOT NULL AND json_extract(line, '/Item/status/NULL') IS NULL AND json_extract_string(line, '/Item/status/S') IS NULL THEN 1 END) AS "status",
  count(CASE WHEN json_extract(line, '/Item/cents') IS NOT NULL AND json_extract(line, '/Item/cents/NULL') IS NULL AND TRY_CAST(regexp_extract(json_extract_string(line, '/Item/cents/N'), '^-?[0-9]+\z') AS DECIMAL(20, 0)) IS NULL THEN 1 END) AS "cents"
FROM "shop-mail-shop"
WHERE json_extract(line, '/Item') IS NOT NULL
  AND json_extract(line, '/Item/$unique') IS NULL
  AND (json_extract_string(line, '/Item/_type/S') = 'Order'
    OR (json_extract(line, '/Item/_type') IS NULL AND regexp_matches(json_extract_string(line, '/Item/pk/S'), '^BUYER\#[^\#]*\z') AND regexp_matches(json_extract_string(line, '/Item/sk/S'), '^ORDER\#[^\#]{6}\z')));

CREATE OR REPLACE TEMP VIEW "shop-mail-shop.Reward.unread" AS
SELECT
  count(CASE WHEN json_extract(line, '/Item/buyer') IS NOT NULL AND json_extract(line, '/Item/buyer/NULL') IS NULL AND json_extract_string(line, '/Item/buyer/S') IS NULL THEN 1 END) AS "buyer",
  count(CASE WHEN json_extract(line, '/Item/number') IS NOT NULL AND json_extract(line, '/Item/number/NULL') IS NULL AND TRY_CAST(regexp_extract(json_extract_string(line, '/Item/number/N'), '^-?[0-9]+\z') AS BIGINT) IS NULL THEN 1 END) AS "number"
FROM "shop-mail-shop"
WHERE json_extract(line, '/Item') IS NOT NULL
  AND json_extract(line, '/Item/$unique') IS NULL
  AND (json_extract_string(line, '/Item/_type/S') = 'Reward'
    OR (json_extract(line, '/Item/_type') IS NULL AND regexp_matches(json_extract_string(line, '/Item/pk/S'), '^BUYER\#[^\#]*\z') AND regexp_matches(json_extract_string(line, '/Item/sk/S'), '^REWARD\#[^\#]{6}\z')));

CREATE OR REPLACE TEMP VIEW "shop-mail-sales" AS
SELECT json AS line FROM read_json_objects('exports/mail-sales/AWSDynamoDB/01700000000000-a1b2c3d4/data/*.json.gz', format = 'newline_delimited');

COPY (
SELECT
  json_extract_string(line, '/Item/buyer/S') AS "buyer",
  TRY_CAST(regexp_extract(json_extract_string(line, '/Item/cents/N'), '^-?[0-9]+\z') AS DECIMAL(20, 0)) AS "cents"
FROM "shop-mail-sales"
WHERE json_extract(line, '/Item') IS NOT NULL
  AND json_extract(line, '/Item/$unique') IS NULL
) TO 'parquet/shop-mail-sales.Sales.parquet' (FORMAT parquet);

CREATE OR REPLACE TEMP VIEW "shop-mail-sales.Sales.unread" AS
SELECT
  count(CASE WHEN json_extract(line, '/Item/buyer') IS NOT NULL AND json_extract(line, '/Item/buyer/NULL') IS NULL AND json_extract_string(line, '/Item/buyer/S') IS NULL THEN 1 END) AS "buyer",
  count(CASE WHEN json_extract(line, '/Item/cents') IS NOT NULL AND json_extract(line, '/Item/cents/NULL') IS NULL AND TRY_CAST(regexp_extract(json_extract_string(line, '/Item/cents/N'), '^-?[0-9]+\z') AS DECIMAL(20, 0)) IS NULL THEN 1 END) AS "cents"
FROM "shop-mail-sales"
WHERE json_extract(line, '/Item') IS NOT NULL
  AND json_extract(line, '/Item/$unique') IS NULL;

CREATE OR REPLACE TEMP VIEW "shop-stream-leases" AS
SELECT json AS line FROM read_json_objects('exports/stream-leases/AWSDynamoDB/01700000000000-a1b2c3d4/data/*.json.gz', format = 'newline_delimited');

COPY (
SELECT
  json_extract_string(line, '/Item/group/S') AS "group",
  json_extract_string(line, '/Item/stream/S') AS "stream",
  TRY_CAST(regexp_extract(json_extract_string(line, '/Item/start_at/N'), '^-?[0-9]+\z') AS BIGINT) AS "start_at",
  json_extract_string(line, '/Item/owner/S') AS "owner",
  TRY_CAST(regexp_extract(json_extract_string(line, '/Item/epoch/N'), '^-?[0-9]+\z') AS DECIMAL(20, 0)) AS "epoch",
  TRY_CAST(regexp_extract(json_extract_string(line, '/Item/renewals/N'), '^-?[0-9]+\z') AS DECIMAL(20, 0)) AS "renewals",
  TRY_CAST(regexp_extract(json_extract_string(line, '/Item/lease_millis/N'), '^-?[0-9]+\z') AS DECIMAL(20, 0)) AS "lease_millis",
  TRY_CAST(regexp_extract(json_extract_string(line, '/Item/surveyed_at/N'), '^-?[0-9]+\z') AS BIGINT) AS "surveyed_at",
  CAST(json_extract(line, '/Item/entities/SS') AS VARCHAR[]) AS "entities"
FROM "shop-stream-leases"
WHERE json_extract(line, '/Item') IS NOT NULL
  AND json_extract(line, '/Item/$unique') IS NULL
  AND (json_extract_string(line, '/Item/_type/S') = 'StreamGroup'
    OR (json_extract(line, '/Item/_type') IS NULL AND regexp_matches(json_extract_string(line, '/Item/pk/S'), '^GROUP\#[^\#]*\z') AND regexp_matches(json_extract_string(line, '/Item/sk/S'), '^GROUP\z')))
) TO 'parquet/shop-stream-leases.StreamGroup.parquet' (FORMAT parquet);

COPY (
SELECT
  json_extract_string(line, '/Item/group/S') AS "group",
  CAST(json_extract(line, '/Item/shards/SS') AS VARCHAR[]) AS "shards"
FROM "shop-stream-leases"
WHERE json_extract(line, '/Item') IS NOT NULL
  AND json_extract(line, '/Item/$unique') IS NULL
  AND (json_extract_string(line, '/Item/_type/S') = 'GroupRoots'
    OR (json_extract(line, '/Item/_type') IS NULL AND regexp_matches(json_extract_string(line, '/Item/pk/S'), '^GROUP\#[^\#]*\z') AND regexp_matches(json_extract_string(line, '/Item/sk/S'), '^ROOTS\z')))
) TO 'parquet/shop-stream-leases.GroupRoots.parquet' (FORMAT parquet);

COPY (
SELECT
  json_extract_string(line, '/Item/group/S') AS "group",
  json_extract_string(line, '/Item/shard/S') AS "shard",
  json_extract_string(line, '/Item/parent/S') AS "parent",
  CAST(json_extract(line, '/Item/children/SS') AS VARCHAR[]) AS "children",
  TRY_CAST(regexp_extract(json_extract_string(line, '/Item/unread_since/N'), '^-?[0-9]+\z') AS BIGINT) AS "unread_since",
  json_extract_string(line, '/Item/owner/S') AS "owner",
  TRY_CAST(regexp_extract(json_extract_string(line, '/Item/epoch/N'), '^-?[0-9]+\z') AS DECIMAL(20, 0)) AS "epoch",
  TRY_CAST(regexp_extract(json_extract_string(line, '/Item/renewals/N'), '^-?[0-9]+\z') AS DECIMAL(20, 0)) AS "renewals",
  TRY_CAST(regexp_extract(json_extract_string(line, '/Item/lease_millis/N'), '^-?[0-9]+\z') AS DECIMAL(20, 0)) AS "lease_millis",
  json_extract_string(line, '/Item/requested_by/S') AS "requested_by",
  json_extract_string(line, '/Item/place/S') AS "place",
  TRY_CAST(regexp_extract(json_extract_string(line, '/Item/place_at/N'), '^-?[0-9]+\z') AS BIGINT) AS "place_at",
  TRY_CAST(json_extract_string(line, '/Item/is_finished/BOOL') AS BOOLEAN) AS "is_finished",
  TRY_CAST(json_extract_string(line, '/Item/is_initial/BOOL') AS BOOLEAN) AS "is_initial"
FROM "shop-stream-leases"
WHERE json_extract(line, '/Item') IS NOT NULL
  AND json_extract(line, '/Item/$unique') IS NULL
  AND (json_extract_string(line, '/Item/_type/S') = 'ShardLease'
    OR (json_extract(line, '/Item/_type') IS NULL AND regexp_matches(json_extract_string(line, '/Item/pk/S'), '^GROUP\#[^\#]*\z') AND regexp_matches(json_extract_string(line, '/Item/sk/S'), '^SHARD\#[^\#]*\z')))
) TO 'parquet/shop-stream-leases.ShardLease.parquet' (FORMAT parquet);

COPY (
SELECT
  json_extract_string(line, '/Item/stream/S') AS "stream",
  json_extract_string(line, '/Item/group/S') AS "group"
FROM "shop-stream-leases"
WHERE json_extract(line, '/Item') IS NOT NULL
  AND json_extract(line, '/Item/$unique') IS NULL
  AND (json_extract_string(line, '/Item/_type/S') = 'StreamReader'
    OR (json_extract(line, '/Item/_type') IS NULL AND regexp_matches(json_extract_string(line, '/Item/pk/S'), '^STREAM\#[^\#]*\z') AND regexp_matches(json_extract_string(line, '/Item/sk/S'), '^READER\#[^\#]*\z')))
) TO 'parquet/shop-stream-leases.StreamReader.parquet' (FORMAT parquet);

CREATE OR REPLACE TEMP VIEW "shop-stream-leases.StreamGroup.unread" AS
SELECT
  count(CASE WHEN json_extract(line, '/Item/group') IS NOT NULL AND json_extract(line, '/Item/group/NULL') IS NULL AND json_extract_string(line, '/Item/group/S') IS NULL THEN 1 END) AS "group",
  count(CASE WHEN json_extract(line, '/Item/stream') IS NOT NULL AND json_extract(line, '/Item/stream/NULL') IS NULL AND json_extract_string(line, '/Item/stream/S') IS NULL THEN 1 END) AS "stream",
  count(CASE WHEN json_extract(line, '/Item/start_at') IS NOT NULL AND json_extract(line, '/Item/start_at/NULL') IS NULL AND TRY_CAST(regexp_extract(json_extract_string(line, '/Item/start_at/N'), '^-?[0-9]+\z') AS BIGINT) IS NULL THEN 1 END) AS "start_at",
  count(CASE WHEN json_extract(line, '/Item/owner') IS NOT NULL AND json_extract(line, '/Item/owner/NULL') IS NULL AND json_extract_string(line, '/Item/owner/S') IS NULL THEN 1 END) AS "owner",
  count(CASE WHEN json_extract(line, '/Item/epoch') IS NOT NULL AND json_extract(line, '/Item/epoch/NULL') IS NULL AND TRY_CAST(regexp_extract(json_extract_string(line, '/Item/epoch/N'), '^-?[0-9]+\z') AS DECIMAL(20, 0)) IS NULL THEN 1 END) AS "epoch",
  count(CASE WHEN json_extract(line, '/Item/renewals') IS NOT NULL AND json_extract(line, '/Item/renewals/NULL') IS NULL AND TRY_CAST(regexp_extract(json_extract_string(line, '/Item/renewals/N'), '^-?[0-9]+\z') AS DECIMAL(20, 0)) IS NULL THEN 1 END) AS "renewals",
  count(CASE WHEN json_extract(line, '/Item/lease_millis') IS NOT NULL AND json_extract(line, '/Item/lease_millis/NULL') IS NULL AND TRY_CAST(regexp_extract(json_extract_string(line, '/Item/lease_millis/N'), '^-?[0-9]+\z') AS DECIMAL(20, 0)) IS NULL THEN 1 END) AS "lease_millis",
  count(CASE WHEN json_extract(line, '/Item/surveyed_at') IS NOT NULL AND json_extract(line, '/Item/surveyed_at/NULL') IS NULL AND TRY_CAST(regexp_extract(json_extract_string(line, '/Item/surveyed_at/N'), '^-?[0-9]+\z') AS BIGINT) IS NULL THEN 1 END) AS "surveyed_at",
  count(CASE WHEN json_extract(line, '/Item/entities') IS NOT NULL AND json_extract(line, '/Item/entities/NULL') IS NULL AND CAST(json_extract(line, '/Item/entities/SS') AS VARCHAR[]) IS NULL THEN 1 END) AS "entities"
FROM "shop-stream-leases"
WHERE json_extract(line, '/Item') IS NOT NULL
  AND json_extract(line, '/Item/$unique') IS NULL
  AND (json_extract_string(line, '/Item/_type/S') = 'StreamGroup'
    OR (json_extract(line, '/Item/_type') IS NULL AND regexp_matches(json_extract_string(line, '/Item/pk/S'), '^GROUP\#[^\#]*\z') AND regexp_matches(json_extract_string(line, '/Item/sk/S'), '^GROUP\z')));

CREATE OR REPLACE TEMP VIEW "shop-stream-leases.GroupRoots.unread" AS
SELECT
  count(CASE WHEN json_extract(line, '/Item/group') IS NOT NULL AND json_extract(line, '/Item/group/NULL') IS NULL AND json_extract_string(line, '/Item/group/S') IS NULL THEN 1 END) AS "group",
  count(CASE WHEN json_extract(line, '/Item/shards') IS NOT NULL AND json_extract(line, '/Item/shards/NULL') IS NULL AND CAST(json_extract(line, '/Item/shards/SS') AS VARCHAR[]) IS NULL THEN 1 END) AS "shards"
FROM "shop-stream-leases"
WHERE json_extract(line, '/Item') IS NOT NULL
  AND json_extract(line, '/Item/$unique') IS NULL
  AND (json_extract_string(line, '/Item/_type/S') = 'GroupRoots'
    OR (json_extract(line, '/Item/_type') IS NULL AND regexp_matches(json_extract_string(line, '/Item/pk/S'), '^GROUP\#[^\#]*\z') AND regexp_matches(json_extract_string(line, '/Item/sk/S'), '^ROOTS\z')));

CREATE OR REPLACE TEMP VIEW "shop-stream-leases.ShardLease.unread" AS
SELECT
  count(CASE WHEN json_extract(line, '/Item/group') IS NOT NULL AND json_extract(line, '/Item/group/NULL') IS NULL AND json_extract_string(line, '/Item/group/S') IS NULL THEN 1 END) AS "group",
  count(CASE WHEN json_extract(line, '/Item/shard') IS NOT NULL AND json_extract(line, '/Item/shard/NULL') IS NULL AND json_extract_string(line, '/Item/shard/S') IS NULL THEN 1 END) AS "shard",
  count(CASE WHEN json_extract(line, '/Item/parent') IS NOT NULL AND json_extract(line, '/Item/parent/NULL') IS NULL AND json_extract_string(line, '/Item/parent/S') IS NULL THEN 1 END) AS "parent",
  count(CASE WHEN json_extract(line, '/Item/children') IS NOT NULL AND json_extract(line, '/Item/children/NULL') IS NULL AND CAST(json_extract(line, '/Item/children/SS') AS VARCHAR[]) IS NULL THEN 1 END) AS "children",
  count(CASE WHEN json_extract(line, '/Item/unread_since') IS NOT NULL AND json_extract(line, '/Item/unread_since/NULL') IS NULL AND TRY_CAST(regexp_extract(json_extract_string(line, '/Item/unread_since/N'), '^-?[0-9]+\z') AS BIGINT) IS NULL THEN 1 END) AS "unread_since",
  count(CASE WHEN json_extract(line, '/Item/owner') IS NOT NULL AND json_extract(line, '/Item/owner/NULL') IS NULL AND json_extract_string(line, '/Item/owner/S') IS NULL THEN 1 END) AS "owner",
  count(CASE WHEN json_extract(line, '/Item/epoch') IS NOT NULL AND json_extract(line, '/Item/epoch/NULL') IS NULL AND TRY_CAST(regexp_extract(json_extract_string(line, '/Item/epoch/N'), '^-?[0-9]+\z') AS DECIMAL(20, 0)) IS NULL THEN 1 END) AS "epoch",
  count(CASE WHEN json_extract(line, '/Item/renewals') IS NOT NULL AND json_extract(line, '/Item/renewals/NULL') IS NULL AND TRY_CAST(regexp_extract(json_extract_string(line, '/Item/renewals/N'), '^-?[0-9]+\z') AS DECIMAL(20, 0)) IS NULL THEN 1 END) AS "renewals",
  count(CASE WHEN json_extract(line, '/Item/lease_millis') IS NOT NULL AND json_extract(line, '/Item/lease_millis/NULL') IS NULL AND TRY_CAST(regexp_extract(json_extract_string(line, '/Item/lease_millis/N'), '^-?[0-9]+\z') AS DECIMAL(20, 0)) IS NULL THEN 1 END) AS "lease_millis",
  count(CASE WHEN json_extract(line, '/Item/requested_by') IS NOT NULL AND json_extract(line, '/Item/requested_by/NULL') IS NULL AND json_extract_string(line, '/Item/requested_by/S') IS NULL THEN 1 END) AS "requested_by",
  count(CASE WHEN json_extract(line, '/Item/place') IS NOT NULL AND json_extract(line, '/Item/place/NULL') IS NULL AND json_extract_string(line, '/Item/place/S') IS NULL THEN 1 END) AS "place",
  count(CASE WHEN json_extract(line, '/Item/place_at') IS NOT NULL AND json_extract(line, '/Item/place_at/NULL') IS NULL AND TRY_CAST(regexp_extract(json_extract_string(line, '/Item/place_at/N'), '^-?[0-9]+\z') AS BIGINT) IS NULL THEN 1 END) AS "place_at",
  count(CASE WHEN json_extract(line, '/Item/is_finished') IS NOT NULL AND json_extract(line, '/Item/is_finished/NULL') IS NULL AND TRY_CAST(json_extract_string(line, '/Item/is_finished/BOOL') AS BOOLEAN) IS NULL THEN 1 END) AS "is_finished",
  count(CASE WHEN json_extract(line, '/Item/is_initial') IS NOT NULL AND json_extract(line, '/Item/is_initial/NULL') IS NULL AND TRY_CAST(json_extract_string(line, '/Item/is_initial/BOOL') AS BOOLEAN) IS NULL THEN 1 END) AS "is_initial"
FROM "shop-stream-leases"
WHERE json_extract(line, '/Item') IS NOT NULL
  AND json_extract(line, '/Item/$unique') IS NULL
  AND (json_extract_string(line, '/Item/_type/S') = 'ShardLease'
    OR (json_extract(line, '/Item/_type') IS NULL AND regexp_matches(json_extract_string(line, '/Item/pk/S'), '^GROUP\#[^\#]*\z') AND regexp_matches(json_extract_string(line, '/Item/sk/S'), '^SHARD\#[^\#]*\z')));

CREATE OR REPLACE TEMP VIEW "shop-stream-leases.StreamReader.unread" AS
SELECT
  count(CASE WHEN json_extract(line, '/Item/stream') IS NOT NULL AND json_extract(line, '/Item/stream/NULL') IS NULL AND json_extract_string(line, '/Item/stream/S') IS NULL THEN 1 END) AS "stream",
  count(CASE WHEN json_extract(line, '/Item/group') IS NOT NULL AND json_extract(line, '/Item/group/NULL') IS NULL AND json_extract_string(line, '/Item/group/S') IS NULL THEN 1 END) AS "group"
FROM "shop-stream-leases"
WHERE json_extract(line, '/Item') IS NOT NULL
  AND json_extract(line, '/Item/$unique') IS NULL
  AND (json_extract_string(line, '/Item/_type/S') = 'StreamReader'
    OR (json_extract(line, '/Item/_type') IS NULL AND regexp_matches(json_extract_string(line, '/Item/pk/S'), '^STREAM\#[^\#]*\z') AND regexp_matches(json_extract_string(line, '/Item/sk/S'), '^READER\#[^\#]*\z')));

CREATE OR REPLACE TEMP VIEW "shop-parked-changes" AS
SELECT json AS line FROM read_json_objects('exports/parked-changes/AWSDynamoDB/01700000000000-a1b2c3d4/data/*.json.gz', format = 'newline_delimited');

COPY (
SELECT
  json_extract_string(line, '/Item/consumer/S') AS "consumer",
  json_extract_string(line, '/Item/event_id/S') AS "event_id",
  CAST(json_extract(line, '/Item/attempts/SS') AS VARCHAR[]) AS "attempts",
  json_extract_string(line, '/Item/reason/S') AS "reason",
  json_extract_string(line, '/Item/item_table/S') AS "item_table",
  CASE WHEN json_extract(line, '/Item/item_key/NULL') IS NULL THEN json_extract(line, '/Item/item_key') END AS "item_key",
  json_extract_string(line, '/Item/sequence/S') AS "sequence",
  (TRY_CAST(json_extract_string(line, '/Item/parked_at/S') AS TIMESTAMPTZ) AT TIME ZONE 'UTC') AS "parked_at",
  json_extract_string(line, '/Item/stored_by/S') AS "stored_by",
  TRY_CAST(regexp_extract(json_extract_string(line, '/Item/parts/N'), '^-?[0-9]+\z') AS BIGINT) AS "parts",
  TRY(make_timestamp(CAST(CAST(json_extract_string(line, '/Item/expires_at/N') AS DECIMAL(28, 9)) * 1000000 AS BIGINT))) AS "expires_at"
FROM "shop-parked-changes"
WHERE json_extract(line, '/Item') IS NOT NULL
  AND json_extract(line, '/Item/$unique') IS NULL
  AND (json_extract_string(line, '/Item/_type/S') = 'ParkedChange'
    OR (json_extract(line, '/Item/_type') IS NULL AND regexp_matches(json_extract_string(line, '/Item/pk/S'), '^CONSUMER\#[^\#]*\z') AND regexp_matches(json_extract_string(line, '/Item/sk/S'), '^CHANGE\#[^\#]*\z')))
) TO 'parquet/shop-parked-changes.ParkedChange.parquet' (FORMAT parquet);

COPY (
SELECT
  json_extract_string(line, '/Item/consumer/S') AS "consumer",
  json_extract_string(line, '/Item/event_id/S') AS "event_id",
  json_extract_string(line, '/Item/attempt/S') AS "attempt",
  TRY_CAST(regexp_extract(json_extract_string(line, '/Item/number/N'), '^-?[0-9]+\z') AS BIGINT) AS "number",
  TRY(from_base64(json_extract_string(line, '/Item/json/B'))) AS "json"
FROM "shop-parked-changes"
WHERE json_extract(line, '/Item') IS NOT NULL
  AND json_extract(line, '/Item/$unique') IS NULL
  AND (json_extract_string(line, '/Item/_type/S') = 'ParkedPart'
    OR (json_extract(line, '/Item/_type') IS NULL AND regexp_matches(json_extract_string(line, '/Item/pk/S'), '^CONSUMER\#[^\#]*\z') AND regexp_matches(json_extract_string(line, '/Item/sk/S'), '^PART\#[^\#]*\#[^\#]*\#[^\#]{6}\z')))
) TO 'parquet/shop-parked-changes.ParkedPart.parquet' (FORMAT parquet);

CREATE OR REPLACE TEMP VIEW "shop-parked-changes.ParkedChange.unread" AS
SELECT
  count(CASE WHEN json_extract(line, '/Item/consumer') IS NOT NULL AND json_extract(line, '/Item/consumer/NULL') IS NULL AND json_extract_string(line, '/Item/consumer/S') IS NULL THEN 1 END) AS "consumer",
  count(CASE WHEN json_extract(line, '/Item/event_id') IS NOT NULL AND json_extract(line, '/Item/event_id/NULL') IS NULL AND json_extract_string(line, '/Item/event_id/S') IS NULL THEN 1 END) AS "event_id",
  count(CASE WHEN json_extract(line, '/Item/attempts') IS NOT NULL AND json_extract(line, '/Item/attempts/NULL') IS NULL AND CAST(json_extract(line, '/Item/attempts/SS') AS VARCHAR[]) IS NULL THEN 1 END) AS "attempts",
  count(CASE WHEN json_extract(line, '/Item/reason') IS NOT NULL AND json_extract(line, '/Item/reason/NULL') IS NULL AND json_extract_string(line, '/Item/reason/S') IS NULL THEN 1 END) AS "reason",
  count(CASE WHEN json_extract(line, '/Item/item_table') IS NOT NULL AND json_extract(line, '/Item/item_table/NULL') IS NULL AND json_extract_string(line, '/Item/item_table/S') IS NULL THEN 1 END) AS "item_table",
  count(CASE WHEN json_extract(line, '/Item/item_key') IS NOT NULL AND json_extract(line, '/Item/item_key/NULL') IS NULL AND CASE WHEN json_extract(line, '/Item/item_key/NULL') IS NULL THEN json_extract(line, '/Item/item_key') END IS NULL THEN 1 END) AS "item_key",
  count(CASE WHEN json_extract(line, '/Item/sequence') IS NOT NULL AND json_extract(line, '/Item/sequence/NULL') IS NULL AND json_extract_string(line, '/Item/sequence/S') IS NULL THEN 1 END) AS "sequence",
  count(CASE WHEN json_extract(line, '/Item/parked_at') IS NOT NULL AND json_extract(line, '/Item/parked_at/NULL') IS NULL AND (TRY_CAST(json_extract_string(line, '/Item/parked_at/S') AS TIMESTAMPTZ) AT TIME ZONE 'UTC') IS NULL THEN 1 END) AS "parked_at",
  count(CASE WHEN json_extract(line, '/Item/stored_by') IS NOT NULL AND json_extract(line, '/Item/stored_by/NULL') IS NULL AND json_extract_string(line, '/Item/stored_by/S') IS NULL THEN 1 END) AS "stored_by",
  count(CASE WHEN json_extract(line, '/Item/parts') IS NOT NULL AND json_extract(line, '/Item/parts/NULL') IS NULL AND TRY_CAST(regexp_extract(json_extract_string(line, '/Item/parts/N'), '^-?[0-9]+\z') AS BIGINT) IS NULL THEN 1 END) AS "parts",
  count(CASE WHEN json_extract(line, '/Item/expires_at') IS NOT NULL AND json_extract(line, '/Item/expires_at/NULL') IS NULL AND TRY(make_timestamp(CAST(CAST(json_extract_string(line, '/Item/expires_at/N') AS DECIMAL(28, 9)) * 1000000 AS BIGINT))) IS NULL THEN 1 END) AS "expires_at"
FROM "shop-parked-changes"
WHERE json_extract(line, '/Item') IS NOT NULL
  AND json_extract(line, '/Item/$unique') IS NULL
  AND (json_extract_string(line, '/Item/_type/S') = 'ParkedChange'
    OR (json_extract(line, '/Item/_type') IS NULL AND regexp_matches(json_extract_string(line, '/Item/pk/S'), '^CONSUMER\#[^\#]*\z') AND regexp_matches(json_extract_string(line, '/Item/sk/S'), '^CHANGE\#[^\#]*\z')));

CREATE OR REPLACE TEMP VIEW "shop-parked-changes.ParkedPart.unread" AS
SELECT
  count(CASE WHEN json_extract(line, '/Item/consumer') IS NOT NULL AND json_extract(line, '/Item/consumer/NULL') IS NULL AND json_extract_string(line, '/Item/consumer/S') IS NULL THEN 1 END) AS "consumer",
  count(CASE WHEN json_extract(line, '/Item/event_id') IS NOT NULL AND json_extract(line, '/Item/event_id/NULL') IS NULL AND json_extract_string(line, '/Item/event_id/S') IS NULL THEN 1 END) AS "event_id",
  count(CASE WHEN json_extract(line, '/Item/attempt') IS NOT NULL AND json_extract(line, '/Item/attempt/NULL') IS NULL AND json_extract_string(line, '/Item/attempt/S') IS NULL THEN 1 END) AS "attempt",
  count(CASE WHEN json_extract(line, '/Item/number') IS NOT NULL AND json_extract(line, '/Item/number/NULL') IS NULL AND TRY_CAST(regexp_extract(json_extract_string(line, '/Item/number/N'), '^-?[0-9]+\z') AS BIGINT) IS NULL THEN 1 END) AS "number",
  count(CASE WHEN json_extract(line, '/Item/json') IS NOT NULL AND json_extract(line, '/Item/json/NULL') IS NULL AND TRY(from_base64(json_extract_string(line, '/Item/json/B'))) IS NULL THEN 1 END) AS "json"
FROM "shop-parked-changes"
WHERE json_extract(line, '/Item') IS NOT NULL
  AND json_extract(line, '/Item/$unique') IS NULL
  AND (json_extract_string(line, '/Item/_type/S') = 'ParkedPart'
    OR (json_extract(line, '/Item/_type') IS NULL AND regexp_matches(json_extract_string(line, '/Item/pk/S'), '^CONSUMER\#[^\#]*\z') AND regexp_matches(json_extract_string(line, '/Item/sk/S'), '^PART\#[^\#]*\#[^\#]*\#[^\#]{6}\z')));

CREATE OR REPLACE TEMP VIEW "shop-once-effects" AS
SELECT json AS line FROM read_json_objects('exports/once-effects/AWSDynamoDB/01700000000000-a1b2c3d4/data/*.json.gz', format = 'newline_delimited');

COPY (
SELECT
  json_extract_string(line, '/Item/id/S') AS "id",
  json_extract_string(line, '/Item/owner/S') AS "owner",
  (TRY_CAST(json_extract_string(line, '/Item/since/S') AS TIMESTAMPTZ) AT TIME ZONE 'UTC') AS "since",
  (TRY_CAST(json_extract_string(line, '/Item/until/S') AS TIMESTAMPTZ) AT TIME ZONE 'UTC') AS "until",
  TRY_CAST(json_extract_string(line, '/Item/is_done/BOOL') AS BOOLEAN) AS "is_done",
  CASE WHEN json_extract(line, '/Item/result/NULL') IS NULL THEN json_extract(line, '/Item/result') END AS "result",
  TRY(make_timestamp(CAST(CAST(json_extract_string(line, '/Item/expires_at/N') AS DECIMAL(28, 9)) * 1000000 AS BIGINT))) AS "expires_at",
  TRY_CAST(regexp_extract(json_extract_string(line, '/Item/version/N'), '^-?[0-9]+\z') AS DECIMAL(20, 0)) AS "version"
FROM "shop-once-effects"
WHERE json_extract(line, '/Item') IS NOT NULL
  AND json_extract(line, '/Item/$unique') IS NULL
) TO 'parquet/shop-once-effects.OnceEffect.parquet' (FORMAT parquet);

CREATE OR REPLACE TEMP VIEW "shop-once-effects.OnceEffect.unread" AS
SELECT
  count(CASE WHEN json_extract(line, '/Item/id') IS NOT NULL AND json_extract(line, '/Item/id/NULL') IS NULL AND json_extract_string(line, '/Item/id/S') IS NULL THEN 1 END) AS "id",
  count(CASE WHEN json_extract(line, '/Item/owner') IS NOT NULL AND json_extract(line, '/Item/owner/NULL') IS NULL AND json_extract_string(line, '/Item/owner/S') IS NULL THEN 1 END) AS "owner",
  count(CASE WHEN json_extract(line, '/Item/since') IS NOT NULL AND json_extract(line, '/Item/since/NULL') IS NULL AND (TRY_CAST(json_extract_string(line, '/Item/since/S') AS TIMESTAMPTZ) AT TIME ZONE 'UTC') IS NULL THEN 1 END) AS "since",
  count(CASE WHEN json_extract(line, '/Item/until') IS NOT NULL AND json_extract(line, '/Item/until/NULL') IS NULL AND (TRY_CAST(json_extract_string(line, '/Item/until/S') AS TIMESTAMPTZ) AT TIME ZONE 'UTC') IS NULL THEN 1 END) AS "until",
  count(CASE WHEN json_extract(line, '/Item/is_done') IS NOT NULL AND json_extract(line, '/Item/is_done/NULL') IS NULL AND TRY_CAST(json_extract_string(line, '/Item/is_done/BOOL') AS BOOLEAN) IS NULL THEN 1 END) AS "is_done",
  count(CASE WHEN json_extract(line, '/Item/result') IS NOT NULL AND json_extract(line, '/Item/result/NULL') IS NULL AND CASE WHEN json_extract(line, '/Item/result/NULL') IS NULL THEN json_extract(line, '/Item/result') END IS NULL THEN 1 END) AS "result",
  count(CASE WHEN json_extract(line, '/Item/expires_at') IS NOT NULL AND json_extract(line, '/Item/expires_at/NULL') IS NULL AND TRY(make_timestamp(CAST(CAST(json_extract_string(line, '/Item/expires_at/N') AS DECIMAL(28, 9)) * 1000000 AS BIGINT))) IS NULL THEN 1 END) AS "expires_at",
  count(CASE WHEN json_extract(line, '/Item/version') IS NOT NULL AND json_extract(line, '/Item/version/NULL') IS NULL AND TRY_CAST(regexp_extract(json_extract_string(line, '/Item/version/N'), '^-?[0-9]+\z') AS DECIMAL(20, 0)) IS NULL THEN 1 END) AS "version"
FROM "shop-once-effects"
WHERE json_extract(line, '/Item') IS NOT NULL
  AND json_extract(line, '/Item/$unique') IS NULL;

CREATE OR REPLACE TEMP VIEW "shop-order" AS
SELECT json AS line FROM read_json_objects('exports/order/AWSDynamoDB/01700000000000-a1b2c3d4/data/*.json.gz', format = 'newline_delimited');

COPY (
SELECT
  TRY_CAST(regexp_extract(json_extract_string(line, '/Item/number/N'), '^-?[0-9]+\z') AS BIGINT) AS "number",
  json_extract_string(line, '/Item/customer/S') AS "customer",
  (TRY_CAST(json_extract_string(line, '/Item/placed_at/S') AS TIMESTAMPTZ) AT TIME ZONE 'UTC') AS "placed_at",
  json_extract_string(line, '/Item/status/S') AS "status",
  TRY_CAST(regexp_extract(json_extract_string(line, '/Item/total/N'), '^-?[0-9]+\z') AS BIGINT) AS "total",
  json_extract_string(line, '/Item/address/S') AS "address"
FROM "shop-order"
WHERE json_extract(line, '/Item') IS NOT NULL
  AND json_extract(line, '/Item/$unique') IS NULL
) TO 'parquet/shop-order.Order.parquet' (FORMAT parquet);

CREATE OR REPLACE TEMP VIEW "shop-order.Order.unread" AS
SELECT
  count(CASE WHEN json_extract(line, '/Item/number') IS NOT NULL AND json_extract(line, '/Item/number/NULL') IS NULL AND TRY_CAST(regexp_extract(json_extract_string(line, '/Item/number/N'), '^-?[0-9]+\z') AS BIGINT) IS NULL THEN 1 END) AS "number",
  count(CASE WHEN json_extract(line, '/Item/customer') IS NOT NULL AND json_extract(line, '/Item/customer/NULL') IS NULL AND json_extract_string(line, '/Item/customer/S') IS NULL THEN 1 END) AS "customer",
  count(CASE WHEN json_extract(line, '/Item/placed_at') IS NOT NULL AND json_extract(line, '/Item/placed_at/NULL') IS NULL AND (TRY_CAST(json_extract_string(line, '/Item/placed_at/S') AS TIMESTAMPTZ) AT TIME ZONE 'UTC') IS NULL THEN 1 END) AS "placed_at",
  count(CASE WHEN json_extract(line, '/Item/status') IS NOT NULL AND json_extract(line, '/Item/status/NULL') IS NULL AND json_extract_string(line, '/Item/status/S') IS NULL THEN 1 END) AS "status",
  count(CASE WHEN json_extract(line, '/Item/total') IS NOT NULL AND json_extract(line, '/Item/total/NULL') IS NULL AND TRY_CAST(regexp_extract(json_extract_string(line, '/Item/total/N'), '^-?[0-9]+\z') AS BIGINT) IS NULL THEN 1 END) AS "total",
  count(CASE WHEN json_extract(line, '/Item/address') IS NOT NULL AND json_extract(line, '/Item/address/NULL') IS NULL AND json_extract_string(line, '/Item/address/S') IS NULL THEN 1 END) AS "address"
FROM "shop-order"
WHERE json_extract(line, '/Item') IS NOT NULL
  AND json_extract(line, '/Item/$unique') IS NULL;

CREATE OR REPLACE TEMP VIEW "shop-employee" AS
SELECT json AS line FROM read_json_objects('exports/employee/AWSDynamoDB/01700000000000-a1b2c3d4/data/*.json.gz', format = 'newline_delimited');

COPY (
SELECT
  json_extract_string(line, '/Item/company/S') AS "company",
  TRY_CAST(regexp_extract(json_extract_string(line, '/Item/number/N'), '^-?[0-9]+\z') AS BIGINT) AS "number",
  json_extract_string(line, '/Item/name/S') AS "name",
  json_extract_string(line, '/Item/hobby/S') AS "hobby"
FROM "shop-employee"
WHERE json_extract(line, '/Item') IS NOT NULL
  AND json_extract(line, '/Item/$unique') IS NULL
) TO 'parquet/shop-employee.Employee.parquet' (FORMAT parquet);

CREATE OR REPLACE TEMP VIEW "shop-employee.Employee.unread" AS
SELECT
  count(CASE WHEN json_extract(line, '/Item/company') IS NOT NULL AND json_extract(line, '/Item/company/NULL') IS NULL AND json_extract_string(line, '/Item/company/S') IS NULL THEN 1 END) AS "company",
  count(CASE WHEN json_extract(line, '/Item/number') IS NOT NULL AND json_extract(line, '/Item/number/NULL') IS NULL AND TRY_CAST(regexp_extract(json_extract_string(line, '/Item/number/N'), '^-?[0-9]+\z') AS BIGINT) IS NULL THEN 1 END) AS "number",
  count(CASE WHEN json_extract(line, '/Item/name') IS NOT NULL AND json_extract(line, '/Item/name/NULL') IS NULL AND json_extract_string(line, '/Item/name/S') IS NULL THEN 1 END) AS "name",
  count(CASE WHEN json_extract(line, '/Item/hobby') IS NOT NULL AND json_extract(line, '/Item/hobby/NULL') IS NULL AND json_extract_string(line, '/Item/hobby/S') IS NULL THEN 1 END) AS "hobby"
FROM "shop-employee"
WHERE json_extract(line, '/Item') IS NOT NULL
  AND json_extract(line, '/Item/$unique') IS NULL;

CREATE OR REPLACE TEMP VIEW "shop-large-company" AS
SELECT json AS line FROM read_json_objects('exports/large-company/AWSDynamoDB/01700000000000-a1b2c3d4/data/*.json.gz', format = 'newline_delimited');

COPY (
SELECT
  json_extract_string(line, '/Item/company/S') AS "company",
  TRY_CAST(regexp_extract(json_extract_string(line, '/Item/number/N'), '^-?[0-9]+\z') AS BIGINT) AS "number",
  json_extract_string(line, '/Item/name/S') AS "name",
  json_extract_string(line, '/Item/hobby/S') AS "hobby"
FROM "shop-large-company"
WHERE json_extract(line, '/Item') IS NOT NULL
  AND json_extract(line, '/Item/$unique') IS NULL
) TO 'parquet/shop-large-company.EmployeeOfMany.parquet' (FORMAT parquet);

CREATE OR REPLACE TEMP VIEW "shop-large-company.EmployeeOfMany.unread" AS
SELECT
  count(CASE WHEN json_extract(line, '/Item/company') IS NOT NULL AND json_extract(line, '/Item/company/NULL') IS NULL AND json_extract_string(line, '/Item/company/S') IS NULL THEN 1 END) AS "company",
  count(CASE WHEN json_extract(line, '/Item/number') IS NOT NULL AND json_extract(line, '/Item/number/NULL') IS NULL AND TRY_CAST(regexp_extract(json_extract_string(line, '/Item/number/N'), '^-?[0-9]+\z') AS BIGINT) IS NULL THEN 1 END) AS "number",
  count(CASE WHEN json_extract(line, '/Item/name') IS NOT NULL AND json_extract(line, '/Item/name/NULL') IS NULL AND json_extract_string(line, '/Item/name/S') IS NULL THEN 1 END) AS "name",
  count(CASE WHEN json_extract(line, '/Item/hobby') IS NOT NULL AND json_extract(line, '/Item/hobby/NULL') IS NULL AND json_extract_string(line, '/Item/hobby/S') IS NULL THEN 1 END) AS "hobby"
FROM "shop-large-company"
WHERE json_extract(line, '/Item') IS NOT NULL
  AND json_extract(line, '/Item/$unique') IS NULL;

CREATE OR REPLACE TEMP VIEW "shop-request-count" AS
SELECT json AS line FROM read_json_objects('exports/request-count/AWSDynamoDB/01700000000000-a1b2c3d4/data/*.json.gz', format = 'newline_delimited');

COPY (
SELECT
  json_extract_string(line, '/Item/request_name/S') AS "request_name",
  TRY_CAST(json_extract_string(line, '/Item/day/S') AS DATE) AS "day",
  TRY_CAST(regexp_extract(json_extract_string(line, '/Item/count/N'), '^-?[0-9]+\z') AS DECIMAL(20, 0)) AS "count"
FROM "shop-request-count"
WHERE json_extract(line, '/Item') IS NOT NULL
  AND json_extract(line, '/Item/$unique') IS NULL
) TO 'parquet/shop-request-count.RequestCount.parquet' (FORMAT parquet);

CREATE OR REPLACE TEMP VIEW "shop-request-count.RequestCount.unread" AS
SELECT
  count(CASE WHEN json_extract(line, '/Item/request_name') IS NOT NULL AND json_extract(line, '/Item/request_name/NULL') IS NULL AND json_extract_string(line, '/Item/request_name/S') IS NULL THEN 1 END) AS "request_name",
  count(CASE WHEN json_extract(line, '/Item/day') IS NOT NULL AND json_extract(line, '/Item/day/NULL') IS NULL AND TRY_CAST(json_extract_string(line, '/Item/day/S') AS DATE) IS NULL THEN 1 END) AS "day",
  count(CASE WHEN json_extract(line, '/Item/count') IS NOT NULL AND json_extract(line, '/Item/count/NULL') IS NULL AND TRY_CAST(regexp_extract(json_extract_string(line, '/Item/count/N'), '^-?[0-9]+\z') AS DECIMAL(20, 0)) IS NULL THEN 1 END) AS "count"
FROM "shop-request-count"
WHERE json_extract(line, '/Item') IS NOT NULL
  AND json_extract(line, '/Item/$unique') IS NULL;

CREATE OR REPLACE TEMP VIEW "shop-busy-request-count" AS
SELECT json AS line FROM read_json_objects('exports/busy-request-count/AWSDynamoDB/01700000000000-a1b2c3d4/data/*.json.gz', format = 'newline_delimited');

COPY (
SELECT
  json_extract_string(line, '/Item/request_name/S') AS "request_name",
  TRY_CAST(regexp_extract(json_extract_string(line, '/Item/slice/N'), '^-?[0-9]+\z') AS BIGINT) AS "slice",
  TRY_CAST(json_extract_string(line, '/Item/day/S') AS DATE) AS "day",
  TRY_CAST(regexp_extract(json_extract_string(line, '/Item/count/N'), '^-?[0-9]+\z') AS DECIMAL(20, 0)) AS "count"
FROM "shop-busy-request-count"
WHERE json_extract(line, '/Item') IS NOT NULL
  AND json_extract(line, '/Item/$unique') IS NULL
) TO 'parquet/shop-busy-request-count.BusyRequestCount.parquet' (FORMAT parquet);

CREATE OR REPLACE TEMP VIEW "shop-busy-request-count.BusyRequestCount.unread" AS
SELECT
  count(CASE WHEN json_extract(line, '/Item/request_name') IS NOT NULL AND json_extract(line, '/Item/request_name/NULL') IS NULL AND json_extract_string(line, '/Item/request_name/S') IS NULL THEN 1 END) AS "request_name",
  count(CASE WHEN json_extract(line, '/Item/slice') IS NOT NULL AND json_extract(line, '/Item/slice/NULL') IS NULL AND TRY_CAST(regexp_extract(json_extract_string(line, '/Item/slice/N'), '^-?[0-9]+\z') AS BIGINT) IS NULL THEN 1 END) AS "slice",
  count(CASE WHEN json_extract(line, '/Item/day') IS NOT NULL AND json_extract(line, '/Item/day/NULL') IS NULL AND TRY_CAST(json_extract_string(line, '/Item/day/S') AS DATE) IS NULL THEN 1 END) AS "day",
  count(CASE WHEN json_extract(line, '/Item/count') IS NOT NULL AND json_extract(line, '/Item/count/NULL') IS NULL AND TRY_CAST(regexp_extract(json_extract_string(line, '/Item/count/N'), '^-?[0-9]+\z') AS DECIMAL(20, 0)) IS NULL THEN 1 END) AS "count"
FROM "shop-busy-request-count"
WHERE json_extract(line, '/Item') IS NOT NULL
  AND json_extract(line, '/Item/$unique') IS NULL;

CREATE OR REPLACE TEMP VIEW "shop-shop" AS
SELECT json AS line FROM read_json_objects('exports/shop/AWSDynamoDB/01700000000000-a1b2c3d4/data/*.json.gz', format = 'newline_delimited');

COPY (
SELECT
  TRY_CAST(regexp_extract(json_extract_string(line, '/Item/id/N'), '^-?[0-9]+\z') AS BIGINT) AS "id",
  json_extract_string(line, '/Item/kind/S') AS "kind",
  json_extract_string(line, '/Item/country/S') AS "country",
  json_extract_string(line, '/Item/state/S') AS "state",
  json_extract_string(line, '/Item/city/S') AS "city",
  json_extract_string(line, '/Item/name/S') AS "name"
FROM "shop-shop"
WHERE json_extract(line, '/Item') IS NOT NULL
  AND json_extract(line, '/Item/$unique') IS NULL
) TO 'parquet/shop-shop.Shop.parquet' (FORMAT parquet);

CREATE OR REPLACE TEMP VIEW "shop-shop.Shop.unread" AS
SELECT
  count(CASE WHEN json_extract(line, '/Item/id') IS NOT NULL AND json_extract(line, '/Item/id/NULL') IS NULL AND TRY_CAST(regexp_extract(json_extract_string(line, '/Item/id/N'), '^-?[0-9]+\z') AS BIGINT) IS NULL THEN 1 END) AS "id",
  count(CASE WHEN json_extract(line, '/Item/kind') IS NOT NULL AND json_extract(line, '/Item/kind/NULL') IS NULL AND json_extract_string(line, '/Item/kind/S') IS NULL THEN 1 END) AS "kind",
  count(CASE WHEN json_extract(line, '/Item/country') IS NOT NULL AND json_extract(line, '/Item/country/NULL') IS NULL AND json_extract_string(line, '/Item/country/S') IS NULL THEN 1 END) AS "country",
  count(CASE WHEN json_extract(line, '/Item/state') IS NOT NULL AND json_extract(line, '/Item/state/NULL') IS NULL AND json_extract_string(line, '/Item/state/S') IS NULL THEN 1 END) AS "state",
  count(CASE WHEN json_extract(line, '/Item/city') IS NOT NULL AND json_extract(line, '/Item/city/NULL') IS NULL AND json_extract_string(line, '/Item/city/S') IS NULL THEN 1 END) AS "city",
  count(CASE WHEN json_extract(line, '/Item/name') IS NOT NULL AND json_extract(line, '/Item/name/NULL') IS NULL AND json_extract_string(line, '/Item/name/S') IS NULL THEN 1 END) AS "name"
FROM "shop-shop"
WHERE json_extract(line, '/Item') IS NOT NULL
  AND json_extract(line, '/Item/$unique') IS NULL;

CREATE OR REPLACE TEMP VIEW "shop-sharded-order" AS
SELECT json AS line FROM read_json_objects('exports/sharded-order/AWSDynamoDB/01700000000000-a1b2c3d4/data/*.json.gz', format = 'newline_delimited');

COPY (
SELECT
  TRY_CAST(regexp_extract(json_extract_string(line, '/Item/number/N'), '^-?[0-9]+\z') AS BIGINT) AS "number",
  json_extract_string(line, '/Item/status/S') AS "status",
  (TRY_CAST(json_extract_string(line, '/Item/placed_at/S') AS TIMESTAMPTZ) AT TIME ZONE 'UTC') AS "placed_at"
FROM "shop-sharded-order"
WHERE json_extract(line, '/Item') IS NOT NULL
  AND json_extract(line, '/Item/$unique') IS NULL
) TO 'parquet/shop-sharded-order.Order.parquet' (FORMAT parquet);

CREATE OR REPLACE TEMP VIEW "shop-sharded-order.Order.unread" AS
SELECT
  count(CASE WHEN json_extract(line, '/Item/number') IS NOT NULL AND json_extract(line, '/Item/number/NULL') IS NULL AND TRY_CAST(regexp_extract(json_extract_string(line, '/Item/number/N'), '^-?[0-9]+\z') AS BIGINT) IS NULL THEN 1 END) AS "number",
  count(CASE WHEN json_extract(line, '/Item/status') IS NOT NULL AND json_extract(line, '/Item/status/NULL') IS NULL AND json_extract_string(line, '/Item/status/S') IS NULL THEN 1 END) AS "status",
  count(CASE WHEN json_extract(line, '/Item/placed_at') IS NOT NULL AND json_extract(line, '/Item/placed_at/NULL') IS NULL AND (TRY_CAST(json_extract_string(line, '/Item/placed_at/S') AS TIMESTAMPTZ) AT TIME ZONE 'UTC') IS NULL THEN 1 END) AS "placed_at"
FROM "shop-sharded-order"
WHERE json_extract(line, '/Item') IS NOT NULL
  AND json_extract(line, '/Item/$unique') IS NULL;

CREATE OR REPLACE TEMP VIEW "shop-task" AS
SELECT json AS line FROM read_json_objects('exports/task/AWSDynamoDB/01700000000000-a1b2c3d4/data/*.json.gz', format = 'newline_delimited');

COPY (
SELECT
  json_extract_string(line, '/Item/list/S') AS "list",
  json_extract_string(line, '/Item/id/S') AS "id",
  json_extract_string(line, '/Item/title/S') AS "title",
  TRY_CAST(json_extract_string(line, '/Item/done/BOOL') AS BOOLEAN) AS "done",
  TRY_CAST(regexp_extract(json_extract_string(line, '/Item/version/N'), '^-?[0-9]+\z') AS DECIMAL(20, 0)) AS "version",
  (TRY_CAST(json_extract_string(line, '/Item/created_at/S') AS TIMESTAMPTZ) AT TIME ZONE 'UTC') AS "created_at",
  (TRY_CAST(json_extract_string(line, '/Item/updated_at/S') AS TIMESTAMPTZ) AT TIME ZONE 'UTC') AS "updated_at"
FROM "shop-task"
WHERE json_extract(line, '/Item') IS NOT NULL
  AND json_extract(line, '/Item/$unique') IS NULL
) TO 'parquet/shop-task.Task.parquet' (FORMAT parquet);

CREATE OR REPLACE TEMP VIEW "shop-task.Task.unread" AS
SELECT
  count(CASE WHEN json_extract(line, '/Item/list') IS NOT NULL AND json_extract(line, '/Item/list/NULL') IS NULL AND json_extract_string(line, '/Item/list/S') IS NULL THEN 1 END) AS "list",
  count(CASE WHEN json_extract(line, '/Item/id') IS NOT NULL AND json_extract(line, '/Item/id/NULL') IS NULL AND json_extract_string(line, '/Item/id/S') IS NULL THEN 1 END) AS "id",
  count(CASE WHEN json_extract(line, '/Item/title') IS NOT NULL AND json_extract(line, '/Item/title/NULL') IS NULL AND json_extract_string(line, '/Item/title/S') IS NULL THEN 1 END) AS "title",
  count(CASE WHEN json_extract(line, '/Item/done') IS NOT NULL AND json_extract(line, '/Item/done/NULL') IS NULL AND TRY_CAST(json_extract_string(line, '/Item/done/BOOL') AS BOOLEAN) IS NULL THEN 1 END) AS "done",
  count(CASE WHEN json_extract(line, '/Item/version') IS NOT NULL AND json_extract(line, '/Item/version/NULL') IS NULL AND TRY_CAST(regexp_extract(json_extract_string(line, '/Item/version/N'), '^-?[0-9]+\z') AS DECIMAL(20, 0)) IS NULL THEN 1 END) AS "version",
  count(CASE WHEN json_extract(line, '/Item/created_at') IS NOT NULL AND json_extract(line, '/Item/created_at/NULL') IS NULL AND (TRY_CAST(json_extract_string(line, '/Item/created_at/S') AS TIMESTAMPTZ) AT TIME ZONE 'UTC') IS NULL THEN 1 END) AS "created_at",
  count(CASE WHEN json_extract(line, '/Item/updated_at') IS NOT NULL AND json_extract(line, '/Item/updated_at/NULL') IS NULL AND (TRY_CAST(json_extract_string(line, '/Item/updated_at/S') AS TIMESTAMPTZ) AT TIME ZONE 'UTC') IS NULL THEN 1 END) AS "updated_at"
FROM "shop-task"
WHERE json_extract(line, '/Item') IS NOT NULL
  AND json_extract(line, '/Item/$unique') IS NULL;
