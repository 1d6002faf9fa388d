"""The steps of the papers as pure algorithms: they see neither a database nor a model."""
