// Writes tables by ElectroDB, OneTable, DynamoDB-Toolbox and the DocumentClient, as `cli/tests/commands/adopt.rs` plants them.
// The argument is the folder of the packages.
import { createRequire } from "node:module";

const require = createRequire(`${process.argv[2]}/`);
const { CreateTableCommand, DynamoDBClient } = require("@aws-sdk/client-dynamodb");
const { DynamoDBDocumentClient, PutCommand } = require("@aws-sdk/lib-dynamodb");
const electro = require("electrodb");
const oneTable = require("dynamodb-onetable");
const { Dynamo } = require("dynamodb-onetable/Dynamo");
const toolbox = require("dynamodb-toolbox");

const client = new DynamoDBClient({});
const documents = DynamoDBDocumentClient.from(client);

async function createTable(name, pk, sk, indexes = []) {
    const names = [pk, sk, ...indexes.flatMap((index) => [index.pk, index.sk])].filter(Boolean);
    const schema = (pk, sk) => [
        { AttributeName: pk, KeyType: "HASH" },
        ...(sk ? [{ AttributeName: sk, KeyType: "RANGE" }] : []),
    ];
    await client.send(new CreateTableCommand({
        TableName: name,
        BillingMode: "PAY_PER_REQUEST",
        AttributeDefinitions: names.map((name) => ({ AttributeName: name, AttributeType: "S" })),
        KeySchema: schema(pk, sk),
        ...(indexes.length ? {
            GlobalSecondaryIndexes: indexes.map((index) => ({
                IndexName: index.name,
                KeySchema: schema(index.pk, index.sk),
                Projection: index.keep ? { ProjectionType: "INCLUDE", NonKeyAttributes: index.keep } : { ProjectionType: "ALL" },
            })),
        } : {}),
    }));
}

async function electrodb() {
    const gsi = { name: "gsi1pk-gsi1sk-index", pk: "gsi1pk", sk: "gsi1sk" };
    await createTable("electrodb", "pk", "sk", [gsi]);
    const settings = { client: documents, table: "electrodb" };
    const key = (field, composite) => ({ field, composite });
    const order = new electro.Entity({
        model: { entity: "order", version: "1", service: "shop" },
        attributes: {
            customer: { type: "string", required: true },
            number: { type: "number", required: true, padding: { length: 6, char: "0" } },
            status: { type: "string", required: true },
            createdAt: { type: "string", required: true },
            total: { type: "number" },
            paid: { type: "boolean" },
            note: { type: "string" },
            lines: {
                type: "list",
                items: {
                    type: "map",
                    properties: { sku: { type: "string" }, count: { type: "number" }, gift: { type: "boolean" } },
                },
            },
        },
        indexes: {
            ofCustomer: { pk: key("pk", ["customer"]), sk: key("sk", ["number"]) },
            byStatus: { index: gsi.name, pk: key("gsi1pk", ["status"]), sk: key("gsi1sk", ["createdAt", "number"]) },
        },
    }, settings);
    const customer = (service, version) => new electro.Entity({
        model: { entity: "customer", version, service },
        attributes: {
            customer: { type: "string", required: true },
            mail: { type: "string" },
            createdAt: { type: "number" },
        },
        indexes: { customers: { pk: key("pk", ["customer"]), sk: key("sk", []) } },
    }, settings);
    for (const row of [
        { customer: "Ann", number: 7, status: "open", createdAt: "2026-03-01T12:00:00.000Z", total: 1250, paid: false, lines: [{ sku: "A1", count: 2 }, { sku: "B2", count: 1, gift: true }] },
        { customer: "Ann", number: 8, status: "paid", createdAt: "2026-03-02T08:30:00.120Z", total: 9900, paid: true, note: "gift", lines: [] },
        { customer: "bob#x", number: 7, status: "open", createdAt: "2026-03-03T00:00:00.000Z", total: 100, paid: false, lines: [{ sku: "C3", count: 1 }] },
    ]) {
        await order.put(row).go();
    }
    await customer("shop", "1").put({ customer: "Ann", mail: "Ann@x.org", createdAt: 1772366400123 }).go();
    await customer("shop", "1").put({ customer: "bob#x", mail: "bob@x.org", createdAt: 1772366400456 }).go();
    await customer("stock", "2").put({ customer: "eve" }).go();
}

async function oneTables() {
    await createTable("one_table", "pk", "sk", [{ name: "gs1", pk: "gs1pk", sk: "gs1sk" }]);
    const table = new oneTable.Table({
        client: new Dynamo({ client }),
        name: "one_table",
        schema: {
            format: "onetable:1.1.0",
            version: "0.0.1",
            indexes: { primary: { hash: "pk", sort: "sk" }, gs1: { hash: "gs1pk", sort: "gs1sk" } },
            models: {
                Account: {
                    pk: { type: String, value: "account#${id}" },
                    sk: { type: String, value: "account#" },
                    id: { type: String, required: true },
                    name: { type: String, required: true },
                    balance: { type: Number },
                },
                User: {
                    pk: { type: String, value: "account#${accountId}" },
                    sk: { type: String, value: "user#${name}" },
                    gs1pk: { type: String, value: "email#${email}" },
                    gs1sk: { type: String, value: "user#" },
                    accountId: { type: String, required: true },
                    name: { type: String, required: true },
                    email: { type: String, unique: true },
                    joined: { type: Date },
                    role: { type: String },
                },
            },
            params: { isoDates: true, timestamps: true },
        },
        partial: true,
    });
    const [accounts, users] = [table.getModel("Account"), table.getModel("User")];
    await accounts.create({ id: "acme", name: "Acme Ltd", balance: 12.5 });
    await accounts.create({ id: "blue", name: "Blue", balance: 7 });
    await users.create({ accountId: "acme", name: "Ann Lee", email: "ann@x.org", joined: new Date("2026-03-01T12:00:00Z"), role: "admin" });
    await users.create({ accountId: "acme", name: "Bob" });
    await users.create({ accountId: "blue", name: "Cid", email: "cid@y.org", role: "user" });
}

async function toolboxes() {
    await createTable("toolbox", "pk", "sk");
    const { Entity, Table, PutItemCommand, anyOf, item, list, map, nul, number, string } = toolbox;
    const table = new Table({
        name: "toolbox",
        partitionKey: { name: "pk", type: "string" },
        sortKey: { name: "sk", type: "string" },
        documentClient: documents,
    });
    const timestamps = true;
    const Order = new Entity({
        name: "Order", table, timestamps,
        schema: item({
            customer: string().key(),
            number: number().key(),
            total: number(),
            coupon: anyOf(nul(), string()),
            tags: list(anyOf(nul(), string())),
        }),
        computeKey: ({ customer, number }) => ({ pk: customer, sk: `ORDER#${number}` }),
    });
    const Profile = new Entity({
        name: "Profile", table, timestamps,
        schema: item({
            customer: string().key(),
            type: string(),
            address: map({ street: string(), zip: string(), floor: number().optional() }),
        }),
        computeKey: ({ customer }) => ({ pk: customer, sk: "PROFILE" }),
    });
    const put = (entity, row) => entity.build(PutItemCommand).item(row).send();
    await put(Order, { customer: "ann#lee", number: 7, total: 1250, coupon: null, tags: ["a", null] });
    await put(Order, { customer: "bob", number: 12, total: 80, coupon: "SPRING", tags: [] });
    await put(Profile, { customer: "bob", type: "gold", address: { street: "Main 1", zip: "0150" } });
    await put(Profile, { customer: "ann#lee", type: "silver", address: { street: "Side 2", zip: "5003", floor: 3 } });
}

async function documentClient() {
    await createTable("document_client", "pk", "sk", [{ name: "by-day", pk: "day", keep: ["self"] }]);
    for (const row of [
        { pk: "VISIT#home", sk: "1772366400123#g1", at: 1772366400123, guest: "g1", self: true, day: "2026-03-01", Guest: "G1", größe: 1, "a b": "x", 0: 0, extra: { k1: 1 } },
        { pk: "VISIT#shop", sk: "1772366400456#g2", at: 1772366400456, guest: "g2", self: false, Guest: "G2", größe: 2, "a b": "y", 0: 1, extra: [1] },
        { pk: "VISIT#home", sk: "1772366400789#g3", at: 1772366400789, guest: "g3", self: false, day: "2026-03-02", Guest: "G3", größe: 3, "a b": "z", 0: -1 },
    ]) {
        await documents.send(new PutCommand({ TableName: "document_client", Item: row }));
    }
}

await electrodb();
await oneTables();
await toolboxes();
await documentClient();
