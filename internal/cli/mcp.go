package cli

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"

	"savedq/internal/api/explorehttp"
	"savedq/internal/api/mcp"
	"savedq/internal/http/httperror"
	"savedq/internal/logs/logstore"
	"savedq/internal/server"
	"savedq/sqlq"
	"savedq/sqlq/sandbox"
)

// mcpCommand is "savedq mcp".
type mcpCommand struct {
	serverFlags
	engineFlags
	catalogFlags
}

// Run serves the tools of a running server, or of the saved queries over the store.
func (c *mcpCommand) Run(ctx context.Context, term *terminal) (err error) {
	logger := term.environment(slog.LevelWarn).Logger
	if c.URL != "" {
		transport := http.DefaultTransport.(*http.Transport).Clone() //nolint:forcetypeassert // It is documented.
		defer transport.CloseIdleConnections()
		remote := &mcp.Remote{URL: c.URL, Token: term.getenv(server.TokenVariable), Transport: transport, Version: version(), Logger: logger}
		return remote.ServeStdio(ctx, term.stdin, term.stdout)
	}
	catalog, err := c.read(ctx, c.engine())
	if err != nil {
		return err
	}
	queryRunner, end, err := openRunner(ctx, term, &c.engineFlags, c.Tables, catalog)
	if errors.Is(err, logstore.ErrInUse) {
		return fmt.Errorf("%w; or, if that is a savedq server, name it, as in: --url http://127.0.0.1:8080", err)
	}
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, end()) }()
	tools := mcp.NewServer(mcp.Config{
		Runner: queryRunner, Queries: catalog.Queries(), Tables: catalog.Tables(), Version: version(),
		Caller: func(context.Context) mcp.Caller { return mcp.Caller{Sandbox: true, Tables: true, Explore: true} },
		Explorer: mcp.Explorer{
			Query: func(_ context.Context, dialect, sql string) (*sqlq.SavedQuery, error) {
				explore := sandbox.Explore
				if dialect == explorehttp.ClickHouse {
					explore = sandbox.ExploreLogs
				}
				return explore(c.engine().Dialect().Name(), catalog.Tables(), nil, sql)
			},
			Dialects: []string{explorehttp.GoogleSQL, explorehttp.ClickHouse},
			Run:      queryRunner.Run, Tables: func(context.Context) sqlq.Tables { return catalog.Tables() }, MaxRows: sandbox.MostExploredRows,
		},
		Errors: httperror.NewWriter(logger), Logger: logger,
	})
	return tools.ServeStdio(ctx, term.stdin, term.stdout)
}
