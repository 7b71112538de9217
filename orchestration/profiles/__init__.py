"""Profiles: files in other layouts come in as rows of the contract, by declaration and never by guessing.

declare.py is what a profile may say, parse.py and keys.py read it strictly; shelf.py finds the profile of a file;
grid.py makes a grid of the file; read.py gives every row to a table or sets it aside under a named rule; values.py and
formats.py turn cells into values; checks.py adds up what must add up; landing.py is the door's side. propose.py
proposes a profile for a file that it has never seen, from what evidence.py finds proved; trial.py tries one out.
"""
