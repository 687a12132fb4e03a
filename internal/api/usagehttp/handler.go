// Package usagehttp serves what tokens used, as rows in the formats of saved queries.
package usagehttp

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"savedq/internal/api/format"
	"savedq/internal/http/httpcache"
	"savedq/internal/http/httperror"
	"savedq/internal/http/onewrite"
	"savedq/internal/operations/usage"
	"savedq/sqlq"
)

// Path is the path of the handler.
const Path = "/api/usage"

// Names of parameters.
const (
	From     = "from"
	To       = "to"
	By       = "by"
	Token    = "token"
	Subject  = "subject"
	Endpoint = "endpoint"
)

// DefaultDays is how many days a response has if the request names none.
const DefaultDays = 30

// Config configures the handler. Every field is required.
type Config struct {
	Report func(ctx context.Context, query usage.Query) (rows []usage.Row, truncated bool, err error)
	Clock  func() time.Time
	Errors *httperror.Writer
}

// NewHandler returns a handler that serves GET and HEAD on [Path]. The caller must pass only
// requests whose token may see the usage of all tokens.
func NewHandler(config Config) http.Handler {
	h := &handler{config}
	return config.Errors.ForGet(h.serve)
}

type handler struct{ Config }

func (h *handler) serve(w http.ResponseWriter, r *http.Request) error {
	query, err := queryOf(r.URL.RawQuery, h.Clock())
	if err != nil {
		return err
	}
	rows, truncated, err := h.Report(r.Context(), query)
	if err != nil {
		return err
	}
	output := format.Negotiate(r.Header["Accept"])
	body, err := output.Encode("usage", resultOf(query.By, rows))
	if err != nil {
		return err
	}
	header := w.Header()
	if truncated {
		header.Set(format.TruncatedHeader, "true")
	}
	header.Set("Content-Type", output.ContentType())
	header.Set("Cache-Control", "no-store")
	httpcache.AddVary(header, "Accept, "+httpcache.Credentials)
	w.WriteHeader(http.StatusOK)
	onewrite.Write(w, r, body)
	return nil
}

// queryOf reads the parameters of a request. The error is INVALID_ARGUMENT.
func queryOf(raw string, now time.Time) (usage.Query, error) {
	params, err := url.ParseQuery(raw)
	if err != nil {
		return usage.Query{}, sqlq.Errorf(sqlq.InvalidArgument, "the query string is not valid").WithCause(err)
	}
	known := []string{From, To, By, Token, Subject, Endpoint}
	for name, values := range params {
		switch {
		case !slices.Contains(known, name):
			return usage.Query{}, sqlq.ParamErrorf(name, "is not a parameter; the parameters are %s", strings.Join(known, ", "))
		case len(values) > 1:
			return usage.Query{}, sqlq.ParamErrorf(name, "is given more than once")
		}
	}
	query := usage.Query{To: now.UTC(), Token: params.Get(Token), Subject: params.Get(Subject), Endpoint: params.Get(Endpoint)}
	if query.To, err = dayOf(params, To, now, now.UTC()); err != nil {
		return usage.Query{}, err
	}
	if query.From, err = dayOf(params, From, now, query.To.AddDate(0, 0, 1-DefaultDays)); err != nil {
		return usage.Query{}, err
	}
	if query.To.Before(query.From) {
		return usage.Query{}, sqlq.ParamErrorf(From, "%s is after to, %s", query.From.Format(time.DateOnly), query.To.Format(time.DateOnly))
	}
	query.By, err = dimensionsOf(params.Get(By))
	return query, err
}

// dayOf returns the day of a parameter, in UTC.
func dayOf(params url.Values, name string, now, fallback time.Time) (time.Time, error) {
	text := params.Get(name)
	if text == "" {
		return fallback, nil
	}
	day, err := sqlq.ParseDateAt(text, now)
	if err != nil {
		return time.Time{}, sqlq.ParamErrorf(name, "%s", err)
	}
	return day, nil
}

// dimensionsOf returns the dimensions of a list with commas, in the order of the columns. An
// empty list means all.
func dimensionsOf(text string) ([]usage.Dimension, error) {
	all := usage.Dimensions()
	if text == "" {
		return all, nil
	}
	var chosen []usage.Dimension
	for name := range strings.SplitSeq(text, ",") {
		if !slices.Contains(all, usage.Dimension(name)) {
			return nil, sqlq.ParamErrorf(By, "%s is not one of %s", sqlq.Quote(name), sqlq.Join(all))
		}
		chosen = append(chosen, usage.Dimension(name))
	}
	return slices.DeleteFunc(all, func(dimension usage.Dimension) bool { return !slices.Contains(chosen, dimension) }), nil
}

// resultOf returns the rows as the result of a saved query.
func resultOf(by []usage.Dimension, rows []usage.Row) *sqlq.Result {
	result := &sqlq.Result{Columns: Columns(by), Rows: make([][]any, len(rows))}
	for i, row := range rows {
		values := make([]any, 0, len(result.Columns))
		for _, dimension := range by {
			_, value := columnOf(dimension, row)
			values = append(values, value)
		}
		result.Rows[i] = append(values, row.Requests, row.Hits, row.Errors, row.Rows, row.Runs, row.Bytes, row.EngineTime.Seconds())
	}
	return result
}

// columnOf returns the column of a dimension, and its value in a row.
func columnOf(dimension usage.Dimension, row usage.Row) (column sqlq.Column, value any) {
	column = sqlq.Column{Name: string(dimension), Type: sqlq.String}
	switch dimension {
	case usage.ByDay:
		column.Type, column.Description, value = sqlq.Date, "Day, in UTC.", row.Day
	case usage.ByToken:
		column.Description, value = "Name of the token; (server) is the server itself, which refreshes cache entries.", row.Token
	case usage.BySubject:
		column.Nullable, column.Description = true, "Subject of a signed token; (other) is all further subjects of a day with too many."
		if row.Subject != "" {
			value = row.Subject
		}
	case usage.ByEndpoint:
		column.Description, value = "Name of the saved query.", row.Endpoint
	}
	return column, value
}

// Columns returns the columns of a response by dimensions.
func Columns(by []usage.Dimension) []sqlq.Column {
	columns := make([]sqlq.Column, 0, len(by))
	for _, dimension := range by {
		column, _ := columnOf(dimension, usage.Row{})
		columns = append(columns, column)
	}
	return append(columns,
		sqlq.Column{Name: "requests", Type: sqlq.Int64, Description: "Requests. A GraphQL field is one."},
		sqlq.Column{Name: "hits", Type: sqlq.Int64, Description: "Requests that were served from the cache."},
		sqlq.Column{Name: "errors", Type: sqlq.Int64, Description: "Requests that ended with an error."},
		sqlq.Column{Name: "rows", Type: sqlq.Int64, Description: "Rows of all responses, cached ones included."},
		sqlq.Column{Name: "runs", Type: sqlq.Int64, Description: "Runs of the engine."},
		sqlq.Column{Name: "bytes", Type: sqlq.Int64, Description: "Bytes that the engine bills for; 0 if it does not count."},
		sqlq.Column{Name: "engine_seconds", Type: sqlq.Float64, Description: "How long the engine ran."},
	)
}
