"""Writes tables by PynamoDB and boto3, as `cli/tests/commands/adopt.rs` plants them:

    python adopted.py TABLE write

With `go-on` instead, it reads what `tests/examples/foreign_libraries.rs` then wrote to the table, and changes it.
"""

import os
import sys
from datetime import datetime, timezone
from decimal import Decimal

import boto3
from pynamodb.attributes import (
    BinaryAttribute,
    NumberAttribute,
    UnicodeAttribute,
    UnicodeSetAttribute,
    UTCDateTimeAttribute,
    VersionAttribute,
)
from pynamodb.models import Model


class Pynamo(Model):
    class Meta:
        table_name = "pynamo"
        host = os.environ["AWS_ENDPOINT_URL_DYNAMODB"]
        region = os.environ.get("AWS_REGION", "us-east-1")
        billing_mode = "PAY_PER_REQUEST"

    customer = UnicodeAttribute(hash_key=True)
    number = NumberAttribute(range_key=True)
    placed_at = UTCDateTimeAttribute()
    note = UnicodeAttribute(null=True)
    tags = UnicodeSetAttribute(null=True)
    photo = BinaryAttribute(null=True, legacy_encoding=False)
    total = NumberAttribute()
    version = VersionAttribute()


def write_pynamo():
    Pynamo.create_table(wait=True)
    at = lambda *parts: datetime(2026, 3, *parts, tzinfo=timezone.utc)
    Pynamo("ann", 7, placed_at=at(1, 12), tags={"new", "red"}, photo=b"\0\1\2", total=12.25).save()
    order = Pynamo("ann", 8, placed_at=at(2, 12, 30, 0, 120000), note="gift", total=5)
    for _ in range(3):
        order.save()
    Pynamo("bob", 1, placed_at=at(2, 12, 30, 0, 1), tags={"red"}, total=0.1).save()


def go_on_with_pynamo():
    rows = {(row.customer, int(row.number)): row for row in Pynamo.scan()}
    assert sorted(rows) == [("ann", 7), ("ann", 8), ("bob", 1), ("cid", 5)], rows
    ann = rows["ann", 7]
    assert (ann.note, ann.tags, ann.photo, ann.total, ann.version) == ("seen 7", {"new", "red"}, b"\0\1\2", 12.25, 2), ann
    assert ann.placed_at == datetime(2026, 3, 1, 12, tzinfo=timezone.utc), ann
    assert rows["ann", 8].version == 4
    cid = rows["cid", 5]
    assert cid.placed_at == datetime(2026, 3, 5, 0, 0, 0, 7, tzinfo=timezone.utc), cid
    cid.update(actions=[Pynamo.note.set("late")])
    rows["bob", 1].delete()


def write_boto():
    client = boto3.client("dynamodb")
    key = lambda pk, sk: [{"AttributeName": pk, "KeyType": "HASH"}, {"AttributeName": sk, "KeyType": "RANGE"}]
    client.create_table(
        TableName="boto3-app",
        BillingMode="PAY_PER_REQUEST",
        AttributeDefinitions=[{"AttributeName": name, "AttributeType": "S"} for name in ("PK", "SK", "GSI1PK", "GSI1SK")],
        KeySchema=key("PK", "SK"),
        GlobalSecondaryIndexes=[
            {"IndexName": "GSI1", "KeySchema": key("GSI1PK", "GSI1SK"), "Projection": {"ProjectionType": "KEYS_ONLY"}}
        ],
    )
    client.update_time_to_live(
        TableName="boto3-app", TimeToLiveSpecification={"Enabled": True, "AttributeName": "expires"}
    )
    table = boto3.resource("dynamodb").Table("boto3-app")
    noon = datetime(2026, 3, 1, 12, tzinfo=timezone.utc)
    half = noon.replace(microsecond=500000)
    second = datetime(2026, 3, 2, 12, 0, 0, 250000, tzinfo=timezone.utc)
    profile = lambda user, **more: table.put_item(
        Item={"PK": f"USER#{user}", "SK": "PROFILE", "email": f"{user}@x.org", **more}
    )
    profile("ann", scores={1, 2, 30}, settings={"theme": "dark", "mail": True}, joined=noon.isoformat())
    profile("bob", settings={"theme": "light", "mail": False}, joined=half.isoformat())

    def order(user, number, status, placed, **more):
        at = placed.isoformat()
        keys = {"PK": f"USER#{user}", "SK": f"ORDER#{at}#{number}", "GSI1PK": f"STATUS#{status}", "GSI1SK": number}
        table.put_item(Item={**keys, "orderId": number, "status": status, "placed": at, **more})

    rate = Decimal("0.1234567890123456789")
    order("ann", "o1", "open", noon, price=Decimal("12.5"), rate=rate, expires=1772366400)
    order("bob", "o2", "paid", second, price=3, rate=7)
    table.put_item(Item={"PK": "USER#bob", "SK": "SESSION#s-9", "ip": "::1", "expires": 1772366400})
    table.put_item(Item={"PK": "USER#ann", "SK": "SESSION#s-7", "ip": "10.0.0.1", "expires": 1772366500})


def go_on_with_boto():
    table = boto3.resource("dynamodb").Table("boto3-app")
    rows = {(row["PK"], row["SK"]): row for row in table.scan()["Items"]}
    assert len(rows) == 6, rows
    order = rows["USER#ann", "ORDER#2026-03-01T12:00:00+00:00#o1"]
    assert order["placed"] == "2026-03-01T12:00:00+00:00", order
    assert (order["price"], order["expires"]) == (Decimal("12.5"), 1772366400), order
    assert order["rate"] == Decimal("0.1234567890123456789"), order
    assert (order["GSI1PK"], order["GSI1SK"]) == ("STATUS#open", "o1"), order
    ann = rows["USER#ann", "PROFILE"]
    assert (ann["email"], ann["scores"]) == ("ANN@X.ORG", {1, 2, 30}), ann
    assert ann["settings"] == {"theme": "dark", "mail": True}, ann
    assert "scores" not in rows["USER#bob", "PROFILE"], rows
    cid = {"PK": "USER#cid", "SK": "ORDER#2026-03-05T00:00:00+00:00#o3"}
    assert rows[tuple(cid.values())]["price"] == Decimal("1.5"), rows
    table.update_item(
        Key=cid,
        UpdateExpression="SET #s = :s, GSI1PK = :k, price = price + :one",
        ExpressionAttributeNames={"#s": "status"},
        ExpressionAttributeValues={":s": "sent", ":k": "STATUS#sent", ":one": 1},
    )
    table.delete_item(Key={"PK": "USER#ann", "SK": "PROFILE"})


steps = {
    "pynamo": {"write": write_pynamo, "go-on": go_on_with_pynamo},
    "boto3-app": {"write": write_boto, "go-on": go_on_with_boto},
}
_, table, step = sys.argv
steps[table][step]()
