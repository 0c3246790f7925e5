"""Checks the tables of `docs/coming_from.md` about the writes of PynamoDB and boto3:

    python puts.py

Each check stores an item with attributes of another program, has the library write or read it, and compares the rest. It works
on the table `puts-python`, which it creates.
"""

import os
from decimal import Decimal

import boto3
from pynamodb.attributes import (
    DiscriminatorAttribute,
    MapAttribute,
    NumberAttribute,
    UnicodeAttribute,
    UnicodeSetAttribute,
    VersionAttribute,
)
from pynamodb.exceptions import DeleteError, PutError, UpdateError
from pynamodb.models import Model

TABLE = "puts-python"
KEY = {"id": {"S": "a"}}
DIGITS = "12345678901234567890.123456789012345678"
client = boto3.client("dynamodb")


class Table:
    table_name = TABLE
    host = os.environ["AWS_ENDPOINT_URL_DYNAMODB"]
    region = os.environ.get("AWS_REGION", "us-east-1")


class Place(MapAttribute):
    street = UnicodeAttribute()


class Order(Model):
    class Meta(Table):
        pass

    id = UnicodeAttribute(hash_key=True)
    total = NumberAttribute(null=True)
    note = UnicodeAttribute(null=True)
    tags = UnicodeSetAttribute(default=set)
    place = Place(null=True)


class Versioned(Model):
    class Meta(Table):
        pass

    id = UnicodeAttribute(hash_key=True)
    total = NumberAttribute(null=True)
    version = VersionAttribute()


class Animal(Model):
    class Meta(Table):
        pass

    id = UnicodeAttribute(hash_key=True)
    cls = DiscriminatorAttribute()


class Cat(Animal, discriminator="Cat"):
    pass


def plant(**changes):
    place = {"M": {"street": {"S": "a"}, "floor": {"N": "3"}}}
    item = {**KEY, "place": place, "theirs": {"S": "x"}, "version": {"N": "3"}, **changes}
    client.put_item(TableName=TABLE, Item={name: value for name, value in item.items() if value})


def stored():
    return client.get_item(TableName=TABLE, Key=KEY, ConsistentRead=True).get("Item")


def kept_by(write, **changes):
    """Whether the attribute outside the model, and the member outside the model of the map, are kept."""
    plant(**changes)
    write()
    row = stored()
    return "theirs" in row, "floor" in row.get("place", {"M": {}})["M"]


def fails_with(error, action):
    try:
        action()
    except error:
        return
    raise AssertionError(f"no {error}")


def order():
    return Order.get("a")


def outdated():
    """An entity that another program changed after it was read."""
    loaded = Versioned.get("a")
    change = {"UpdateExpression": "SET version = :v", "ExpressionAttributeValues": {":v": {"N": "4"}}}
    client.update_item(TableName=TABLE, Key=KEY, **change)
    return loaded


def save_in_batch(item):
    with type(item).batch_write() as batch:
        batch.save(item)


def check_pynamo():
    assert kept_by(lambda: order().save()) == (False, False)
    assert kept_by(lambda: save_in_batch(order())) == (False, False)
    assert kept_by(lambda: order().update(actions=[Order.total.set(1)])) == (True, True)
    assert kept_by(lambda: order().update(actions=[Order.place.street.set("b")])) == (True, True)
    assert kept_by(lambda: order().update(actions=[Order.place.set(Place(street="b"))])) == (True, False)
    kept_by(lambda: order().save(), note={"NULL": True})
    assert "note" not in stored() and "tags" not in stored(), stored()
    kept_by(lambda: order().update(actions=[Order.note.set(None)]))
    assert stored()["note"] == {"NULL": True}, stored()
    kept_by(lambda: order().save(), total={"N": "0.1234567890123456789"})
    assert stored()["total"] == {"N": "0.12345678901234568"}, stored()

    for error, write in [
        (PutError, lambda: outdated().save()),
        (UpdateError, lambda: outdated().update(actions=[Versioned.total.set(1)])),
        (DeleteError, lambda: outdated().delete()),
    ]:
        plant()
        fails_with(error, write)
        assert stored()["version"] == {"N": "4"}, stored()
    plant()
    save_in_batch(outdated())
    assert stored()["version"] == {"N": "3"}, stored()
    plant()
    fails_with(PutError, lambda: Versioned("a").save())
    plant(version=None)
    Versioned("a").save()
    assert stored() == {**KEY, "version": {"N": "1"}}, stored()

    plant()
    assert list(Cat.query("a")) == [] and list(Cat.scan()) == []
    plant(cls={"S": "Cat"})
    assert [type(cat) for cat in Cat.query("a")] == [Cat]


def check_boto():
    table = boto3.resource("dynamodb").Table(TABLE)
    assert kept_by(lambda: table.put_item(Item={"id": "a", "price": 1})) == (False, False)
    change = {"UpdateExpression": "SET price = :p", "ExpressionAttributeValues": {":p": 1}}
    assert kept_by(lambda: table.update_item(Key={"id": "a"}, **change)) == (True, True)

    def put_again():
        table.put_item(Item=table.get_item(Key={"id": "a"})["Item"])

    exact = {"price": {"N": DIGITS}, "empty": {"NULL": True}}
    assert kept_by(put_again, **exact) == (True, True)
    assert Decimal(stored()["price"]["N"]) == Decimal(DIGITS) and stored()["empty"] == {"NULL": True}, stored()


client.create_table(
    TableName=TABLE,
    BillingMode="PAY_PER_REQUEST",
    AttributeDefinitions=[{"AttributeName": "id", "AttributeType": "S"}],
    KeySchema=[{"AttributeName": "id", "KeyType": "HASH"}],
)
check_pynamo()
check_boto()
