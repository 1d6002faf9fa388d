"""`python -m gear_app` is `gear-app`."""

from gear_app.cli import main

if __name__ == "__main__":
    raise SystemExit(main())
