"""A collection in an OpenSearch cluster: as documents, loaded, checked, opened and searched."""
