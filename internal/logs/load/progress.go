package load

import (
	"io"
	"path/filepath"
	"time"

	"github.com/schollz/progressbar/v3"

	"savedq/internal/printable"
)

// newBar returns a progress bar. Without a terminal it is not visible.
func newBar(terminal io.Writer, path string, size int64) *progressbar.ProgressBar {
	isVisible := terminal != nil
	if !isVisible {
		terminal = io.Discard
	}
	if size == 0 {
		size = -1 // a pipe has no size
	}
	return progressbar.NewOptions64(
		size,
		progressbar.OptionSetVisibility(isVisible),
		progressbar.OptionSetWriter(printable.Unescaped(terminal)),
		progressbar.OptionSetDescription(string(printable.Escape([]byte(filepath.Base(path))))),
		progressbar.OptionShowBytes(true),
		progressbar.OptionThrottle(100*time.Millisecond),
		progressbar.OptionClearOnFinish(),
	)
}
