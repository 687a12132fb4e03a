package requestlog

import (
	"context"
	"log/slog"

	"savedq/sqlq/runner"
)

// Note records the response of a saved query, for the line of [Handler]. Arguments are logged
// only at the level DEBUG.
func Note(ctx context.Context, logger *slog.Logger, response *runner.Response) {
	if e := exchangeFrom(ctx); e != nil {
		e.note(response)
	}
	if !logger.Enabled(ctx, slog.LevelDebug) {
		return
	}
	values := make([]slog.Attr, len(response.Args))
	for i, arg := range response.Args {
		values[i] = slog.Any(arg.Name, arg.Value)
	}
	logger.LogAttrs(ctx, slog.LevelDebug, "saved query served", slog.String("endpoint", response.Query.Name),
		slog.String("cache", string(response.Cache)), slog.GroupAttrs("args", values...))
}
