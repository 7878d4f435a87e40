"""The census of coherence: which looks at the cluster each fault changes. Kept in docs/census.md."""
