"""A fitted tree in other forms: text, pictures as source, and code that runs without survtree."""
