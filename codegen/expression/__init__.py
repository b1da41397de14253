"""The expression language: text → syntax tree → typed tree."""
