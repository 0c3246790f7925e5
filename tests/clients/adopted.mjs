// Writes tables by ElectroDB, OneTable, DynamoDB-Toolbox and the DocumentClient, as `cli/tests/commands/adopt.rs` plants them:
//
//     node adopted.mjs FOLDER TABLE write
//
// With `go-on` instead, it reads what `tests/examples/foreign_libraries.rs` then wrote to the table, and changes it. FOLDER has
// the packages.
import { deepEqual, equal, rejects } from "node:assert/strict";
import { createRequire } from "node:module";

const require = createRequire(`${process.argv[2]}/`);
const { CreateTableCommand, DynamoDBClient } = require("@aws-sdk/client-dynamodb");
const { DynamoDBDocumentClient, DeleteCommand, GetCommand, PutCommand, QueryCommand } = require("@aws-sdk/lib-dynamodb");
const electro = require("electrodb");
const oneTable = require("dynamodb-onetable");
const { Dynamo } = require("dynamodb-onetable/Dynamo");
const toolbox = require("dynamodb-toolbox");

const client = new DynamoDBClient({});
const documents = DynamoDBDocumentClient.from(client);

async function createTable(name, pk, sk, indexes = [], numbers = []) {
    const names = [pk, sk, ...indexes.flatMap((index) => [index.pk, index.sk])].filter(Boolean);
    const schema = (pk, sk) => [
        { AttributeName: pk, KeyType: "HASH" },
        ...(sk ? [{ AttributeName: sk, KeyType: "RANGE" }] : []),
    ];
    await client.send(new CreateTableCommand({
        TableName: name,
        BillingMode: "PAY_PER_REQUEST",
        AttributeDefinitions: names.map((name) => ({ AttributeName: name, AttributeType: numbers.includes(name) ? "N" : "S" })),
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

const byStatus = { name: "gsi1pk-gsi1sk-index", pk: "gsi1pk", sk: "gsi1sk" };

function electroModels() {
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
            byStatus: { index: byStatus.name, pk: key("gsi1pk", ["status"]), sk: key("gsi1sk", ["createdAt", "number"]) },
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
    const stocked = new electro.Entity({
        model: { entity: "order", version: "1", service: "stock" },
        attributes: {
            customer: { type: "string", required: true },
            number: { type: "number", required: true, padding: { length: 6, char: "0" } },
            total: { type: "number" },
        },
        indexes: { orders: { pk: key("pk", ["customer"]), sk: key("sk", ["number"]) } },
    }, settings);
    return { order, customer, stocked };
}

async function writeElectro() {
    await createTable("electrodb", "pk", "sk", [byStatus]);
    const { order, customer, stocked } = electroModels();
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
    await stocked.put({ customer: "Eve", number: 1, total: 5 }).go();
}

async function goOnWithElectro() {
    const { order, customer, stocked } = electroModels();
    const of = async (status) => (await order.query.byStatus({ status }).go()).data;
    const open = await of("open");
    deepEqual(open.map(({ customer, number }) => [customer, number]), [["Ann", 7], ["Cid", 9]]);
    deepEqual(open[0], {
        customer: "Ann", number: 7, status: "open", createdAt: "2026-03-01T12:00:00.000Z", total: 1250, paid: false,
        note: "seen 7", lines: [{ sku: "A1", count: 2 }, { sku: "B2", count: 1, gift: true }],
    });
    deepEqual((await of("paid")).map(({ customer, paid, note }) => [customer, paid, note]), [["bob#x", true, "seen 7"]]);
    deepEqual((await order.query.ofCustomer({ customer: "Ann" }).go()).data.map(({ number }) => number), [7]);
    const ann = await customer("shop", "1").get({ customer: "Ann" }).go();
    deepEqual(ann.data, { customer: "Ann", mail: "Ann@x.org", createdAt: 1772366400123 });
    equal((await customer("stock", "2").get({ customer: "eve" }).go()).data.customer, "eve");
    equal((await order.scan.go()).data.length, 3);
    equal((await stocked.get({ customer: "Eve", number: 1 }).go()).data.total, 6);

    await order.patch({ customer: "Cid", number: 9 }).set({ status: "shipped", total: 5 }).go();
    await order.create({ customer: "Ann", number: 8, status: "open", createdAt: "2026-03-02T08:30:00.120Z", total: 1, paid: false, lines: [] }).go();
    await order.remove({ customer: "Ann", number: 7 }).go();
}

function oneTableModels() {
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
        warn: false,
    });
    return [table.getModel("Account"), table.getModel("User")];
}

async function writeOneTable() {
    await createTable("one_table", "pk", "sk", [{ name: "gs1", pk: "gs1pk", sk: "gs1sk" }]);
    const [accounts, users] = oneTableModels();
    await accounts.create({ id: "acme", name: "Acme Ltd", balance: 12.5 });
    await accounts.create({ id: "blue", name: "Blue", balance: 7 });
    await users.create({ accountId: "acme", name: "Ann Lee", email: "ann@x.org", joined: new Date("2026-03-01T12:00:00Z"), role: "admin" });
    await users.create({ accountId: "acme", name: "Bob" });
    await users.create({ accountId: "blue", name: "Cid", email: "cid@y.org", role: "user" });
}

async function goOnWithOneTable() {
    const [accounts, users] = oneTableModels();
    const [ann] = await users.find({ email: "ann@x.org" }, { index: "gs1", follow: true });
    deepEqual([ann.name, ann.role, ann.joined.toISOString()], ["Ann Lee", "admin seen", "2026-03-01T12:00:00.000Z"]);
    equal((await users.get({ accountId: "acme", name: "Bob" })).role, " seen");
    equal((await accounts.get({ id: "blue" })).balance, 7.5);
    const dan = await users.get({ accountId: "blue", name: "Dan" });
    equal(dan.joined.toISOString(), "2026-03-05T00:00:00.000Z");
    equal((await users.scan()).length, 4);
    // Neither program accepts a value that the other one has stored.
    for (const email of ["ann@x.org", "dan@z.org"]) {
        await rejects(users.create({ accountId: "blue", name: "Eve", email }), { code: "UniqueError" });
        await rejects(users.update({ accountId: "acme", name: "Bob", email }, { return: "none" }), { code: "UniqueError" });
    }
    await users.update({ accountId: "blue", name: "Dan", email: "new@z.org" }, { return: "none" });
    await users.create({ accountId: "acme", name: "Fay", email: "dan@z.org" });
    await users.remove({ accountId: "blue", name: "Cid" });

    await users.update({ accountId: "blue", name: "Dan", role: "guest" });
    await users.update({ accountId: "acme", name: "Ann Lee", role: "owner" });
    await users.remove({ accountId: "acme", name: "Bob" });
}

function toolboxEntities() {
    const { Entity, Table, anyOf, item, list, map, nul, number, string } = toolbox;
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
    return { Order, Profile };
}

async function writeToolbox() {
    await createTable("toolbox", "pk", "sk");
    const { Order, Profile } = toolboxEntities();
    const put = (entity, row) => entity.build(toolbox.PutItemCommand).item(row).send();
    await put(Order, { customer: "ann#lee", number: 7, total: 1250, coupon: null, tags: ["a", null] });
    await put(Order, { customer: "bob", number: 12, total: 80, coupon: "SPRING", tags: [] });
    await put(Profile, { customer: "bob", type: "gold", address: { street: "Main 1", zip: "0150" } });
    await put(Profile, { customer: "ann#lee", type: "silver", address: { street: "Side 2", zip: "5003", floor: 3 } });
}

async function goOnWithToolbox() {
    const { Order, Profile } = toolboxEntities();
    const get = async (entity, key) => {
        const { Item: { created, modified, ...row } } = await entity.build(toolbox.GetItemCommand).key(key).send();
        return row;
    };
    const ann = { customer: "ann#lee", number: 7 };
    deepEqual(await get(Order, ann), { ...ann, total: 1251, coupon: null, tags: ["a", null] });
    const cid = { customer: "cid", number: 1 };
    deepEqual(await get(Order, cid), { ...cid, total: 5, coupon: null, tags: [null, "b"] });
    deepEqual(await get(Profile, { customer: "bob" }), {
        customer: "bob", type: "gold", address: { street: "Main 1", zip: "0150" },
    });

    await Order.build(toolbox.UpdateItemCommand).item({ ...cid, total: 6, coupon: "LATE" }).send();
    await Order.build(toolbox.DeleteItemCommand).key({ customer: "bob", number: 12 }).send();
}

async function writeDocuments() {
    await createTable("document_client", "pk", "sk", [{ name: "by-day", pk: "day", keep: ["self"] }]);
    for (const row of [
        { pk: "VISIT#home", sk: "1772366400123#g1", at: 1772366400123, guest: "g1", self: true, day: "2026-03-01", Guest: "G1", größe: 1, "a b": "x", 0: 0, extra: { k1: 1 } },
        { pk: "VISIT#shop", sk: "1772366400456#g2", at: 1772366400456, guest: "g2", self: false, Guest: "G2", größe: 2, "a b": "y", 0: 1, extra: [1] },
        { pk: "VISIT#home", sk: "1772366400789#g3", at: 1772366400789, guest: "g3", self: false, day: "2026-03-02", Guest: "G3", größe: 3, "a b": "z", 0: -1 },
    ]) {
        await documents.send(new PutCommand({ TableName: "document_client", Item: row }));
    }
}

async function goOnWithDocuments() {
    const TableName = "document_client";
    const key = { pk: "VISIT#home", sk: "1772366400123#g1" };
    const { Item } = await documents.send(new GetCommand({ TableName, Key: key }));
    const row = { ...key, at: 1772366400123, guest: "g1", self: true, day: "2026-03-01", Guest: "G1", größe: 11, "a b": "x", 0: 0, extra: { k1: 1 } };
    deepEqual(Item, row);
    const { Items } = await documents.send(new QueryCommand({
        TableName,
        IndexName: "by-day",
        KeyConditionExpression: "#d = :d",
        ExpressionAttributeNames: { "#d": "day" },
        ExpressionAttributeValues: { ":d": "2026-03-02" },
    }));
    deepEqual(Items, [{ pk: "VISIT#home", sk: "1772366400789#g3", self: false, day: "2026-03-02" }]);

    await documents.send(new PutCommand({ TableName, Item: { ...row, day: "2026-03-09" } }));
    await documents.send(new DeleteCommand({ TableName, Key: { pk: "VISIT#shop", sk: "1772366400456#g2" } }));
}

// Keys of the type Number that repeat an attribute, by two libraries in one index.
function numberModels() {
    const score = new electro.Entity({
        model: { entity: "score", version: "1", service: "games" },
        attributes: { game: { type: "string" }, player: { type: "string" }, score: { type: "number" } },
        indexes: {
            scores: { pk: { field: "pk", composite: ["game"] }, sk: { field: "sk", composite: ["player"] } },
            top: {
                index: "gs1",
                pk: { field: "gs1pk", composite: ["game"] },
                sk: { field: "gs1sk", composite: ["score"], cast: "number" },
            },
        },
    }, { client: documents, table: "numbers" });
    const table = new oneTable.Table({
        client: new Dynamo({ client }),
        name: "numbers",
        schema: {
            format: "onetable:1.1.0",
            version: "0.0.1",
            indexes: { primary: { hash: "pk", sort: "sk" }, gs1: { hash: "gs1pk", sort: "gs1sk" } },
            models: {
                Match: {
                    pk: { type: String, value: "match#${id}" },
                    sk: { type: String, value: "match#" },
                    gs1pk: { type: String, value: "court#${court}" },
                    gs1sk: { type: Number, value: "${start}" },
                    id: { type: String, required: true },
                    court: { type: String, required: true },
                    start: { type: Number },
                },
            },
        },
        partial: false,
    });
    return { score, Match: table.getModel("Match") };
}

async function writeNumbers() {
    await createTable("numbers", "pk", "sk", [{ name: "gs1", pk: "gs1pk", sk: "gs1sk" }], ["gs1sk"]);
    const { score, Match } = numberModels();
    for (const row of [{ player: "Ann", score: 12 }, { player: "Bob", score: -3 }, { player: "Cleo" }]) {
        await score.put({ game: "Chess", ...row }).go();
    }
    for (const row of [{ id: "m1", start: 900.5 }, { id: "m2" }, { id: "m3", start: 30 }]) {
        await Match.create({ court: "a", ...row });
    }
}

async function goOnWithNumbers() {
    const { score, Match } = numberModels();
    const players = async (query) => (await query.go()).data.map(({ player, score }) => [player, score]);
    deepEqual(await players(score.query.top({ game: "Chess" }).gt({ score: 0 })), [["Dora", 5], ["Ann", 12], ["Bob", 17]]);
    // ElectroDB sets only the number, so the text of the partition must have remained.
    await score.update({ game: "Chess", player: "Cleo" }).set({ score: 1 }).go();
    deepEqual(await players(score.query.top({ game: "Chess" }).lt({ score: 5 })), [["Cleo", 1]]);
    await score.update({ game: "Chess", player: "Ann" }).remove(["score"]).go();

    const matches = async () => (await Match.find({ gs1pk: "court#a" }, { index: "gs1" })).map(({ id, start }) => [id, start]);
    deepEqual(await matches(), [["m2", 20], ["m3", 30.25]]);
    await Match.update({ id: "m1", court: "a", start: 25 });
    deepEqual(await matches(), [["m2", 20], ["m1", 25], ["m3", 30.25]]);
}

const steps = {
    electrodb: [writeElectro, goOnWithElectro],
    one_table: [writeOneTable, goOnWithOneTable],
    toolbox: [writeToolbox, goOnWithToolbox],
    document_client: [writeDocuments, goOnWithDocuments],
    numbers: [writeNumbers, goOnWithNumbers],
};
const [table, step] = process.argv.slice(3);
await steps[table][step === "write" ? 0 : 1]();
