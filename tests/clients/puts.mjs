// Checks the tables of `docs/coming_from.md` about the writes of ElectroDB, OneTable, DynamoDB-Toolbox and the DocumentClient:
//
//     node puts.mjs FOLDER
//
// FOLDER has the packages. Each check stores an item with attributes of another program, has the library write or read it, and
// compares the rest. It works on the table `puts`, which it creates.
import { deepEqual, equal, rejects } from "node:assert/strict";
import { createRequire } from "node:module";

const require = createRequire(`${process.argv[2]}/`);
const { CreateTableCommand, DeleteItemCommand, DynamoDBClient, GetItemCommand, PutItemCommand } = require("@aws-sdk/client-dynamodb");
const { DynamoDBDocumentClient, GetCommand, PutCommand, UpdateCommand } = require("@aws-sdk/lib-dynamodb");
const electro = require("electrodb");
const oneTable = require("dynamodb-onetable");
const { Dynamo } = require("dynamodb-onetable/Dynamo");
const toolbox = require("dynamodb-toolbox");

const client = new DynamoDBClient({});
const documents = DynamoDBDocumentClient.from(client);
const TableName = "puts";
await client.send(new CreateTableCommand({
    TableName,
    BillingMode: "PAY_PER_REQUEST",
    AttributeDefinitions: ["pk", "sk"].map((AttributeName) => ({ AttributeName, AttributeType: "S" })),
    KeySchema: [{ AttributeName: "pk", KeyType: "HASH" }, { AttributeName: "sk", KeyType: "RANGE" }],
}));

// Attributes that no model has, and a map with a member that no model has.
const theirs = { version: { N: "3" }, theirs: { S: "x" } };
const place = { M: { street: { S: "a" }, floor: { N: "3" } } };

// A library with the item that it writes itself.
function checks(library, item) {
    const Key = { pk: item.pk, sk: item.sk };
    const plant = (changes) => client.send(new PutItemCommand({ TableName, Item: { ...item, place, ...theirs, ...changes } }));
    const stored = async () => (await client.send(new GetItemCommand({ TableName, Key, ConsistentRead: true }))).Item;
    const after = async (name, write) => {
        await plant({});
        await write();
        const row = await stored();
        return [`${library}: ${name}`, "version" in row, "theirs" in row, "floor" in (row.place?.M ?? {})];
    };
    return {
        plant,
        keeps: async (name, write) => deepEqual(await after(name, write), [`${library}: ${name}`, true, true, true]),
        keepsAllButMembers: async (name, write) => deepEqual(await after(name, write), [`${library}: ${name}`, true, true, false]),
        drops: async (name, write) => deepEqual(await after(name, write), [`${library}: ${name}`, false, false, false]),
        needsNone: async (name, write) => {
            await plant({});
            await rejects(write, `${library}: ${name} overwrites`);
            deepEqual((await stored()).theirs, theirs.theirs);
        },
        needsOne: async (name, write) => {
            await client.send(new DeleteItemCommand({ TableName, Key }));
            await rejects(write, `${library}: ${name} creates`);
        },
        // The whole item, for one number with more digits than a float has.
        cannotRead: async (read) => {
            await plant({ theirs: { N: "9007199254740993.5" } });
            await rejects(read, /BigInt/);
            await plant({ theirs: { N: "0.1234567890123456789" } });
            await read();
        },
    };
}

async function electroKeeps() {
    const part = (field, composite) => ({ field, composite });
    const orders = new electro.Entity({
        model: { entity: "order", version: "1", service: "shop" },
        attributes: {
            id: { type: "string", required: true },
            total: { type: "number" },
            note: { type: "string" },
            place: { type: "map", properties: { street: { type: "string" } } },
        },
        indexes: { byId: { pk: part("pk", ["id"]), sk: part("sk", []) } },
    }, { client: documents, table: TableName });
    const row = { pk: { S: "$shop#id_a" }, sk: { S: "$order_1" }, id: { S: "a" }, __edb_e__: { S: "order" }, __edb_v__: { S: "1" } };
    const { plant, keeps, keepsAllButMembers, drops, needsNone, needsOne, cannotRead } = checks("ElectroDB", row);
    const id = "a";
    const get = async () => (await orders.get({ id }).go()).data;
    await drops("put", () => orders.put({ id, total: 1 }).go());
    await drops("put of what it read", async () => orders.put(await get()).go());
    await keeps("upsert", () => orders.upsert({ id, total: 1 }).go());
    await keeps("update", () => orders.update({ id }).set({ total: 1 }).go());
    await keeps("patch of a member", () => orders.patch({ id }).data((a, { set }) => set(a.place.street, "b")).go());
    await keepsAllButMembers("patch of a map", () => orders.patch({ id }).set({ place: { street: "b" } }).go());
    await needsNone("create", () => orders.create({ id }).go());
    await needsOne("patch", () => orders.patch({ id }).set({ total: 1 }).go());
    await needsOne("remove", () => orders.remove({ id }).go());
    await cannotRead(get);
    for (const marks of [{ __edb_e__: { S: "other" } }, { __edb_v__: { S: "2" } }, { __edb_e__: { NULL: true } }]) {
        await plant(marks);
        equal(await get(), null);
    }
    await plant({ note: { NULL: true } });
    await rejects(async () => orders.put(await get()).go(), /note/);
}

async function oneTableKeeps() {
    const table = new oneTable.Table({
        client: new Dynamo({ client }),
        name: TableName,
        partial: false,
        schema: {
            format: "onetable:1.1.0",
            version: "0.0.1",
            indexes: { primary: { hash: "pk", sort: "sk" } },
            models: {
                Order: {
                    pk: { type: String, value: "order#${id}" },
                    sk: { type: String, value: "order#" },
                    id: { type: String, required: true },
                    total: { type: Number },
                    place: { type: Object, schema: { street: { type: String } } },
                },
                Person: {
                    pk: { type: String, value: "person#${id}" },
                    sk: { type: String, value: "person#" },
                    id: { type: String, required: true },
                    mail: { type: String, unique: true },
                },
            },
        },
    });
    const orders = table.getModel("Order");
    const row = { pk: { S: "order#a" }, sk: { S: "order#" }, id: { S: "a" } };
    const { plant, keeps, keepsAllButMembers, drops, needsNone, needsOne, cannotRead } = checks("OneTable", row);
    const id = "a";
    await drops("create with exists: null", () => orders.create({ id, total: 1 }, { exists: null }));
    await drops("create in a batch", async () => {
        const batch = {};
        await orders.create({ id, total: 1 }, { batch });
        await table.batchWrite(batch);
    });
    await keeps("update", () => orders.update({ id, total: 1 }));
    await keeps("upsert", () => orders.upsert({ id, total: 1 }));
    await keepsAllButMembers("update of a map", () => orders.update({ id, place: { street: "b" } }));
    await needsNone("create", () => orders.create({ id }));
    await needsOne("update", () => orders.update({ id, total: 1 }));
    await cannotRead(() => orders.get({ id }));
    await plant({});
    equal((await orders.get({ id })).id, id); // without `_type`
    equal((await orders.scan()).length, 0);

    // A value that the item of another program has already.
    const people = table.getModel("Person");
    const mail = "a@x.org";
    const person = { pk: { S: "person#a" }, sk: { S: "person#" }, id: { S: "a" }, mail: { S: mail }, _type: { S: "Person" } };
    await client.send(new PutItemCommand({ TableName, Item: person }));
    equal((await people.create({ id: "b", mail })).mail, mail);
    await rejects(people.create({ id: "c", mail }));
}

async function toolboxKeeps() {
    const { Entity, GetItemCommand, PutItemCommand, QueryCommand, Table, UpdateAttributesCommand, UpdateItemCommand } = toolbox;
    const { anyOf, item, map, nul, number, string } = toolbox;
    const table = new Table({
        name: TableName,
        partitionKey: { name: "pk", type: "string" },
        sortKey: { name: "sk", type: "string" },
        documentClient: documents,
    });
    const orders = new Entity({
        name: "Order",
        table,
        schema: item({
            id: string().key(),
            total: number().optional(),
            note: string().optional(),
            coupon: anyOf(nul(), string()),
            place: map({ street: string() }).optional(),
        }),
        computeKey: ({ id }) => ({ pk: id, sk: "ORDER" }),
    });
    const past = { S: "2026-03-01T12:00:00.000Z" };
    const row = { pk: { S: "a" }, sk: { S: "ORDER" }, id: { S: "a" }, coupon: { NULL: true }, _et: { S: "Order" }, _ct: past, _md: past };
    const { plant, keeps, keepsAllButMembers, drops, cannotRead } = checks("DynamoDB-Toolbox", row);
    const id = "a";
    const send = (command, values) => orders.build(command).item({ id, ...values }).send();
    const get = async () => (await orders.build(GetItemCommand).key({ id }).send()).Item;
    await drops("PutItemCommand", () => send(PutItemCommand, { coupon: null }));
    equal((await get()).created === past.S, false);
    await keeps("UpdateItemCommand", () => send(UpdateItemCommand, { total: 1, place: { street: "b" } }));
    await keepsAllButMembers("UpdateAttributesCommand", () => send(UpdateAttributesCommand, { place: { street: "b" } }));
    await keepsAllButMembers("$set", () => send(UpdateItemCommand, { place: toolbox.$set({ street: "b" }) }));
    await cannotRead(get);
    for (const missing of ["_ct", "_md", "coupon"]) {
        await plant({ [missing]: undefined });
        await rejects(get, new RegExp(`'${missing}'`));
    }
    await plant({ note: { NULL: true } });
    await rejects(get, /'note'/);
    await plant({ total: { N: "9007199254740993" } });
    await rejects(get, /'total'/);
    await plant({ _et: undefined });
    equal((await get()).id, id);
    const query = table.build(QueryCommand).query({ partition: id });
    equal((await query.entities(orders).send()).Items.length, 0);
}

async function documentsKeep() {
    const Key = { pk: "a", sk: "b" };
    const { keeps, drops, cannotRead } = checks("DocumentClient", { pk: { S: "a" }, sk: { S: "b" } });
    const get = async () => (await documents.send(new GetCommand({ TableName, Key }))).Item;
    const put = (values) => documents.send(new PutCommand({ TableName, Item: { ...Key, ...values } }));
    await drops("PutCommand", () => put({ total: 1 }));
    await keeps("PutCommand of what it read", async () => put(await get()));
    await keeps("UpdateCommand", () => documents.send(new UpdateCommand({
        TableName,
        Key,
        UpdateExpression: "SET paid = :one",
        ExpressionAttributeValues: { ":one": 1 },
    })));
    await cannotRead(get);
    await put({ missing: undefined, empty: null });
    deepEqual(await get(), { ...Key, empty: null });
    await rejects(put({ map: { missing: undefined } }), /removeUndefinedValues/);
    await rejects(put({ set: new Set() }), /convertEmptyValues/);
}

await electroKeeps();
await oneTableKeeps();
await toolboxKeeps();
await documentsKeep();
