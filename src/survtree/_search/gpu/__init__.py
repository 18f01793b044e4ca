"""The search on a GPU: kernels as source, the device, and the lattice that it fills.

Nothing here is imported before a fit asks for a device; CuPy is imported last of all.
"""
