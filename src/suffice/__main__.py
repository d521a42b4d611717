"""`python -m suffice`: the command line, where its script is not on the path."""

from suffice.cli.main import main

if __name__ == "__main__":
    main()
