// Package watch notices changes in directories and the folders in them. It looks at the files again and again, so
// it notices changes however they are made, also on file systems that report none: files that are written, renamed
// or replaced, folders that appear, and symbolic links that are pointed elsewhere, as Kubernetes updates its volumes.
package watch

import (
	"crypto/sha256"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"savedq/internal/files/regularfile"
)

const (
	// interval and longestPause limit the time between two looks.
	interval     = 100 * time.Millisecond
	longestPause = 5 * time.Second
	// pauseShare is how many times as long as a look a pause takes at least, so that many files take
	// little of a processor.
	pauseShare = 50
	// mostHeld is the number of looks for which a change is held back while further ones follow.
	mostHeld = 5
)

// Watcher notices changes in directories. It is not safe for concurrent use.
type Watcher struct {
	directories []string
	clock       func() time.Time
	// last is the state at the last look, and reported the one that was last reported.
	last, reported [sha256.Size]byte
	// held is the number of looks for which a change has been held back.
	held  int
	pause time.Duration
}

// New returns a watcher of changes from now on. The directories need not exist.
func New(directories []string, clock func() time.Time) *Watcher {
	w := &Watcher{directories: directories, clock: clock}
	w.look()
	w.reported = w.last
	return w
}

// Pause returns the time until the next call of Changed is due.
func (w *Watcher) Pause() time.Duration { return w.pause }

// Changed looks at the files, and reports whether there are changes that it has not reported. It waits for a look
// without further ones, because an editor or a script changes several files, one after the other.
func (w *Watcher) Changed() bool {
	before := w.last
	w.look()
	if w.last == w.reported {
		w.held = 0
		return false
	}
	if w.held++; w.last != before && w.held < mostHeld {
		return false
	}
	w.reported, w.held = w.last, 0
	return true
}

// look notes the state of the directories, and of the folders and files in them.
func (w *Watcher) look() {
	began, state := w.clock(), sha256.New()
	for _, directory := range w.directories {
		for _, folder := range note(state, directory) {
			note(state, folder)
		}
	}
	state.Sum(w.last[:0])
	w.pause = min(max(pauseShare*w.clock().Sub(began), interval), longestPause)
}

// note notes the state of the entries of a directory, except for hidden ones, and returns their paths. What is not
// a directory has none.
func note(state io.Writer, directory string) (paths []string) {
	entries, err := os.ReadDir(directory)
	if err != nil {
		return nil
	}
	for _, entry := range entries {
		if strings.HasPrefix(entry.Name(), ".") {
			continue
		}
		path, stamp := filepath.Join(directory, entry.Name()), ""
		if info, err := os.Stat(path); err == nil && !info.IsDir() {
			stamp = regularfile.Stamp(info)
		}
		_, _ = fmt.Fprintf(state, "%q %s\n", path, stamp)
		paths = append(paths, path)
	}
	return paths
}
