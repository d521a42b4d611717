"""`python -m suffice.cli`."""

from suffice.cli.main import main

if __name__ == "__main__":
    main()
