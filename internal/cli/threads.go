package cli

import "runtime"

// runMoreThreads lets more threads run Go at the same time than there are processors.
func runMoreThreads(more int) {
	runtime.SetDefaultGOMAXPROCS() // so that a second call adds nothing
	runtime.GOMAXPROCS(runtime.GOMAXPROCS(0) + more)
}
