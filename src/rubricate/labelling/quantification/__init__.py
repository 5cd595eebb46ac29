"""How common each category is among documents that nobody has labelled: quantification, with intervals and drift."""
