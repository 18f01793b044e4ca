"""The raw tables of scikit-survival: the name of the loader, and what it is called with."""

LOADERS = {
    "veterans": ("load_veterans_lung_cancer", ()),
    "whas500": ("load_whas500", ()),
    "gbsg2": ("load_gbsg2", ()),
    "aids": ("load_aids", ("aids",)),
    "aids_death": ("load_aids", ("death",)),
    "flchain": ("load_flchain", ()),
}
