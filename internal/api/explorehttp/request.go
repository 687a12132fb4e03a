package explorehttp

import (
	"cmp"
	"encoding/json"
	"net/http"
	"strconv"
	"strings"

	"savedq/internal/http/httpjson"
	"savedq/sqlq"
	"savedq/sqlq/googlesql"
)

// mostBodyBytes limits the body of a request.
const mostBodyBytes = 256 << 10

// Dialects of SQL. DuckDB's is for a developer's own server, and ClickHouse's is over the one table logs.
const (
	GoogleSQL  = googlesql.Language
	DuckDB     = "duckdb"
	ClickHouse = "clickhouse"
)

// DialectParam names the dialect in requests.
const DialectParam = "dialect"

// Request asks for the rows of SQL.
type Request struct {
	// Dialect is one of the constants.
	Dialect, SQL string
	// Params are raw values of parameters, as in a query string. One without values is NULL.
	Params map[string][]string
}

// SaveRequest asks for a saved query with SQL, or for another SQL of one.
type SaveRequest struct {
	Name        string `json:"name"`
	Dialect     string `json:"dialect"`
	SQL         string `json:"sql"`
	Description string `json:"description"`
	// Replace means that the SQL of the saved query is replaced, and that its query.yaml stays as it is.
	Replace bool `json:"replace"`
}

func readRequest(r *http.Request) (Request, error) {
	var body struct {
		Dialect string         `json:"dialect"`
		SQL     string         `json:"sql"`
		Params  map[string]any `json:"params"`
	}
	if err := httpjson.Read(r, &body, mostBodyBytes, `a JSON object such as {"sql": "SELECT COUNT(*) AS n FROM edge_logs WHERE timestamp > @since", "params": {"since": "2026-01-31T00:00:00Z"}}`); err != nil {
		return Request{}, err
	}
	request := Request{Dialect: cmp.Or(body.Dialect, GoogleSQL), SQL: body.SQL, Params: make(map[string][]string, len(body.Params))}
	for name, value := range body.Params {
		texts, ok := textsOf(value)
		if !ok {
			return Request{}, sqlq.ParamErrorf(name, "must be a string, a number, a boolean, null, or a list of these")
		}
		request.Params[name] = texts
	}
	return request, requireSQL(request.Dialect, request.SQL)
}

func readSaveRequest(r *http.Request) (SaveRequest, error) {
	var request SaveRequest
	if err := httpjson.Read(r, &request, mostBodyBytes, `a JSON object such as {"name": "functions.slowest", "sql": "SELECT …", "description": "The slowest functions."}`); err != nil {
		return SaveRequest{}, err
	}
	request.Dialect = cmp.Or(request.Dialect, GoogleSQL)
	return request, requireSQL(request.Dialect, request.SQL)
}

// readDialect returns the dialect that the query string names.
func readDialect(r *http.Request) (string, error) {
	dialect := cmp.Or(r.URL.Query().Get(DialectParam), GoogleSQL)
	return dialect, requireDialect(dialect)
}

func requireDialect(dialect string) error {
	if dialect != GoogleSQL && dialect != DuckDB && dialect != ClickHouse {
		return sqlq.ParamErrorf(DialectParam, "must be %s, %s or %s", GoogleSQL, ClickHouse, DuckDB)
	}
	return nil
}

func requireSQL(dialect, sql string) error {
	if err := requireDialect(dialect); err != nil {
		return err
	}
	if strings.TrimSpace(sql) == "" {
		return sqlq.ParamErrorf(sqlq.SQLParam, "is required")
	}
	return nil
}

// textsOf returns the value of a parameter as texts, and reports whether it can be one.
func textsOf(value any) (texts []string, ok bool) {
	switch value := value.(type) {
	case nil:
		return nil, true
	case string:
		return []string{value}, true
	case json.Number:
		return []string{value.String()}, true
	case bool:
		return []string{strconv.FormatBool(value)}, true
	case []any:
		texts = []string{}
		for _, element := range value {
			inner, ok := textsOf(element)
			if !ok || len(inner) != 1 {
				return nil, false
			}
			texts = append(texts, inner[0])
		}
		return texts, true
	}
	return nil, false
}
