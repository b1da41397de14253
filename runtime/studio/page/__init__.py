"""What the browser is given: a page, its style and its modules, which load nothing from elsewhere."""
