"""Where bytes come from: inputs, object stores, codecs, windows."""
