"""`python -m ordinate` is the command `ordinate`."""

from ordinate.cli import main

if __name__ == "__main__":
    main()
