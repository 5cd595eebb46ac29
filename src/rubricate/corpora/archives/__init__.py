"""Reading archives as a stream, with limits on what a hostile one may do."""
