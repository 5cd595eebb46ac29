"""Growing, learning and searching label trees."""
