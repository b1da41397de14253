"""The table of mistakes in programs: the errors raised. ``python -m tests.unit.errors.calls`` writes ``calls.txt``."""

from __future__ import annotations

import contextlib
import io
import os
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from unittest.mock import patch

from .table import prepare, without_folder

TABLE = Path(__file__).with_name("calls.txt")
SEGMENT = "wireloom.read('edgemq_segment', 'events.wal', {})"
SETTINGS = ("AWS_DEFAULT", "AWS_ENDPOINT", "AWS_REGION", "AWS_PROFILE", "S2_")
"""Settings of the environment that would cause other mistakes."""
CALLS = f"""\
wireloom.read('edgemq_segmnet', 'events.wal')
wireloom.read('edgemq_segment', 'missing.wal')
wireloom.read('edgemq_segment', 7)
wireloom.read('edgemq_segment', [])
wireloom.read('edgemq_segment', open('events.wal', encoding='latin-1'))
{SEGMENT.format("colums=['tenant']")}
{SEGMENT.format("begin=100")}
{SEGMENT.format("columns='tenant'")}
{SEGMENT.format("columns=['tennant']")}
{SEGMENT.format("mode='strict'")}
{SEGMENT.format("limit=-1")}
{SEGMENT.format("limit='ten'")}
{SEGMENT.format("max_record=0")}
{SEGMENT.format("recover='yes'")}
{SEGMENT.format("filter='tenant > 1'")}
{SEGMENT.format("filter=field('tennant') > 1")}
{SEGMENT.format("filter=field(1) > 1")}
{SEGMENT.format("filter=field('tenant') > '1'")}
{SEGMENT.format("filesystem='local'")}
{SEGMENT.format("table='frames'")}
wireloom.read('mcap', 'events.wal', table='massages')
wireloom.read('otlp_logs', 'events.wal', framing='varints')
wireloom.read('edgemq_segment', 's3://bucket', profile='nothing')
stored('No credentials are found: ' + 'x' * 900, wireloom.read, 'pcap', S3)
stored(ASKED + 'AWS Error ACCESS_DENIED during HeadObject operation: No response body.', wireloom.read, 'pcap', S3)
stored(ASKED + 'AWS Error NETWORK_CONNECTION during HeadObject operation: ' + CURL, wireloom.read, 'pcap', S3)
stored(ASKED + 'AWS Error UNKNOWN (HTTP status 301) during HeadObject: No response body.', wireloom.read, 'pcap', S3)
stored(ASKED + 'AWS Error UNKNOWN (HTTP status 400) during HeadObject: No response body.', wireloom.read, 'pcap', S3)
wireloom.read('edgemq_segment', 's3:/bucket/key')
wireloom.read('edgemq_segment', 'http:/host/key')
wireloom.read('edgemq_segment', 'damaged.wal', mode='failfast')
wireloom.read('events.wal', 'edgemq_segment')
wireloom.read(wireloom.load_spec('objects.ksy'), b'', columns=['more'])
wireloom.load_spec('missing.ksy')
wireloom.load_spec('edgemq_segment')
wireloom.load_spec('meta: {{id: short}}')
wireloom.load_spec(open('good.ksy').read())
wireloom.load_spec('unknown_type.ksy')
wireloom.load_spec('good.ksy', modules=['codecs'])
wireloom.write('edgemq_segment', [{{'tenant': 1}}], 'out.wal')
wireloom.write('edgemq_segment', [{{'fmt': 0, 'tenant': -1, 'ts_millis': 0, 'payload': b''}}], 'out.wal')
wireloom.write('edgemq_segment', [{{'fmt': 0, 'tenant': 1, 'ts_millis': None, 'payload': b''}}], 'out.wal')
wireloom.write('edgemq_segment', {{'fmt': 0, 'tenant': 1, 'ts_millis': 0, 'payload': b''}}, 'out.wal')
wireloom.write(wireloom.load_spec('good.ksy'), [{{'number': 1}}, {{'number': 1.5}}], 'out.bin')
wireloom.write('edgemq_segment', 7, 'out.wal')
wireloom.write('edgemq_segment', [], 'nowhere/out.wal')
wireloom.write('edgemq_segment', [], 'out.wal', codek='zstd')
wireloom.write('edgemq_segment', [], 'out.wal', codec='zst')
wireloom.write('edgemq_segment', [], 'out.wal', codec='zstd', level=99)
wireloom.write('edgemq_segment', [], 'out.wal', stride=4)
wireloom.append.AppendWriter('out.wal', 'edgemq_segment')
wireloom.append.AppendWriter('s3://bucket/key', 'cobs_log')
wireloom.append.AppendWriter('out.cobs.zst', 'cobs_log')
wireloom.append.AppendWriter('out.cobs', 'cobs_log', sync='sometimes')
wireloom.append.AppendWriter('out.cobs', 'cobs_log', buffr=100)
wireloom.from_wire([b''], 'edgemq_segment')
wireloom.to_wire([], 'edgemq_segment')
wireloom.search('edgemq_segment', 'events.wal', 5, key='tss')
wireloom.duckdb.register('events.db', 'events', 'edgemq_segment', 'events.wal')
wireloom.s2.read('B', 'logs')
wireloom.s2.read('basin-of-logs', 'logs')
wireloom.s2.read('basin-of-logs', 'logs', 'yesterday', endpoint='http://127.0.0.1:1')
wireloom.s2.read('basin-of-logs', 'logs', 0, end='now', endpoint='http://127.0.0.1:1')
wireloom.s2.read('basin-of-logs', 'logs', lost='maybe', endpoint='http://127.0.0.1:1')
wireloom.s2.read('basin-of-logs', 'logs', endpoint='http://127.0.0.1:1', patience=0)
wireloom.s2.read('basin-of-logs', 'logs', endpoint='ftp://127.0.0.1:1')
wireloom.s2.read('basin-of-logs', 'logs', tail_ofset=5)
wireloom.kinesis.read('')
wireloom.kinesis.read('logs', start='yesterday')
wireloom.kinesis.read('logs', hash_range='any')
wireloom.kinesis.read('logs', hashrange='any')
wireloom.kinesis.Producer('logs', aggregate=False)
wireloom.kpl.Aggregator(max_siz=100)
wireloom.kinesis.read('logs')
wireloom.kinesis.read('logs', region='eu-west-1', endpoint_url='127.0.0.1')
spark('edgemq_segment', path='events.wal', colums='tenant')
spark('edgemq_segment', path='events.wal', columns='tennant')
spark('edgemq_segment', path='events.wal', mode='strict')
spark('edgemq_segment', path='events.wal', recover='yes')
spark('edgemq_segment', path='events.wal', batchRows='many')
spark('edgemq_segment', path='events.wal', tail='grow')
spark('edgemq_segment', path='events.wal', modifiedAfter='yesterday')
spark('edgemq_segment', path='events.wal', partitionColumns='yes')
spark('edgemq_segment', path='events.wal', columnNameOfCorruptRecord='tenant')
spark('mcap', path='events.wal', table='massages')
spark('edgemq_segment')
spark_write('edgemq_segment')
spark_write('edgemq_segment', path='out', codec='zst')
spark_write('edgemq_segment', path='out', level='high')
spark_write('edgemq_segment', path='out', maxFileBytes='big')
spark_write('edgemq_segment', path='out', fileName='log')
spark_write('edgemq_segment', path='out', columns='tenant')
s2_stream(basin='basin-of-logs')
s2_stream(stream='logs')
s2_stream(basin='B', stream='logs')
s2_stream(basin='basin-of-logs', stream='logs', start='yesterday')
s2_stream(basin='basin-of-logs', stream='logs', end='latest-5')
s2_stream(basin='basin-of-logs', stream='logs', startt='latest')
s2_stream_write(basin='basin-of-logs')
kinesis_stream()
kinesis_stream(stream='logs', start='yesterday')
kinesis_stream(stream='logs', startingPosition='latest')
kinesis_stream(stream='logs', columns='dta')
without('polars', scan, 'events.wal')
without('fsspec', wireloom.read, 'edgemq_segment', 'memory://events.wal')
without('fsspec', wireloom.read, 'edgemq_segment', 'https://host/events.wal')
without('aiohttp', wireloom.read, 'edgemq_segment', 'https://host/events.wal')
without('urllib3', wireloom.s2.read, 'basin-of-logs', 'logs', endpoint='http://127.0.0.1:1')
without('ruff', main, ['generate', 'good.ksy', '-o', 'made'])
without('boto3', wireloom.kinesis.read, 'logs')
without('botocore', wireloom.read, 'edgemq_segment', 's3://bucket/events.wal', profile='logs')
without('deltalake', catalog, 'delta')
without('pyiceberg', catalog, 'iceberg')
without('nicegui', main, ['studio', 'good.ksy', 'events.wal'])
without('pygls', main, ['lsp'])
without('grpc_tools', main, ['import-proto', 'good.proto', '-o', 'made.ksy'])
"""


def without(module: str, function: Callable[..., object], *arguments: object, **named: object) -> object:
    """Call a function as if a package were not installed."""
    hidden: dict[str, object] = dict.fromkeys(
        (module, *(each for each in sys.modules if each.startswith(f"{module}.")))
    )
    with patch.dict(sys.modules, hidden):
        return function(*arguments, **named)


def stored(message: str, function: Callable[..., object], *arguments: object) -> object:
    """Call a function while the library of Amazon S3 fails with a message."""
    with patch("pyarrow.fs.S3FileSystem", side_effect=OSError(message)), patch("pyarrow.fs.resolve_s3_region"):
        return function(*arguments)


def names() -> dict[str, object]:
    """Return the names that the statements use."""
    import wireloom.append
    import wireloom.duckdb
    import wireloom.kinesis
    import wireloom.polars
    import wireloom.s2
    from pyarrow.compute import field
    from pyspark.sql.types import StructType
    from wireloom.command import main
    from wireloom.format import registry as formats
    from wireloom.spark import source_of
    from wireloom.spark.ingest.catalogs import catalog_of
    from wireloom.spark.live.kinesis import KinesisStreamSource
    from wireloom.spark.live.s2 import S2StreamSource
    from wireloom.spark.options import write_options

    def spark(name: str, **options: str) -> object:
        source = source_of(formats.get(name))(options)
        return source.reader(source.schema())

    return {
        "catalog": catalog_of,
        "field": field,
        "kinesis_stream": lambda **options: KinesisStreamSource(options).schema(),
        "main": main,
        "s2_stream": lambda **options: S2StreamSource(options).schema(),
        "s2_stream_write": lambda **options: S2StreamSource(options).writer(StructType(), False),
        "scan": wireloom.polars.scan_edgemq_segment,
        "spark": spark,
        "spark_write": lambda name, **options: write_options(formats.get(name), options),
        "stored": stored,
        "ASKED": "When getting information for key 'a.pcap' in bucket 'bucket': ",
        "CURL": "curlCode: 6, Could not resolve hostname; Details: Could not resolve host: bucket.example",
        "S3": "s3://bucket/a.pcap",
        "wireloom": wireloom,
        "without": without,
    }


def raised(statement: str, known: dict[str, object]) -> str:
    """Return the error of a statement, after its class; or the output of a command."""
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(printed):
        try:
            found = eval(statement, known)
            text = f"nothing is raised: {type(found).__name__}"
        except SystemExit as end:
            text = f"{printed.getvalue()}exit code {end.code}"
        except Exception as error:
            text = f"{type(error).__name__}: {error}"
    return "".join(f"    {line}".rstrip() + "\n" for line in without_folder(text).splitlines())


def table() -> str:
    """Return the whole table, as in ``calls.txt``."""
    with (
        tempfile.TemporaryDirectory(prefix="mistakes-") as name,
        contextlib.chdir(name),
        patch.dict(os.environ, {"AWS_CONFIG_FILE": "none", "AWS_SHARED_CREDENTIALS_FILE": "none"}),
    ):
        for each in [each for each in os.environ if each.startswith(SETTINGS)]:
            del os.environ[each]
        prepare(Path(name))
        known = names()
        return "\n".join(f">>> {statement}\n{raised(statement, known)}" for statement in CALLS.splitlines())


if __name__ == "__main__":
    os.environ.update(COLUMNS="100", TERM="dumb", NO_COLOR="1")
    TABLE.write_text(table(), "utf-8")
    sys.stdout.write(f"{len(CALLS.splitlines())} mistakes\n")
