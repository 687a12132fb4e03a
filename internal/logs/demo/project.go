package demo

// project is one of the fictional customers whose logs these are.
type project struct {
	// name is the project reference. No other project's addresses contain it,
	// because usage.api-counts matches it as a pattern (specification 2.3).
	name string
	// share is the project's part of all traffic; the shares add up to 1.
	share float64
	// peakHour is the busiest hour of the project's day, in UTC.
	peakHour float64
	incident incident
	// host is where the project's requests arrive.
	host string
	// databaseHost is how the logs of the database and of what stands around
	// it name their machine.
	databaseHost string
	routes       weighted[route]
	functions    weighted[*function]
	tables       []string
}

// projects returns the three projects. Their incidents depend on the seed.
func projects(seed uint64) []project {
	projects := []project{
		{
			name: "default", share: 0.48, peakHour: 15,
			tables:    []string{"todos", "profiles", "messages", "attachments"},
			functions: defaultFunctions(),
		},
		{
			name: "acme", share: 0.30, peakHour: 16,
			tables:    []string{"products", "orders", "carts", "customers"},
			functions: acmeFunctions(),
		},
		{
			name: "globex", share: 0.22, peakHour: 17,
			tables:    []string{"devices", "readings", "alerts"},
			functions: globexFunctions(),
		},
	}
	for i := range projects {
		project := &projects[i]
		project.host = project.name + ".example.com"
		project.databaseHost = "db-" + project.name
		project.incident = newIncident(mix(seed, hashName(project.name)))
		project.routes = routes(project.tables)
		for _, function := range project.functions.values {
			function.deploy(project.name)
		}
	}
	return projects
}
