// Package clickhousehttp serves SQL of callers as ClickHouse serves it over HTTP, to BI tools and clients of ClickHouse (ADR 070).
package clickhousehttp

import (
	"context"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"github.com/ClickHouse/ch-go/compress"

	"savedq/internal/http/contentcoding"
	"savedq/internal/http/httpcache"
	"savedq/internal/http/httperror"
	"savedq/internal/http/onewrite"
	"savedq/internal/observe/requestlog"
	"savedq/sqlq"
)

// Path is where clients are told to send requests: they have a setting for it.
const (
	Path     = "/clickhouse"
	PingPath = Path + "/ping"
)

// Headers of requests and of responses.
const (
	formatHeader = "X-ClickHouse-Format"
	idHeader     = "X-ClickHouse-Query-Id"
)

// Query is SQL of a client in ClickHouse's dialect.
type Query struct {
	SQL string
	// Params are the values of parameters, as the client sent them; see [ParamTexts].
	Params map[string]string
}

// Config configures the handler. Every field is required.
type Config struct {
	// Run returns the rows of SQL, with the types of their columns in ClickHouse.
	Run    func(ctx context.Context, query Query) (result *sqlq.Result, types []string, err error)
	Clock  func() time.Time
	Errors *httperror.Writer
}

// NewHandler returns the handler for [Path] and the paths below it. The caller must pass only requests whose token may explore.
func NewHandler(config Config) http.Handler { return &handler{config} }

type handler struct{ Config }

func (h *handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var err error
	switch {
	case r.Method != http.MethodGet && r.Method != http.MethodPost:
		w.Header().Set("Allow", "GET, POST")
		err = sqlq.Errorf(sqlq.MethodNotAllowed, "this path does not support the method %s; use GET or POST", r.Method)
	case r.URL.Path == PingPath, r.Method == http.MethodGet && r.URL.Path != PingPath && !r.URL.Query().Has("query") && isRoot(r.URL.Path):
		ping(w)
	case isRoot(r.URL.Path):
		err = h.query(w, r)
	default:
		err = sqlq.Errorf(sqlq.NotFound, "nothing is served at this path; queries are at %s", Path)
	}
	if err != nil {
		WriteError(h.Errors, w, r, err)
	}
}

func isRoot(path string) bool { return path == Path || path == Path+"/" }

// ping is how clients find out whether a server answers.
func ping(w http.ResponseWriter) {
	w.Header().Set("Content-Type", "text/html; charset=UTF-8")
	w.Header().Set("Cache-Control", "no-store")
	_, _ = w.Write([]byte("Ok.\n")) // an error means that the client has gone
}

// query runs SQL. All rows are encoded before the first byte is sent, so that a mistake is never behind a status of success.
func (h *handler) query(w http.ResponseWriter, r *http.Request) error {
	request, err := readRequest(w, r)
	if err != nil {
		return err
	}
	ctx := r.Context()
	if request.timeout > 0 {
		limited, cancel := context.WithTimeoutCause(ctx, request.timeout, sqlq.Errorf(sqlq.DeadlineExceeded, "the query took longer than max_execution_time"))
		defer cancel()
		ctx = limited
	}
	began := h.Clock()
	result, types, err := h.Run(ctx, request.Query)
	if err != nil {
		return sqlq.ErrorIn(ctx, err)
	}
	if result, err = request.within(result); err != nil {
		return err
	}
	all, err := rowsOf(result, types)
	if err != nil {
		return fmt.Errorf("encode the rows for ClickHouse's clients: %w", err)
	}
	all.took = h.Clock().Sub(began)
	body := request.format.encode(all, request.options)
	if request.isCompressed {
		if body, err = compressed(body, request.method); err != nil {
			return err
		}
	}
	request.write(w, r, all, body)
	return nil
}

// within returns the rows that the client wants. A result without all of its rows is an error unless the client says otherwise: it would
// look like a whole one.
func (r *request) within(result *sqlq.Result) (*sqlq.Result, error) {
	most, isCut := len(result.Rows), result.Truncated
	if r.mostRows > 0 && most > r.mostRows {
		most, isCut = r.mostRows, true
	}
	if r.limit > 0 && most >= r.limit {
		most, isCut = r.limit, false
	}
	if isCut && !r.cutsRows {
		return nil, failuref(tooManyRows, "the result has more than %d rows; add a LIMIT or a GROUP BY, or set result_overflow_mode to break", most)
	}
	cut := *result
	cut.Rows = result.Rows[:most]
	return &cut, nil
}

// write writes a response.
func (r *request) write(w http.ResponseWriter, sent *http.Request, all *rows, body []byte) {
	header := w.Header()
	if !r.isCompressed {
		if coding := contentcoding.Choose(sent.Header["Accept-Encoding"], len(body)); coding != contentcoding.Identity {
			body = coding.Encode(body)
			header.Set("Content-Encoding", string(coding))
		}
	}
	httpcache.AddVary(header, "Accept-Encoding, "+httpcache.Credentials)
	header.Set("Content-Type", r.format.contentType)
	header.Set("Content-Length", strconv.Itoa(len(body)))
	header.Set("Cache-Control", "no-store")
	header.Set(formatHeader, r.format.name)
	header.Set("X-ClickHouse-Timezone", "UTC")
	header.Set("X-ClickHouse-Server-Display-Name", "savedq")
	header.Set(idHeader, r.id(sent.Context()))
	header.Set("X-ClickHouse-Summary", fmt.Sprintf(`{"result_rows":"%d","elapsed_ns":"%d"}`, len(all.values), all.took.Nanoseconds()))
	w.WriteHeader(http.StatusOK)
	onewrite.Write(w, sent, body)
}

// id is the id that the client gave the query, or that of the request, under which the log has it.
func (r *request) id(ctx context.Context) string {
	const longest = 128
	if r.queryID != "" && len(r.queryID) <= longest {
		return r.queryID
	}
	return requestlog.ID(ctx)
}

// compressed returns a body in blocks that are compressed, each with a header of its own.
func compressed(body []byte, name string) ([]byte, error) {
	const blockBytes = 1 << 20
	method := map[string]compress.Method{"LZ4": compress.LZ4, "ZSTD": compress.ZSTD}[name]
	writer := compress.NewWriter(compress.LevelZero, method)
	var out []byte
	for len(body) > 0 {
		block := body[:min(len(body), blockBytes)]
		body = body[len(block):]
		if err := writer.Compress(block); err != nil {
			return nil, fmt.Errorf("compress a response: %w", err)
		}
		out = append(out, writer.Data...)
	}
	return out, nil
}
