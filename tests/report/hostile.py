"""What a database from elsewhere may hold where a name or a reason belongs."""
HOSTILE_TEXT = ("</script><script>console.log('ran')</script><img src=x onerror=console.log('ran')>"
                "<!-- @DATA@ &amp; \u2028")
