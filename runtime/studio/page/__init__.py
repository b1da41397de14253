"""The files of the page: its style and its modules, which load nothing from elsewhere."""
