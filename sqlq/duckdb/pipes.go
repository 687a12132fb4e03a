package duckdb

import (
	"time"

	"savedq/internal/files/regularfile"
	"savedq/sqlq/duckdb/tablefiles"
)

const (
	// firstLook is how long after the start of a run its files are looked at for pipes; then the time doubles up to lastLook.
	firstLook = 250 * time.Millisecond
	lastLook  = time.Minute
	// releasePause is the time between looks once there was a pipe, which DuckDB can open again.
	releasePause = 20 * time.Millisecond
)

// releasePipes lets DuckDB go on if it waits for the writer of a pipe, until end is called. Only regular files are passed to DuckDB, but a
// pipe can take the place of one before DuckDB opens it. DuckDB then waits for its writer, and does not notice an interrupt.
func releasePipes(listings ...*tablefiles.Listing) (end func()) {
	ended := make(chan struct{})
	go func() {
		for pause := firstLook; ; pause = min(2*pause, lastLook) {
			timer := time.NewTimer(pause)
			select {
			case <-ended:
				timer.Stop()
				return
			case <-timer.C:
			}
			for _, listing := range listings {
				for _, file := range listing.Files {
					if regularfile.ReleasePipe(file.Path) {
						pause = releasePause / 2
					}
				}
			}
		}
	}()
	return func() { close(ended) }
}
