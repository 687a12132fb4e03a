package demo

// function is a serverless function: what it costs to run and how often it
// fails.
type function struct {
	id      string
	name    string
	version string
	method  string
	// search is the query string of its calls, with the question mark.
	search string
	// median and spread are those of the log-normal execution time, in
	// milliseconds.
	median float64
	spread float64
	// coldStart is the median time that a cold instance takes to boot, in
	// milliseconds, and cold how likely a call meets one.
	coldStart float64
	cold      float64
	// clientErrors and serverErrors are the rates of 4xx and 5xx answers.
	clientErrors float64
	serverErrors float64
	// browser says that web pages call it, with preflights and user agents to
	// match; the others are called by servers.
	browser bool

	// deploymentID, host and url follow from the project.
	deploymentID string
	host         string
	url          string
}

// deploy gives the function its address in a project.
func (f *function) deploy(project string) {
	f.deploymentID = project + "_" + f.id + "_" + f.version
	f.host = project + ".functions.example.com"
	f.url = "https://" + f.host + "/" + f.name
}

func defaultFunctions() weighted[*function] {
	var functions weighted[*function]
	functions.add(9, &function{
		id: "5b0c8f7e-3d1a-4c52-9e64-1f2a7b90c3d4", name: "heartbeat", version: "11", method: "GET",
		search: "?source=web", median: 12, spread: 0.5, coldStart: 180, cold: 0.01,
		clientErrors: 0.004, serverErrors: 0.001, browser: true,
	})
	functions.add(5, &function{
		id: "0e9d4a63-7c28-4b1f-8a35-62d1e7f40b98", name: "send-email", version: "34", method: "POST",
		median: 190, spread: 0.45, coldStart: 420, cold: 0.03,
		clientErrors: 0.025, serverErrors: 0.008, browser: true,
	})
	functions.add(4, &function{
		id: "c71f5e20-9a46-4d83-b0e7-35a8d2c6914f", name: "payment-webhook", version: "8", method: "POST",
		median: 85, spread: 0.4, coldStart: 350, cold: 0.04,
		clientErrors: 0.04, serverErrors: 0.004,
	})
	functions.add(2, &function{
		id: "a3862d9b-51e4-4f07-9c1d-e80b74f6a25c", name: "resize-image", version: "19", method: "GET",
		search: "?width=640&quality=80", median: 640, spread: 0.6, coldStart: 900, cold: 0.06,
		clientErrors: 0.03, serverErrors: 0.012, browser: true,
	})
	return functions
}

func acmeFunctions() weighted[*function] {
	var functions weighted[*function]
	functions.add(6, &function{
		id: "d84b1c72-06f9-4e3a-a5d8-917c3e2b60fa", name: "checkout", version: "127", method: "POST",
		median: 240, spread: 0.4, coldStart: 380, cold: 0.02,
		clientErrors: 0.05, serverErrors: 0.006, browser: true,
	})
	functions.add(4, &function{
		id: "2a95e0d3-b67c-4813-8f42-c0d6a719e58b", name: "inventory-sync", version: "42", method: "POST",
		median: 110, spread: 0.7, coldStart: 300, cold: 0.02,
		clientErrors: 0.005, serverErrors: 0.01,
	})
	functions.add(1, &function{
		id: "f6170b8e-4c35-4a9d-9be2-583ad1c7f406", name: "invoice-pdf", version: "15", method: "POST",
		median: 1450, spread: 0.5, coldStart: 1300, cold: 0.1,
		clientErrors: 0.01, serverErrors: 0.02, browser: true,
	})
	return functions
}

func globexFunctions() weighted[*function] {
	var functions weighted[*function]
	functions.add(8, &function{
		id: "91e3c5a7-d208-4f6b-b14e-7a60f8d9235c", name: "ingest-reading", version: "63", method: "POST",
		median: 28, spread: 0.5, coldStart: 220, cold: 0.01,
		clientErrors: 0.02, serverErrors: 0.003,
	})
	functions.add(3, &function{
		id: "48d7f2b0-6e1c-4935-ac80-b59e04d3617f", name: "geo-lookup", version: "5", method: "GET",
		search: "?precision=city", median: 45, spread: 0.6, coldStart: 260, cold: 0.03,
		clientErrors: 0.06, serverErrors: 0.004, browser: true,
	})
	functions.add(1, &function{
		id: "b0c29e84-f53d-47a1-8d96-24e7c81a5f3b", name: "report-export", version: "21", method: "POST",
		median: 3200, spread: 0.7, coldStart: 800, cold: 0.12,
		clientErrors: 0.015, serverErrors: 0.03, browser: true,
	})
	return functions
}
