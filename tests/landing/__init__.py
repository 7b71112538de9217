"""Tests of the door: reading, judging and accepting landed files, and the guard behind it."""
