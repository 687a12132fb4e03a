package demo

// restLine writes the log lines of the REST API layer (postgrest_logs), which
// speaks only when its connection or its schema changes.
func restLine() func(*scene) string {
	var healthy, troubled weighted[string]
	healthy.add(3, "Attempting to connect to the database...")
	healthy.add(3, "Successfully connected to PostgreSQL")
	healthy.add(2, "Listening for database notifications on the \"pgrst\" channel")
	healthy.add(2, "Config reloaded")
	healthy.add(4, "Schema cache loaded")
	troubled.add(2, "Attempting to connect to the database...")
	troubled.add(3, "Failed to acquire a connection from the pool: timed out after 10 seconds")
	troubled.add(1, "Attempting to reconnect to the database in 4 seconds...")

	return func(s *scene) string {
		s.metadata.text("host", s.project.databaseHost)
		if s.trouble {
			return troubled.draw(s.dice)
		}
		return healthy.draw(s.dice)
	}
}
