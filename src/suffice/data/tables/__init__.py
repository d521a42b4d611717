"""Tables with columns of any kind: read by a layout, written in the user's kind."""
