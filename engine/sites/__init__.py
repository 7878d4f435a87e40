"""Sites: YAML descriptions of clusters, and how a description becomes an inventory and a world."""
