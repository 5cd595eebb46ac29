"""Many terms → fewer: one file a criterion."""
