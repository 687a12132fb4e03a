package server

import (
	"context"
	"net/http"

	"savedq/internal/api/clickhousehttp"
	"savedq/sqlq"
	"savedq/sqlq/runner"
	"savedq/sqlq/sandbox"
)

// clickHouse returns the handler of SQL of ClickHouse's clients.
func (e *explorer) clickHouse() http.Handler {
	return clickhousehttp.NewHandler(clickhousehttp.Config{Run: e.answerClient, Clock: e.server.config.Clock, Errors: e.server.errors})
}

// answerClient runs SQL of a client of ClickHouse within the limits of the token of a request. Parameters that the SQL does not have are
// ignored, as ClickHouse ignores them.
func (e *explorer) answerClient(ctx context.Context, asked clickhousehttp.Query) (*sqlq.Result, []string, error) {
	given := make(map[string][]string, len(asked.Params))
	for name, text := range asked.Params {
		given[name] = []string{text}
	}
	query, described, err := sandbox.ExploreAsServer(e.server.config.Engine.Dialect().Name(), e.tables, limitsOf(ctx, given), asked.SQL)
	if err != nil {
		return nil, nil, err
	}
	params := make(map[string][]string, len(query.Params))
	for _, param := range query.Params {
		text, isGiven := asked.Params[param.Name]
		if !isGiven {
			continue
		}
		if params[param.Name], err = clickhousehttp.ParamTexts(param.Type, text); err != nil {
			return nil, nil, err
		}
	}
	response, err := e.scoped.Explore(ctx, runner.Request{Query: query, Params: params, SQL: asked.SQL})
	if err != nil {
		return nil, nil, err
	}
	return response.Result, described.Types, nil
}
