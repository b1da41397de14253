"""Rows of protobuf messages, by the engine and by generated classes."""
