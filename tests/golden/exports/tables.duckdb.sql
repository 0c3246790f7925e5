CREATE OR REPLACE TEMP VIEW "shop-access-token" AS
SELECT json AS line FROM read_json_objects('exports/access-token/AWSDynamoDB/01700000000000-a1b2c3d4/data/*.json.gz', format = 'newline_delimited');

COPY (
SELECT
  json_extract_string(line, '/Item/service/S') AS "service",
  json_extract_string(line, '/Item/token/S') AS "token",
  make_timestamp(CAST(CAST(json_extract_string(line, '/Item/expires_at/N') AS DECIMAL(28, 9)) * 1000000 AS BIGINT)) AS "expires_at"
FROM "shop-access-token"
WHERE json_extract(line, '/Item') IS NOT NULL
  AND json_extract(line, '/Item/$unique') IS NULL
) TO 'parquet/shop-access-token.AccessToken.parquet' (FORMAT parquet);

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
  CAST(json_extract_string(line, '/Item/points/N') AS BIGINT) AS "points"
FROM "shop-app-user"
WHERE json_extract(line, '/Item') IS NOT NULL
  AND json_extract(line, '/Item/$unique') IS NULL
  AND (json_extract_string(line, '/Item/_type/S') = 'Rewards'
    OR (json_extract(line, '/Item/_type') IS NULL AND regexp_matches(json_extract_string(line, '/Item/record/S'), '^REWARDS\z')))
) TO 'parquet/shop-app-user.Rewards.parquet' (FORMAT parquet);

COPY (
SELECT
  json_extract_string(line, '/Item/user_id/S') AS "user_id",
  (CAST(json_extract_string(line, '/Item/at/S') AS TIMESTAMPTZ) AT TIME ZONE 'UTC') AS "at",
  json_extract_string(line, '/Item/device/S') AS "device"
FROM "shop-app-user"
WHERE json_extract(line, '/Item') IS NOT NULL
  AND json_extract(line, '/Item/$unique') IS NULL
  AND (json_extract_string(line, '/Item/_type/S') = 'HandOver'
    OR (json_extract(line, '/Item/_type') IS NULL AND regexp_matches(json_extract_string(line, '/Item/record/S'), '^HAND_OVER\#[^\#]{30}\z')))
) TO 'parquet/shop-app-user.HandOver.parquet' (FORMAT parquet);

CREATE OR REPLACE TEMP VIEW "shop-blog" AS
SELECT json AS line FROM read_json_objects('exports/blog/AWSDynamoDB/01700000000000-a1b2c3d4/data/*.json.gz', format = 'newline_delimited');

COPY (
SELECT
  json_extract_string(line, '/Item/author/S') AS "author",
  json_extract_string(line, '/Item/id/S') AS "id",
  (CAST(json_extract_string(line, '/Item/written_at/S') AS TIMESTAMPTZ) AT TIME ZONE 'UTC') AS "written_at",
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
  (CAST(json_extract_string(line, '/Item/written_at/S') AS TIMESTAMPTZ) AT TIME ZONE 'UTC') AS "written_at",
  json_extract_string(line, '/Item/by/S') AS "by",
  json_extract_string(line, '/Item/text/S') AS "text"
FROM "shop-blog"
WHERE json_extract(line, '/Item') IS NOT NULL
  AND json_extract(line, '/Item/$unique') IS NULL
  AND (json_extract_string(line, '/Item/_type/S') = 'Comment'
    OR (json_extract(line, '/Item/_type') IS NULL AND regexp_matches(json_extract_string(line, '/Item/pk/S'), '^POST\#[^\#]*\z') AND regexp_matches(json_extract_string(line, '/Item/sk/S'), '^[^\#]{30}\#[^\#]*\z')))
) TO 'parquet/shop-blog.Comment.parquet' (FORMAT parquet);

CREATE OR REPLACE TEMP VIEW "shop-accounts" AS
SELECT json AS line FROM read_json_objects('exports/accounts/AWSDynamoDB/01700000000000-a1b2c3d4/data/*.json.gz', format = 'newline_delimited');

COPY (
SELECT
  json_extract_string(line, '/Item/branch/S') AS "branch",
  CAST(json_extract_string(line, '/Item/number/N') AS BIGINT) AS "number",
  CAST(json_extract_string(line, '/Item/cents/N') AS BIGINT) AS "cents",
  CAST(json_extract_string(line, '/Item/is_closed/BOOL') AS BOOLEAN) AS "is_closed",
  CAST(json_extract_string(line, '/Item/version/N') AS DECIMAL(20, 0)) AS "version"
FROM "shop-accounts"
WHERE json_extract(line, '/Item') IS NOT NULL
  AND json_extract(line, '/Item/$unique') IS NULL
) TO 'parquet/shop-accounts.Account.parquet' (FORMAT parquet);

CREATE OR REPLACE TEMP VIEW "shop-contact" AS
SELECT json AS line FROM read_json_objects('exports/contact/AWSDynamoDB/01700000000000-a1b2c3d4/data/*.json.gz', format = 'newline_delimited');

COPY (
SELECT
  json_extract_string(line, '/Item/book/S') AS "book",
  json_extract_string(line, '/Item/handle/S') AS "handle",
  json_extract_string(line, '/Item/name/S') AS "name",
  json_extract_string(line, '/Item/email/S') AS "email",
  CAST(json_extract(line, '/Item/tags/SS') AS VARCHAR[]) AS "tags",
  CAST(json_extract_string(line, '/Item/version/N') AS DECIMAL(20, 0)) AS "version",
  (CAST(json_extract_string(line, '/Item/created_at/S') AS TIMESTAMPTZ) AT TIME ZONE 'UTC') AS "created_at",
  (CAST(json_extract_string(line, '/Item/updated_at/S') AS TIMESTAMPTZ) AT TIME ZONE 'UTC') AS "updated_at"
FROM "shop-contact"
WHERE json_extract(line, '/Item') IS NOT NULL
  AND json_extract(line, '/Item/$unique') IS NULL
) TO 'parquet/shop-contact.Contact.parquet' (FORMAT parquet);

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
  CAST(json_extract_string(line, '/Item/away/BOOL') AS BOOLEAN) AS "away"
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
  CAST(json_extract_string(line, '/Item/ticket/N') AS DECIMAL(20, 0)) AS "ticket",
  json_extract_string(line, '/Item/subject/S') AS "subject",
  json_extract_string(line, '/Item/customer/S') AS "customer",
  json_extract_string(line, '/Item/status/S') AS "status",
  CAST(json_extract_string(line, '/Item/priority/N') AS BIGINT) AS "priority",
  json_extract_string(line, '/Item/assignee/S') AS "assignee",
  (CAST(json_extract_string(line, '/Item/due/S') AS TIMESTAMPTZ) AT TIME ZONE 'UTC') AS "due",
  CAST(json_extract_string(line, '/Item/comments/N') AS BIGINT) AS "comments",
  CAST(json_extract_string(line, '/Item/merged_into/N') AS DECIMAL(20, 0)) AS "merged_into",
  CAST(json_extract_string(line, '/Item/version/N') AS DECIMAL(20, 0)) AS "version",
  (CAST(json_extract_string(line, '/Item/updated_at/S') AS TIMESTAMPTZ) AT TIME ZONE 'UTC') AS "updated_at"
FROM "shop-help-desk"
WHERE json_extract(line, '/Item') IS NOT NULL
  AND json_extract(line, '/Item/$unique') IS NULL
  AND (json_extract_string(line, '/Item/_type/S') = 'Ticket'
    OR (json_extract(line, '/Item/_type') IS NULL AND regexp_matches(json_extract_string(line, '/Item/pk/S'), '^TICKET\#[^\#]*\#[^\#]{20}\z') AND regexp_matches(json_extract_string(line, '/Item/sk/S'), '^INFO\z')))
) TO 'parquet/shop-help-desk.Ticket.parquet' (FORMAT parquet);

COPY (
SELECT
  json_extract_string(line, '/Item/tenant/S') AS "tenant",
  CAST(json_extract_string(line, '/Item/ticket/N') AS DECIMAL(20, 0)) AS "ticket",
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
  CAST(json_extract_string(line, '/Item/ticket/N') AS DECIMAL(20, 0)) AS "ticket",
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
  CAST(json_extract_string(line, '/Item/ticket/N') AS DECIMAL(20, 0)) AS "ticket",
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
  CAST(json_extract_string(line, '/Item/last/N') AS DECIMAL(20, 0)) AS "last"
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
  CAST(json_extract_string(line, '/Item/tickets/N') AS BIGINT) AS "tickets"
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
  make_timestamp(CAST(CAST(json_extract_string(line, '/Item/until/N') AS DECIMAL(28, 9)) * 1000000 AS BIGINT)) AS "until"
FROM "shop-help-desk"
WHERE json_extract(line, '/Item') IS NOT NULL
  AND json_extract(line, '/Item/$unique') IS NULL
  AND (json_extract_string(line, '/Item/_type/S') = 'Session'
    OR (json_extract(line, '/Item/_type') IS NULL AND regexp_matches(json_extract_string(line, '/Item/pk/S'), '^SESSION\#[^\#]*\z') AND regexp_matches(json_extract_string(line, '/Item/sk/S'), '^INFO\z')))
) TO 'parquet/shop-help-desk.Session.parquet' (FORMAT parquet);

CREATE OR REPLACE TEMP VIEW "shop-measurement" AS
SELECT json AS line FROM read_json_objects('exports/measurement/AWSDynamoDB/01700000000000-a1b2c3d4/data/*.json.gz', format = 'newline_delimited');

COPY (
SELECT
  json_extract_string(line, '/Item/meter/S') AS "meter",
  (CAST(json_extract_string(line, '/Item/at/S') AS TIMESTAMPTZ) AT TIME ZONE 'UTC') AS "at",
  CAST(json_extract_string(line, '/Item/litres/N') AS BIGINT) AS "litres"
FROM "shop-measurement"
WHERE json_extract(line, '/Item') IS NOT NULL
  AND json_extract(line, '/Item/$unique') IS NULL
) TO 'parquet/shop-measurement.Measurement.parquet' (FORMAT parquet);

CREATE OR REPLACE TEMP VIEW "shop-meter-status" AS
SELECT json AS line FROM read_json_objects('exports/meter-status/AWSDynamoDB/01700000000000-a1b2c3d4/data/*.json.gz', format = 'newline_delimited');

COPY (
SELECT
  json_extract_string(line, '/Item/meter/S') AS "meter",
  json_extract_string(line, '/Item/battery/S') AS "battery",
  (CAST(json_extract_string(line, '/Item/seen_at/S') AS TIMESTAMPTZ) AT TIME ZONE 'UTC') AS "seen_at"
FROM "shop-meter-status"
WHERE json_extract(line, '/Item') IS NOT NULL
  AND json_extract(line, '/Item/$unique') IS NULL
) TO 'parquet/shop-meter-status.MeterStatus.parquet' (FORMAT parquet);

CREATE OR REPLACE TEMP VIEW "shop-meter-configuration" AS
SELECT json AS line FROM read_json_objects('exports/meter-configuration/AWSDynamoDB/01700000000000-a1b2c3d4/data/*.json.gz', format = 'newline_delimited');

COPY (
SELECT
  json_extract_string(line, '/Item/meter/S') AS "meter",
  CAST(json_extract_string(line, '/Item/revision/N') AS BIGINT) AS "revision",
  CAST(json_extract_string(line, '/Item/interval_minutes/N') AS BIGINT) AS "interval_minutes"
FROM "shop-meter-configuration"
WHERE json_extract(line, '/Item') IS NOT NULL
  AND json_extract(line, '/Item/$unique') IS NULL
) TO 'parquet/shop-meter-configuration.Configuration.parquet' (FORMAT parquet);

CREATE OR REPLACE TEMP VIEW "shop-readings" AS
SELECT json AS line FROM read_json_objects('exports/readings/AWSDynamoDB/01700000000000-a1b2c3d4/data/*.json.gz', format = 'newline_delimited');

COPY (
SELECT
  CAST(json_extract_string(line, '/Item/meter/N') AS DECIMAL(20, 0)) AS "meter",
  CAST(json_extract_string(line, '/Item/number/N') AS DECIMAL(20, 0)) AS "number",
  CAST(json_extract_string(line, '/Item/watts/N') AS BIGINT) AS "watts",
  json_extract_string(line, '/Item/note/S') AS "note"
FROM "shop-readings"
WHERE json_extract(line, '/Item') IS NOT NULL
  AND json_extract(line, '/Item/$unique') IS NULL
) TO 'parquet/shop-readings.Reading.parquet' (FORMAT parquet);

CREATE OR REPLACE TEMP VIEW "shop-message" AS
SELECT json AS line FROM read_json_objects('exports/message/AWSDynamoDB/01700000000000-a1b2c3d4/data/*.json.gz', format = 'newline_delimited');

COPY (
SELECT
  json_extract_string(line, '/Item/id/S') AS "id",
  json_extract_string(line, '/Item/text/S') AS "text",
  CAST(json_extract_string(line, '/Item/chunks/N') AS BIGINT) AS "chunks",
  CASE WHEN json_extract(line, '/Item/next/NULL') IS NULL THEN json_extract(line, '/Item/next') END AS "next",
  CAST(json_extract_string(line, '/Item/version/N') AS DECIMAL(20, 0)) AS "version"
FROM "shop-message"
WHERE json_extract(line, '/Item') IS NOT NULL
  AND json_extract(line, '/Item/$unique') IS NULL
  AND (json_extract_string(line, '/Item/_type/S') = 'Message'
    OR (json_extract(line, '/Item/_type') IS NULL AND regexp_matches(json_extract_string(line, '/Item/pk/S'), '^MESSAGE\#[^\#]*\z') AND regexp_matches(json_extract_string(line, '/Item/sk/S'), '^INFO\z')))
) TO 'parquet/shop-message.Message.parquet' (FORMAT parquet);

COPY (
SELECT
  json_extract_string(line, '/Item/message/S') AS "message",
  CAST(json_extract_string(line, '/Item/number/N') AS BIGINT) AS "number",
  list_transform(CAST(json_extract(line, '/Item/recipients/L') AS JSON[]), lambda e: json_extract_string(e, '/S')) AS "recipients"
FROM "shop-message"
WHERE json_extract(line, '/Item') IS NOT NULL
  AND json_extract(line, '/Item/$unique') IS NULL
  AND (json_extract_string(line, '/Item/_type/S') = 'Chunk'
    OR (json_extract(line, '/Item/_type') IS NULL AND regexp_matches(json_extract_string(line, '/Item/pk/S'), '^MESSAGE\#[^\#]*\z') AND regexp_matches(json_extract_string(line, '/Item/sk/S'), '^CHUNK\#[^\#]{10}\z')))
) TO 'parquet/shop-message.Chunk.parquet' (FORMAT parquet);

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

CREATE OR REPLACE TEMP VIEW "shop-mailbox" AS
SELECT json AS line FROM read_json_objects('exports/mailbox/AWSDynamoDB/01700000000000-a1b2c3d4/data/*.json.gz', format = 'newline_delimited');

COPY (
SELECT
  json_extract_string(line, '/Item/recipient/S') AS "recipient",
  CAST(json_extract_string(line, '/Item/unread/N') AS BIGINT) AS "unread"
FROM "shop-mailbox"
WHERE json_extract(line, '/Item') IS NOT NULL
  AND json_extract(line, '/Item/$unique') IS NULL
) TO 'parquet/shop-mailbox.Mailbox.parquet' (FORMAT parquet);

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
  CAST(json_extract_string(line, '/Item/number/N') AS BIGINT) AS "number",
  json_extract_string(line, '/Item/status/S') AS "status",
  CAST(json_extract_string(line, '/Item/cents/N') AS DECIMAL(20, 0)) AS "cents"
FROM "shop-mail-shop"
WHERE json_extract(line, '/Item') IS NOT NULL
  AND json_extract(line, '/Item/$unique') IS NULL
  AND (json_extract_string(line, '/Item/_type/S') = 'Order'
    OR (json_extract(line, '/Item/_type') IS NULL AND regexp_matches(json_extract_string(line, '/Item/pk/S'), '^BUYER\#[^\#]*\z') AND regexp_matches(json_extract_string(line, '/Item/sk/S'), '^ORDER\#[^\#]{6}\z')))
) TO 'parquet/shop-mail-shop.Order.parquet' (FORMAT parquet);

COPY (
SELECT
  json_extract_string(line, '/Item/buyer/S') AS "buyer",
  CAST(json_extract_string(line, '/Item/number/N') AS BIGINT) AS "number"
FROM "shop-mail-shop"
WHERE json_extract(line, '/Item') IS NOT NULL
  AND json_extract(line, '/Item/$unique') IS NULL
  AND (json_extract_string(line, '/Item/_type/S') = 'Reward'
    OR (json_extract(line, '/Item/_type') IS NULL AND regexp_matches(json_extract_string(line, '/Item/pk/S'), '^BUYER\#[^\#]*\z') AND regexp_matches(json_extract_string(line, '/Item/sk/S'), '^REWARD\#[^\#]{6}\z')))
) TO 'parquet/shop-mail-shop.Reward.parquet' (FORMAT parquet);

CREATE OR REPLACE TEMP VIEW "shop-mail-sales" AS
SELECT json AS line FROM read_json_objects('exports/mail-sales/AWSDynamoDB/01700000000000-a1b2c3d4/data/*.json.gz', format = 'newline_delimited');

COPY (
SELECT
  json_extract_string(line, '/Item/buyer/S') AS "buyer",
  CAST(json_extract_string(line, '/Item/cents/N') AS DECIMAL(20, 0)) AS "cents"
FROM "shop-mail-sales"
WHERE json_extract(line, '/Item') IS NOT NULL
  AND json_extract(line, '/Item/$unique') IS NULL
) TO 'parquet/shop-mail-sales.Sales.parquet' (FORMAT parquet);

CREATE OR REPLACE TEMP VIEW "shop-stream-leases" AS
SELECT json AS line FROM read_json_objects('exports/stream-leases/AWSDynamoDB/01700000000000-a1b2c3d4/data/*.json.gz', format = 'newline_delimited');

COPY (
SELECT
  json_extract_string(line, '/Item/group/S') AS "group",
  json_extract_string(line, '/Item/stream/S') AS "stream",
  CAST(json_extract_string(line, '/Item/start_at/N') AS BIGINT) AS "start_at",
  json_extract_string(line, '/Item/owner/S') AS "owner",
  CAST(json_extract_string(line, '/Item/epoch/N') AS DECIMAL(20, 0)) AS "epoch",
  CAST(json_extract_string(line, '/Item/renewals/N') AS DECIMAL(20, 0)) AS "renewals",
  CAST(json_extract_string(line, '/Item/lease_millis/N') AS DECIMAL(20, 0)) AS "lease_millis",
  CAST(json_extract_string(line, '/Item/surveyed_at/N') AS BIGINT) AS "surveyed_at",
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
  CAST(json_extract_string(line, '/Item/unread_since/N') AS BIGINT) AS "unread_since",
  json_extract_string(line, '/Item/owner/S') AS "owner",
  CAST(json_extract_string(line, '/Item/epoch/N') AS DECIMAL(20, 0)) AS "epoch",
  CAST(json_extract_string(line, '/Item/renewals/N') AS DECIMAL(20, 0)) AS "renewals",
  CAST(json_extract_string(line, '/Item/lease_millis/N') AS DECIMAL(20, 0)) AS "lease_millis",
  json_extract_string(line, '/Item/requested_by/S') AS "requested_by",
  json_extract_string(line, '/Item/place/S') AS "place",
  CAST(json_extract_string(line, '/Item/place_at/N') AS BIGINT) AS "place_at",
  CAST(json_extract_string(line, '/Item/is_finished/BOOL') AS BOOLEAN) AS "is_finished",
  CAST(json_extract_string(line, '/Item/is_initial/BOOL') AS BOOLEAN) AS "is_initial"
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
  (CAST(json_extract_string(line, '/Item/parked_at/S') AS TIMESTAMPTZ) AT TIME ZONE 'UTC') AS "parked_at",
  json_extract_string(line, '/Item/stored_by/S') AS "stored_by",
  CAST(json_extract_string(line, '/Item/parts/N') AS BIGINT) AS "parts",
  make_timestamp(CAST(CAST(json_extract_string(line, '/Item/expires_at/N') AS DECIMAL(28, 9)) * 1000000 AS BIGINT)) AS "expires_at"
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
  CAST(json_extract_string(line, '/Item/number/N') AS BIGINT) AS "number",
  from_base64(json_extract_string(line, '/Item/json/B')) AS "json"
FROM "shop-parked-changes"
WHERE json_extract(line, '/Item') IS NOT NULL
  AND json_extract(line, '/Item/$unique') IS NULL
  AND (json_extract_string(line, '/Item/_type/S') = 'ParkedPart'
    OR (json_extract(line, '/Item/_type') IS NULL AND regexp_matches(json_extract_string(line, '/Item/pk/S'), '^CONSUMER\#[^\#]*\z') AND regexp_matches(json_extract_string(line, '/Item/sk/S'), '^PART\#[^\#]*\#[^\#]*\#[^\#]{6}\z')))
) TO 'parquet/shop-parked-changes.ParkedPart.parquet' (FORMAT parquet);

CREATE OR REPLACE TEMP VIEW "shop-once-effects" AS
SELECT json AS line FROM read_json_objects('exports/once-effects/AWSDynamoDB/01700000000000-a1b2c3d4/data/*.json.gz', format = 'newline_delimited');

COPY (
SELECT
  json_extract_string(line, '/Item/id/S') AS "id",
  json_extract_string(line, '/Item/owner/S') AS "owner",
  (CAST(json_extract_string(line, '/Item/since/S') AS TIMESTAMPTZ) AT TIME ZONE 'UTC') AS "since",
  (CAST(json_extract_string(line, '/Item/until/S') AS TIMESTAMPTZ) AT TIME ZONE 'UTC') AS "until",
  CAST(json_extract_string(line, '/Item/is_done/BOOL') AS BOOLEAN) AS "is_done",
  CASE WHEN json_extract(line, '/Item/result/NULL') IS NULL THEN json_extract(line, '/Item/result') END AS "result",
  make_timestamp(CAST(CAST(json_extract_string(line, '/Item/expires_at/N') AS DECIMAL(28, 9)) * 1000000 AS BIGINT)) AS "expires_at",
  CAST(json_extract_string(line, '/Item/version/N') AS DECIMAL(20, 0)) AS "version"
FROM "shop-once-effects"
WHERE json_extract(line, '/Item') IS NOT NULL
  AND json_extract(line, '/Item/$unique') IS NULL
) TO 'parquet/shop-once-effects.OnceEffect.parquet' (FORMAT parquet);

CREATE OR REPLACE TEMP VIEW "shop-order" AS
SELECT json AS line FROM read_json_objects('exports/order/AWSDynamoDB/01700000000000-a1b2c3d4/data/*.json.gz', format = 'newline_delimited');

COPY (
SELECT
  CAST(json_extract_string(line, '/Item/number/N') AS BIGINT) AS "number",
  json_extract_string(line, '/Item/customer/S') AS "customer",
  (CAST(json_extract_string(line, '/Item/placed_at/S') AS TIMESTAMPTZ) AT TIME ZONE 'UTC') AS "placed_at",
  json_extract_string(line, '/Item/status/S') AS "status",
  CAST(json_extract_string(line, '/Item/total/N') AS BIGINT) AS "total",
  json_extract_string(line, '/Item/address/S') AS "address"
FROM "shop-order"
WHERE json_extract(line, '/Item') IS NOT NULL
  AND json_extract(line, '/Item/$unique') IS NULL
) TO 'parquet/shop-order.Order.parquet' (FORMAT parquet);

CREATE OR REPLACE TEMP VIEW "shop-employee" AS
SELECT json AS line FROM read_json_objects('exports/employee/AWSDynamoDB/01700000000000-a1b2c3d4/data/*.json.gz', format = 'newline_delimited');

COPY (
SELECT
  json_extract_string(line, '/Item/company/S') AS "company",
  CAST(json_extract_string(line, '/Item/number/N') AS BIGINT) AS "number",
  json_extract_string(line, '/Item/name/S') AS "name",
  json_extract_string(line, '/Item/hobby/S') AS "hobby"
FROM "shop-employee"
WHERE json_extract(line, '/Item') IS NOT NULL
  AND json_extract(line, '/Item/$unique') IS NULL
) TO 'parquet/shop-employee.Employee.parquet' (FORMAT parquet);

CREATE OR REPLACE TEMP VIEW "shop-large-company" AS
SELECT json AS line FROM read_json_objects('exports/large-company/AWSDynamoDB/01700000000000-a1b2c3d4/data/*.json.gz', format = 'newline_delimited');

COPY (
SELECT
  json_extract_string(line, '/Item/company/S') AS "company",
  CAST(json_extract_string(line, '/Item/number/N') AS BIGINT) AS "number",
  json_extract_string(line, '/Item/name/S') AS "name",
  json_extract_string(line, '/Item/hobby/S') AS "hobby"
FROM "shop-large-company"
WHERE json_extract(line, '/Item') IS NOT NULL
  AND json_extract(line, '/Item/$unique') IS NULL
) TO 'parquet/shop-large-company.EmployeeOfMany.parquet' (FORMAT parquet);

CREATE OR REPLACE TEMP VIEW "shop-request-count" AS
SELECT json AS line FROM read_json_objects('exports/request-count/AWSDynamoDB/01700000000000-a1b2c3d4/data/*.json.gz', format = 'newline_delimited');

COPY (
SELECT
  json_extract_string(line, '/Item/request_name/S') AS "request_name",
  CAST(json_extract_string(line, '/Item/day/S') AS DATE) AS "day",
  CAST(json_extract_string(line, '/Item/count/N') AS DECIMAL(20, 0)) AS "count"
FROM "shop-request-count"
WHERE json_extract(line, '/Item') IS NOT NULL
  AND json_extract(line, '/Item/$unique') IS NULL
) TO 'parquet/shop-request-count.RequestCount.parquet' (FORMAT parquet);

CREATE OR REPLACE TEMP VIEW "shop-busy-request-count" AS
SELECT json AS line FROM read_json_objects('exports/busy-request-count/AWSDynamoDB/01700000000000-a1b2c3d4/data/*.json.gz', format = 'newline_delimited');

COPY (
SELECT
  json_extract_string(line, '/Item/request_name/S') AS "request_name",
  CAST(json_extract_string(line, '/Item/slice/N') AS BIGINT) AS "slice",
  CAST(json_extract_string(line, '/Item/day/S') AS DATE) AS "day",
  CAST(json_extract_string(line, '/Item/count/N') AS DECIMAL(20, 0)) AS "count"
FROM "shop-busy-request-count"
WHERE json_extract(line, '/Item') IS NOT NULL
  AND json_extract(line, '/Item/$unique') IS NULL
) TO 'parquet/shop-busy-request-count.BusyRequestCount.parquet' (FORMAT parquet);

CREATE OR REPLACE TEMP VIEW "shop-shop" AS
SELECT json AS line FROM read_json_objects('exports/shop/AWSDynamoDB/01700000000000-a1b2c3d4/data/*.json.gz', format = 'newline_delimited');

COPY (
SELECT
  CAST(json_extract_string(line, '/Item/id/N') AS BIGINT) AS "id",
  json_extract_string(line, '/Item/kind/S') AS "kind",
  json_extract_string(line, '/Item/country/S') AS "country",
  json_extract_string(line, '/Item/state/S') AS "state",
  json_extract_string(line, '/Item/city/S') AS "city",
  json_extract_string(line, '/Item/name/S') AS "name"
FROM "shop-shop"
WHERE json_extract(line, '/Item') IS NOT NULL
  AND json_extract(line, '/Item/$unique') IS NULL
) TO 'parquet/shop-shop.Shop.parquet' (FORMAT parquet);

CREATE OR REPLACE TEMP VIEW "shop-sharded-order" AS
SELECT json AS line FROM read_json_objects('exports/sharded-order/AWSDynamoDB/01700000000000-a1b2c3d4/data/*.json.gz', format = 'newline_delimited');

COPY (
SELECT
  CAST(json_extract_string(line, '/Item/number/N') AS BIGINT) AS "number",
  json_extract_string(line, '/Item/status/S') AS "status",
  (CAST(json_extract_string(line, '/Item/placed_at/S') AS TIMESTAMPTZ) AT TIME ZONE 'UTC') AS "placed_at"
FROM "shop-sharded-order"
WHERE json_extract(line, '/Item') IS NOT NULL
  AND json_extract(line, '/Item/$unique') IS NULL
) TO 'parquet/shop-sharded-order.Order.parquet' (FORMAT parquet);

CREATE OR REPLACE TEMP VIEW "shop-task" AS
SELECT json AS line FROM read_json_objects('exports/task/AWSDynamoDB/01700000000000-a1b2c3d4/data/*.json.gz', format = 'newline_delimited');

COPY (
SELECT
  json_extract_string(line, '/Item/list/S') AS "list",
  json_extract_string(line, '/Item/id/S') AS "id",
  json_extract_string(line, '/Item/title/S') AS "title",
  CAST(json_extract_string(line, '/Item/done/BOOL') AS BOOLEAN) AS "done",
  CAST(json_extract_string(line, '/Item/version/N') AS DECIMAL(20, 0)) AS "version",
  (CAST(json_extract_string(line, '/Item/created_at/S') AS TIMESTAMPTZ) AT TIME ZONE 'UTC') AS "created_at",
  (CAST(json_extract_string(line, '/Item/updated_at/S') AS TIMESTAMPTZ) AT TIME ZONE 'UTC') AS "updated_at"
FROM "shop-task"
WHERE json_extract(line, '/Item') IS NOT NULL
  AND json_extract(line, '/Item/$unique') IS NULL
) TO 'parquet/shop-task.Task.parquet' (FORMAT parquet);
