"""Batch reads: files, splits and schemas on the driver, Arrow batches in the tasks."""
