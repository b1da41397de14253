"""``python -m tests.limits.listing``: the cost of listing many objects of a store, all of them and from the end of the
last listing.

The output is JSON, for two layouts: requests, and CPU seconds of the process that lists.
"""

from __future__ import annotations

import json
import multiprocessing
import os
import time
from datetime import timedelta
from typing import Any
from unittest import mock

import click
from wireloom.input.inputs import Location
from wireloom.spark.stream import incremental_listing
from wireloom.spark.stream.incremental_listing import IncrementalListing

from .listing_server import LAYOUTS, serve

INTERVAL = timedelta(minutes=10)


def measure(layout: str, files: int) -> dict[str, Any]:
    """List everything, continue after more objects have arrived, and list everything again."""
    here, there = multiprocessing.get_context("spawn").Pipe()
    server = multiprocessing.get_context("spawn").Process(target=serve, args=(there, layout, files), daemon=True)
    server.start()
    location = Location(endpoint=f"http://127.0.0.1:{here.recv()}", region="us-east-1")
    listing = IncrementalListing(["s3://bucket/logs"], INTERVAL)
    found: dict[str, Any] = {"layout": layout}
    with mock.patch.object(incremental_listing, "monotonic", return_value=0.0) as clock:
        for step, later in (("everything", 0.0), ("going on", 0.0), ("nothing new", 0.0), ("everything again", 600.0)):
            clock.return_value += later
            begin = time.process_time()
            objects = listing.expand("s3://bucket/logs", location)
            spent = time.process_time() - begin
            here.send(True)
            found[step] = {"objects": len(objects), "requests": here.recv(), "seconds": round(spent, 2)}
    here.send(False)
    server.join()
    return found


@click.command
@click.option("--files", default=1_000_000, show_default=True)
def main(files: int) -> None:
    """Print the cost of listing."""
    os.environ.update({"AWS_ACCESS_KEY_ID": "local", "AWS_SECRET_ACCESS_KEY": "local"})
    print(json.dumps([measure(layout, files) for layout in LAYOUTS], indent=2))


if __name__ == "__main__":
    main()
