"""What assets and the command run on: the home of a run and the dbt project."""
