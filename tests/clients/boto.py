"""What a program in Python does with a served database: run by `scripts/protocol-clients`."""

import json
import subprocess
import sys
from decimal import Decimal

import boto3
from botocore.config import Config
from botocore.exceptions import ClientError

resource = boto3.resource("dynamodb")
client = boto3.client("dynamodb")


def code_of(call, **arguments):
    try:
        call(**arguments)
    except ClientError as error:
        return error.response["Error"]["Code"]
    return "none"


table = resource.create_table(
    TableName="python",
    KeySchema=[{"AttributeName": "pk", "KeyType": "HASH"}, {"AttributeName": "sk", "KeyType": "RANGE"}],
    AttributeDefinitions=[{"AttributeName": "pk", "AttributeType": "S"}, {"AttributeName": "sk", "AttributeType": "N"}],
    BillingMode="PAY_PER_REQUEST",
    StreamSpecification={"StreamEnabled": True, "StreamViewType": "NEW_AND_OLD_IMAGES"},
)
table.wait_until_exists()
with table.batch_writer() as batch:
    for number in range(60):
        batch.put_item(Item={"pk": "a", "sk": number, "text": "é\u2028" * 10, "sum": Decimal("1.5")})
pages = client.get_paginator("query").paginate(
    TableName="python",
    KeyConditionExpression="pk = :pk",
    ExpressionAttributeValues={":pk": {"S": "a"}},
    PaginationConfig={"PageSize": 7},
)
assert [item["sk"]["N"] for page in pages for item in page["Items"]] == [str(number) for number in range(60)]
put = {"TableName": "python", "Item": {"pk": {"S": "a"}, "sk": {"N": "1"}}, "ConditionExpression": "attribute_not_exists(pk)"}
assert code_of(client.put_item, **put) == "ConditionalCheckFailedException"
assert code_of(client.get_item, TableName="none", Key={"pk": {"S": "a"}}) == "ResourceNotFoundException"
add = [{"Update": {
    "TableName": "python",
    "Key": {"pk": {"S": "a"}, "sk": {"N": "1"}},
    "UpdateExpression": "ADD #s :one",
    "ExpressionAttributeNames": {"#s": "sum"},
    "ExpressionAttributeValues": {":one": {"N": "1"}},
}}]
for _ in range(2):  # the second one has the same token, so it changes nothing
    client.transact_write_items(TransactItems=add, ClientRequestToken="token")
assert table.get_item(Key={"pk": "a", "sk": 1})["Item"]["sum"] == Decimal("2.5")
cancelled = [{"Put": put}]
try:
    client.transact_write_items(TransactItems=cancelled)
    sys.exit("the transaction was not cancelled")
except ClientError as error:
    assert error.response["CancellationReasons"][0]["Code"] == "ConditionalCheckFailed", error.response
rows = client.execute_statement(Statement="SELECT * FROM python WHERE pk = 'a' AND sk < 3")["Items"]
assert len(rows) == 3
large = "x" * 390_000
table.put_item(Item={"pk": "large", "sk": 0, "text": large})
assert table.get_item(Key={"pk": "large", "sk": 0})["Item"]["text"] == large
assert code_of(table.put_item, Item={"pk": "large", "sk": 1, "text": "x" * 20_000_000}) == "RequestEntityTooLargeException"

streams = boto3.client("dynamodbstreams")
[stream] = streams.list_streams(TableName="python")["Streams"]
shards = streams.describe_stream(StreamArn=stream["StreamArn"])["StreamDescription"]["Shards"]
iterator = streams.get_shard_iterator(
    StreamArn=stream["StreamArn"], ShardId=shards[0]["ShardId"], ShardIteratorType="TRIM_HORIZON"
)["ShardIterator"]
records = streams.get_records(ShardIterator=iterator)["Records"]
assert len(records) == 62 and records[0]["eventName"] == "INSERT", len(records)

quick = Config(retries={"total_max_attempts": 1})
assert code_of(boto3.client("dynamodb", aws_secret_access_key="wrong", aws_access_key_id="wrong", config=quick).list_tables) == "UnrecognizedClientException"
wrong = boto3.client("dynamodb", aws_secret_access_key="wrong", aws_access_key_id=client._get_credentials().access_key, config=quick)
assert code_of(wrong.list_tables) == "InvalidSignatureException"
other = boto3.client("dynamodb", region_name="eu-central-1")
assert "python" in other.list_tables()["TableNames"]

# the AWS command line
aws = [sys.argv[1], "dynamodb", "scan", "--table-name", "python", "--select", "COUNT", "--output", "json"]
counted = subprocess.run(aws, check=True, capture_output=True, text=True)
assert json.loads(counted.stdout)["Count"] == 61, counted.stdout
table.delete()
print(f"boto3 {boto3.__version__}: passed")
