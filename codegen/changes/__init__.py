"""What a change of a spec does to those who read: columns, bytes, checks, settings."""
