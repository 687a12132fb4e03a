package demo

// stream is how the events of one source come about.
type stream struct {
	// perMinute is how many events a minute has, averaged over a week and
	// summed over all projects.
	perMinute float64
	// atLeast is how many events each project has in any minute.
	atLeast int
	// namesProject says that senders set the event's project; where they do
	// not, the metadata names it (D23).
	namesProject bool
	// write writes the fields of an event's metadata and returns its message.
	write func(scene *scene) string
}

// streams returns the stream of each source by its table (D22). A week of them
// all is about 250,000 events. Function invocations have a floor, so that the
// last five minutes of a project show some in the dead of night.
func streams() map[string]stream {
	agents := clients()
	return map[string]stream{
		"edge_logs":          {perMinute: 6.8, namesProject: true, write: edgeRequest(agents)},
		"postgres_logs":      {perMinute: 0.7, namesProject: true, write: databaseLine()},
		"function_edge_logs": {perMinute: 13.5, atLeast: 2, write: functionInvocation(agents)},
		"function_logs":      {perMinute: 1.2, write: functionLine()},
		"auth_logs":          {perMinute: 0.7, namesProject: true, write: authLine()},
		"realtime_logs":      {perMinute: 0.45, write: realtimeLine()},
		"storage_logs":       {perMinute: 0.65, write: storageLine()},
		"postgrest_logs":     {perMinute: 0.25, namesProject: true, write: restLine()},
		"pgbouncer_logs":     {perMinute: 0.2, namesProject: true, write: poolerLine()},
	}
}
