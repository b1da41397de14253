"""What a format is: its description, its programs, and where formats are found."""
