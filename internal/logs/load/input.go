package load

import (
	"context"
	"io"

	"savedq/internal/logs/logfile"
)

// StandardInput is the path that stands for the standard input.
const StandardInput = "-"

// inputName names an input for people.
func inputName(path string) string {
	if path == StandardInput {
		return "standard input"
	}
	return path
}

func openInput(ctx context.Context, path string, input io.Reader, csv logfile.CSV) (*logfile.File, error) {
	if path == StandardInput {
		return logfile.Read(ctx, input, csv)
	}
	return logfile.Open(ctx, path, csv)
}
