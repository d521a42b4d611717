"""From any kind of user data to validated batches."""
