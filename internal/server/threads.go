package server

// ingestThreads is how many threads of Go the ingest writer may hold while they run no Go: one
// that waits for fsync, and one in DuckDB.
const ingestThreads = 2

// allowIngestThreads makes up for the threads that the ingest writer holds. Go gives such a thread's
// place to another one only after up to 10 ms, in which requests would wait (ADR 037). The variable GOMAXPROCS
// takes precedence.
func (s *Server) allowIngestThreads() {
	if s.config.Getenv("GOMAXPROCS") == "" {
		s.config.RunMore(ingestThreads)
	}
}
