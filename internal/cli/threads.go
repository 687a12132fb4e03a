package cli

import "runtime"

// ingestThreads is how many threads of Go the ingest writer may hold while they run no Go: one
// that waits for fsync, and one in DuckDB.
const ingestThreads = 2

// runMoreThreads lets more threads run Go at the same time than there are processors.
func runMoreThreads(more int) {
	runtime.SetDefaultGOMAXPROCS() // so that a second call adds nothing
	runtime.GOMAXPROCS(runtime.GOMAXPROCS(0) + more)
}

// allowIngestThreads makes up for the threads that the ingest writer holds. Go gives such a thread's
// place to another one only after up to 10 ms, in which requests would wait (ADR 037). The variable GOMAXPROCS
// takes precedence.
func allowIngestThreads(term *terminal) {
	if term.getenv("GOMAXPROCS") == "" {
		term.runMore(ingestThreads)
	}
}
