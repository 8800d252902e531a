"""`python -m tapegate`."""

from tapegate.cli.main import main

if __name__ == "__main__":
    main()
