"""Leave-one-out in closed form: what the model of all other rows says of each row."""
