"""What a hierarchy says about decisions: ancestors, meeting points, nearness, extended tables, depths."""
