"""What a fitted tree looks like: facts of leaves, exports, pictures, the report."""
