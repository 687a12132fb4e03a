package main

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"maps"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"

	chproto "github.com/ClickHouse/ch-go/proto"
	"github.com/ClickHouse/clickhouse-go/v2/lib/proto"
)

// server serves ClickHouse's HTTP interface, as far as clickhouse-go and curl notice. Each request has a connection of
// its own, as each has settings of its own.
type server struct {
	library   *library
	directory string
	// user and password are what every request must send.
	user, password string
	queries        atomic.Int64
}

// ServeHTTP runs the query of a request.
func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path == "/ping" {
		_, _ = io.WriteString(w, "Ok.\n")
		return
	}
	response := &response{writer: w}
	if err := s.serve(response, r); err != nil {
		response.fail(err)
	}
}

// serve runs the query of a request.
func (s *server) serve(response *response, r *http.Request) error {
	request, err := s.read(r)
	if err != nil {
		return err
	}
	connection, err := s.library.open(s.directory)
	if err != nil {
		return err
	}
	defer connection.close()
	for _, statement := range request.preparation {
		if _, err := connection.run([]byte(statement), "TSV"); err != nil {
			return err
		}
	}
	if request.cancelled {
		done := make(chan struct{})
		defer close(done)
		go s.killOnceGone(r.Context(), request.tag, done)
	}
	switch {
	case request.isHello:
		return s.hello(connection, response, request)
	case slices.Contains(streamed(), request.format) && !request.whole && isSelect(request.query):
		return connection.stream(request.query, request.format, func(part output) error {
			if request.format == rowBinary && response.begun {
				part.data = part.data[headerLength(part.data):]
			}
			return response.write(part)
		})
	}
	output, err := connection.run(request.query, request.format)
	if err != nil {
		return err
	}
	return response.write(output)
}

// rowBinary is a format whose parts begin with the names and the types of the columns each.
const rowBinary = "RowBinaryWithNamesAndTypes"

// streamed are the formats of which the parts that the library returns make a whole, without their headers.
func streamed() []string { return []string{"Native", rowBinary} }

// headerLength returns the length of the names and the types that a part in rowBinary begins with.
func headerLength(part []byte) int {
	columns, length := binary.Uvarint(part)
	for range 2 * columns {
		text, size := binary.Uvarint(part[length:])
		length += size + int(text)
	}
	return length
}

// isSelect reports whether a query is one that the library can stream.
func isSelect(query []byte) bool {
	return regexp.MustCompile(`(?i)\A\s*(SELECT|WITH)\b`).Match(query)
}

// hello answers the first query of clickhouse-go. It is the only one whose blocks have the format of the protocol
// revision that the client names. All others have that of the revision which the answer names: 0, which is the
// library's own.
func (s *server) hello(connection *connection, response *response, request *request) error {
	output, err := connection.run(request.query, request.format)
	if err != nil {
		return err
	}
	block := proto.NewBlock()
	if err := block.Decode(chproto.NewReader(bytes.NewReader(output.data)), 0); err != nil {
		return err
	}
	encoded := new(chproto.Buffer)
	if err := block.Encode(encoded, request.revision); err != nil {
		return err
	}
	output.data = encoded.Buf
	return response.write(output)
}

// killOnceGone ends a query whose client leaves before it is done.
func (s *server) killOnceGone(ctx context.Context, tag string, done <-chan struct{}) {
	select {
	case <-done:
		return
	case <-ctx.Done():
	}
	killer, err := s.library.open(s.directory)
	if err == nil {
		defer killer.close()
		_, err = killer.run([]byte("KILL QUERY WHERE Settings['"+tagSetting+"'] = "+quote(tag)+" ASYNC"), "TSV")
	}
	if err != nil {
		log.Printf("end a query whose client has left: %v", err)
	}
}

// tagSetting is a setting without effect here. It tags the query of a request, because the library chooses its own ids.
const tagSetting = "query_cache_tag"

// helloQuery begins the first query of clickhouse-go.
const helloQuery = "SELECT displayName(), version(), revision(), timezone()"

// request is what a request asks for.
type request struct {
	// preparation are statements that set what the query needs.
	preparation []string
	query       []byte
	format      string
	isHello     bool
	revision    uint64
	// whole means that the query must end before the response begins.
	whole bool
	// cancelled means that the query ends when its client leaves.
	cancelled bool
	tag       string
}

// read reads a request.
func (s *server) read(r *http.Request) (*request, error) {
	if err := s.authenticate(r); err != nil {
		return nil, err
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	values := r.URL.Query()
	query := []byte(values.Get("query"))
	if len(query) > 0 && len(body) > 0 {
		query = append(query, '\n')
	}
	query = append(query, body...)
	asked := &request{query: query, format: "TabSeparated", tag: strconv.FormatInt(s.queries.Add(1), 10)}
	if format := values.Get("default_format"); format != "" {
		asked.format = format
	}
	if string(query) == helloQuery {
		asked.isHello = true
		asked.query = bytes.Replace(query, []byte("revision()"), []byte("toUInt32(0)"), 1)
		if asked.revision, err = strconv.ParseUint(values.Get("client_protocol_version"), 10, 64); err != nil {
			return nil, err
		}
	}
	asked.whole = values.Get("wait_end_of_query") == "1"
	asked.cancelled = values.Get("cancel_http_readonly_queries_on_client_close") == "1" && values.Get("readonly") > "0"
	asked.prepare(values)
	return asked, nil
}

// prepare makes the statements that come before the query. The setting readonly is the last, because it protects the others.
func (q *request) prepare(values url.Values) {
	set := func(name, value string) {
		q.preparation = append(q.preparation, "SET "+name+" = "+quote(value))
	}
	if database := values.Get("database"); database != "" {
		q.preparation = append(q.preparation, "USE `"+strings.ReplaceAll(database, "`", "\\`")+"`")
	}
	set(tagSetting, q.tag)
	for _, name := range slices.Sorted(maps.Keys(values)) {
		switch name {
		case "query", "database", "default_format", "client_protocol_version", "query_id", "quota_key", "user", "password", "wait_end_of_query",
			"readonly":
		default:
			set(name, values.Get(name))
		}
	}
	if level := values.Get("readonly"); level != "" {
		set("readonly", level)
	}
}

// quote returns a string literal.
func quote(text string) string {
	return "'" + strings.NewReplacer(`\`, `\\`, `'`, `\'`).Replace(text) + "'"
}

// authenticate compares the user and the password of a request.
func (s *server) authenticate(r *http.Request) error {
	user, password, found := r.BasicAuth()
	switch {
	case found:
	case r.Header.Get("X-ClickHouse-User") != "":
		user, password = r.Header.Get("X-ClickHouse-User"), r.Header.Get("X-ClickHouse-Key")
	default:
		user, password = r.URL.Query().Get("user"), r.URL.Query().Get("password")
	}
	if user == "" {
		user = "default"
	}
	if user == s.user && password == s.password {
		return nil
	}
	return fmt.Errorf("Code: 516. DB::Exception: %s: Authentication failed: password is incorrect, or there is no user with such name. (AUTHENTICATION_FAILED)", user) //nolint:staticcheck // ClickHouse's text
}

// exceptionTag tells an error in the rows of a response from rows that look like one. The server has another for each response.
const exceptionTag = "chdbtestchdbtest"

// response writes a response.
type response struct {
	writer http.ResponseWriter
	begun  bool
}

// write writes a part of the output. Headers say what the first part has read of tables.
func (r *response) write(part output) error {
	if !r.begun {
		r.begun = true
		summary, err := json.Marshal(map[string]string{
			"read_rows": strconv.FormatUint(part.rowsRead, 10), "read_bytes": strconv.FormatUint(part.bytesRead, 10),
		})
		if err != nil {
			return err
		}
		r.writer.Header().Set("X-ClickHouse-Summary", string(summary))
		r.writer.Header().Set("X-ClickHouse-Exception-Tag", exceptionTag)
	}
	if _, err := r.writer.Write(part.data); err != nil {
		return err
	}
	return http.NewResponseController(r.writer).Flush()
}

// fail says why a query failed, as the server does: with a status, or in the stream that has begun.
func (r *response) fail(err error) {
	var code string
	if found := regexp.MustCompile(`\ACode: (\d+)\.`).FindStringSubmatch(err.Error()); found != nil {
		code = found[1]
	}
	if r.begun {
		_, _ = fmt.Fprintf(r.writer, "\r\n__exception__\r\n%s\r\n%s\n%d %s\r\n__exception__\r\n", exceptionTag, err, len(err.Error())+1, exceptionTag)
		return
	}
	if code != "" {
		r.writer.Header().Set("X-ClickHouse-Exception-Code", code)
	}
	r.writer.WriteHeader(statusOf(code))
	_, _ = fmt.Fprintln(r.writer, err)
}

// statusOf returns the HTTP status of a code.
func statusOf(code string) int {
	switch code {
	case "516":
		return http.StatusForbidden
	case "159":
		return http.StatusRequestTimeout
	case "60", "81":
		return http.StatusNotFound
	case "62", "47", "36":
		return http.StatusBadRequest
	}
	return http.StatusInternalServerError
}

// errNoLibrary says how to get the library.
var errNoLibrary = errors.New("ClickHouse as a library is not installed: run \"npm ci --ignore-scripts\" in sqlq/clickhouse/chdbtest, " +
	"or set CHDB_LIB_PATH to libchdb.so")
