package load

import (
	"io"
	"path/filepath"
	"time"

	"github.com/schollz/progressbar/v3"

	"savedq/internal/printable"
)

// bar is a progress bar. Without a terminal it does nothing.
type bar struct {
	progress *progressbar.ProgressBar
}

func newBar(terminal io.Writer, path string, size int64) bar {
	if terminal == nil {
		return bar{}
	}
	if size == 0 {
		size = -1 // a pipe has no size
	}
	return bar{progress: progressbar.NewOptions64(
		size,
		progressbar.OptionSetWriter(printable.Unescaped(terminal)),
		progressbar.OptionSetDescription(string(printable.Escape([]byte(filepath.Base(path))))),
		progressbar.OptionShowBytes(true),
		progressbar.OptionThrottle(100*time.Millisecond),
		progressbar.OptionClearOnFinish(),
	)}
}

func (b bar) set(position int64) {
	if b.progress != nil {
		_ = b.progress.Set64(position) // a bar that cannot be drawn does not stop the load
	}
}

// finish removes the bar from the terminal.
func (b bar) finish() {
	if b.progress != nil {
		_ = b.progress.Clear()
	}
}
