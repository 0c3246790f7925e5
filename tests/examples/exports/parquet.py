"""Runs a script of `export duckdb` on lines of exports, and prints the rows of the Parquet files, and those of the views of
Athena in FOLDER/views.json.

    python parquet.py FOLDER            # runs FOLDER/script.sql on the files FOLDER/*.jsonl, in the layout of AWS
    python parquet.py FOLDER athena     # parses FOLDER/statements.json in the dialect of Athena
"""

import base64
import datetime
import decimal
import gzip
import json
import pathlib
import sys


def pack(folder):
    """Two files and an empty one for each table, as DynamoDB writes at least one for each partition."""
    for file in sorted(folder.glob("*.jsonl")):
        data = folder / file.stem / "AWSDynamoDB" / "01700000000000-a1b2c3d4" / "data"
        data.mkdir(parents=True)
        lines = file.read_bytes().splitlines(keepends=True)
        half = len(lines) // 2
        for name, part in [("aaaa", lines[:half]), ("bbbb", lines[half:]), ("cccc", [])]:
            with gzip.open(data / f"{name}.json.gz", "wb") as out:
                out.write(b"".join(part))


def plain(value):
    match value:
        case None | bool() | str():
            return value
        case int() | decimal.Decimal():
            return str(value)
        case float():
            return repr(value)
        case datetime.datetime():
            return value.isoformat(timespec="microseconds")
        case datetime.date():
            return value.isoformat()
        case bytes():
            return base64.b64encode(value).decode()
        case list():
            return [plain(element) for element in value]
        case dict():
            return {key: plain(element) for key, element in value.items()}
    raise TypeError(type(value))


def run(folder):
    import duckdb

    pack(folder)
    connection = duckdb.connect()
    connection.execute((folder / "script.sql").read_text())
    found = {}
    for file in sorted(folder.glob("*.parquet")):
        source = str(file).replace("'", "''")
        # The types as the file has them, beside the rows.
        rows = connection.execute(f"SELECT * FROM read_parquet('{source}')")
        columns = [(column[0], str(column[1])) for column in rows.description]
        values = [[plain(value) for value in row] for row in rows.fetchall()]
        numbers = [name for name, ty in columns if ty in ("BIGINT", "NUMBER") or ty.startswith("DECIMAL")]
        quoted = ['sum("' + name.replace('"', '""') + '")' for name in numbers]
        sums = connection.execute(f"SELECT {', '.join(['count(*)', *quoted])} FROM read_parquet('{source}')").fetchone()
        found[file.name.removesuffix(".parquet")] = {
            "types": dict(columns),
            "rows": [dict(zip([name for name, _ in columns], row)) for row in values],
            "count": sums[0],
            "sums": {name: plain(value) for name, value in zip(numbers, sums[1:])},
        }
    views = folder / "views.json"
    if views.exists():
        for view in json.loads(views.read_text()):
            found[view["name"]]["view"] = rows_of_view(connection, folder, view)
    return found


def rows_of_view(connection, folder, view):
    """The rows of a view of Athena, translated into the SQL of DuckDB."""
    import sqlglot

    files = str(folder / view["table"] / "AWSDynamoDB/*/data/*.json.gz").replace("'", "''")
    source = f"SELECT CAST(json AS VARCHAR) AS line FROM read_json_objects('{files}', format = 'newline_delimited')"
    connection.execute(f'CREATE OR REPLACE TEMP VIEW "{view["lines"]}" AS {source}')
    query = view["statement"][view["statement"].index("SELECT") :]
    rows = connection.execute(sqlglot.transpile(query, read="trino", write="duckdb")[0])
    names = [column[0] for column in rows.description]
    return [dict(zip(names, map(plain, row))) for row in rows.fetchall()]


def parse(folder):
    import sqlglot

    kinds = []
    for statement in json.loads((folder / "statements.json").read_text()):
        parsed = sqlglot.parse(statement, dialect="athena", error_level=sqlglot.ErrorLevel.RAISE)
        kinds.append([type(one).__name__ + ":" + str(one.args.get("kind")) for one in parsed])
    return kinds


folder = pathlib.Path(sys.argv[1])
print(json.dumps(parse(folder) if sys.argv[2:] == ["athena"] else run(folder)))
