"""Names and values that break programs which trust them."""

NAMES = (
    "<script>alert(1)</script>",
    "a,b",
    "50%_\\of$x",
    "🫀",
    "ضغط الدم",
    "גיל",
    "n" * 300,
    "two\nlines",
    "'\"",
    "back\\slash",
    "=cmd()",
    "",
    "{{7*7}}",
    "]]>",
    "-->",
)
LEVELS = ("=cmd()", "<b>bold</b>", "no or yes", "missing", "'; DROP TABLE x; --", "", "🫀", "\\n")
