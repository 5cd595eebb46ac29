"""What commands print and write, and the progress they show."""
