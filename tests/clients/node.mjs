// What a program for Node does with a served database: run by `scripts/protocol-clients`.
import assert from "node:assert/strict";
import { createRequire } from "node:module";

// The packages are not below this file.
const require = createRequire(process.argv[2] + "/");
const sdk = require("@aws-sdk/client-dynamodb");
const streams = require("@aws-sdk/client-dynamodb-streams");

const client = new sdk.DynamoDBClient({});
const send = (name, input) => client.send(new sdk[`${name}Command`](input));

await send("CreateTable", {
  TableName: "node",
  KeySchema: [{ AttributeName: "pk", KeyType: "HASH" }],
  AttributeDefinitions: [{ AttributeName: "pk", AttributeType: "S" }],
  BillingMode: "PAY_PER_REQUEST",
  StreamSpecification: { StreamEnabled: true, StreamViewType: "KEYS_ONLY" },
});
await sdk.waitUntilTableExists({ client, maxWaitTime: 60 }, { TableName: "node" });
// many at once, on several connections
const numbers = Array.from({ length: 200 }, (_, number) => number);
await Promise.all(numbers.map((number) => send("PutItem", { TableName: "node", Item: { pk: { S: `${number}` }, text: { S: "é\u2028" } } })));
let count = 0;
for await (const page of sdk.paginateScan({ client, pageSize: 33 }, { TableName: "node" })) count += page.Count;
assert.equal(count, 200);
await assert.rejects(
  send("PutItem", { TableName: "node", Item: { pk: { S: "1" } }, ConditionExpression: "attribute_not_exists(pk)" }),
  sdk.ConditionalCheckFailedException,
);
await send("TransactWriteItems", { TransactItems: [{ Delete: { TableName: "node", Key: { pk: { S: "1" } } } }] });
const item = await send("GetItem", { TableName: "node", Key: { pk: { S: "1" } } });
assert.equal(item.Item, undefined);
assert.match(item.$metadata.requestId, /^embedded-/);

const follower = new streams.DynamoDBStreamsClient({});
const { Streams: [stream] } = await follower.send(new streams.ListStreamsCommand({ TableName: "node" }));
const described = await follower.send(new streams.DescribeStreamCommand({ StreamArn: stream.StreamArn }));
const [shard] = described.StreamDescription.Shards;
const { ShardIterator } = await follower.send(
  new streams.GetShardIteratorCommand({ StreamArn: stream.StreamArn, ShardId: shard.ShardId, ShardIteratorType: "TRIM_HORIZON" }),
);
const { Records } = await follower.send(new streams.GetRecordsCommand({ ShardIterator }));
assert.equal(Records.length, 201);

const credentials = { accessKeyId: process.env.AWS_ACCESS_KEY_ID, secretAccessKey: "wrong" };
const wrong = new sdk.DynamoDBClient({ credentials, maxAttempts: 1 });
await assert.rejects(wrong.send(new sdk.ListTablesCommand({})), { name: "InvalidSignatureException" });
await send("DeleteTable", { TableName: "node" });
console.log(`@aws-sdk/client-dynamodb ${require("@aws-sdk/client-dynamodb/package.json").version}: passed`);
