package runner

// Request asks for the rows of a saved query.
type Request struct {
	// Endpoint is the name or the id of the saved query.
	Endpoint string
	// Params are raw parameters, as in a query string.
	Params map[string][]string
	// NoCache asks for rows that are newer than the cached ones. It is honoured once in
	// [cache.NoCacheInterval].
	NoCache bool
}
