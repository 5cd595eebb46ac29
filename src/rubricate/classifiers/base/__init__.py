"""What every classifier shares: the base class, evidence, checks of parameters and batches."""
