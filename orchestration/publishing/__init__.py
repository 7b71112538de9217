"""From a finished `.building` file to a published build, and what is kept when it fails."""
