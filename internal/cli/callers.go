package cli

import (
	"context"
	"os"

	"savedq/internal/engines"
)

// callersCommand is [engines.CallersCommand].
type callersCommand struct {
	Settings string `arg:"" help:"Settings of the server, as JSON."`
}

// Run runs SQL of callers that arrives through the standard input, a socket.
func (c *callersCommand) Run(ctx context.Context, term *terminal) error {
	return engines.WorkForCallers(ctx, os.Stdin, c.Settings, term.clock)
}
