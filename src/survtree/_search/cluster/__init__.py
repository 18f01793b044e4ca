"""One search on many processes: who does what, what they tell each other, and Dask."""
