"""The files of the page: its style sheet and its modules, which load nothing from other hosts."""
