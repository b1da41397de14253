"""What every part stands on: errors, reports, text."""
