"""Names and values that break programs which trust them."""

NAMES = (
    "<script>alert(1)</script>",
    "a,b",
    "50%_\\of$x",
    "🫀 rate",
    "עוצמה‏ של",
    "n" * 300,
    "two\nlines",
    'it\'s "quoted"',
    "=cmd()",
    "{{7*7}}",
    "]]><!-- -->",
    "",
    " and ",
    "age <= 5",
)
LEVELS = ("=cmd()", "<b>bold</b>", "no or yes", "missing", "'; DROP TABLE x; --", "", "🫀", "\\n")
