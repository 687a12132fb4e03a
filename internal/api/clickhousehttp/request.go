package clickhousehttp

import (
	"cmp"
	"mime"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"savedq/internal/http/contentcoding"
	"savedq/sqlq"
	"savedq/sqlq/clickhousesql"
)

// mostBodyBytes limits the text in the body of a request.
const mostBodyBytes = 256 << 10

// request is what a client sends.
type request struct {
	Query

	format  format
	options options
	queryID string
	// mostRows is the most rows that the client wants, and 0 means any number. With cutsRows, further ones are cut off; otherwise they are
	// an error. limit cuts them off, too.
	mostRows, limit int
	cutsRows        bool
	timeout         time.Duration
	// isCompressed means blocks with a header of their own, compressed by method.
	isCompressed bool
	method       string
}

// setting reads the value of a setting in the URL.
type setting func(r *request, value string) error

// harmless are settings that clients send, and that change nothing here: reading needs none of them, or they are about how a server
// works.
const harmless = "add_http_cors_header allow_experimental_analyzer buffer_size cancel_http_readonly_queries_on_client_close connect_timeout database date_time_input_format " +
	"enable_http_compression http_headers_progress_interval_ms http_make_head_request http_max_chunk_size http_receive_timeout http_send_timeout http_write_exception_in_output_format " +
	"http_zlib_compression_level log_comment log_queries max_block_size max_bytes_before_external_group_by max_bytes_before_external_sort max_bytes_to_read max_execution_speed " +
	"max_insert_block_size max_memory_usage max_query_size max_rows_to_read max_threads min_execution_speed network_zstd_compression_level output_format_json_named_tuples_as_objects " +
	"output_format_json_validate_utf8 priority query_cache_ttl quota_key readonly receive_timeout role send_progress_in_http_headers send_timeout session_check session_id session_timeout " +
	"stream_like_engine_allow_direct_select timeout_before_checking_execution_speed use_query_cache user wait_end_of_query"

// settings are those that mean something.
func settings() map[string]setting {
	whole := func(into func(r *request) *int) setting {
		return func(r *request, value string) error {
			number, err := strconv.Atoi(value)
			if err != nil || number < 0 {
				return failuref(badArguments, "%s is no whole number", sqlq.Quote(value))
			}
			*into(r) = number
			return nil
		}
	}
	flag := func(into func(r *request) *bool) setting {
		return func(r *request, value string) error {
			switch value {
			case "1", "true":
				*into(r) = true
			case "0", "false":
			default:
				return failuref(badArguments, "%s is neither 0 nor 1", sqlq.Quote(value))
			}
			return nil
		}
	}
	only := func(why string, values ...string) setting {
		return func(_ *request, value string) error {
			if !slices.Contains(values, value) {
				return failuref(badArguments, "%s is not supported; %s", sqlq.Quote(value), why)
			}
			return nil
		}
	}
	return map[string]setting{
		"client_protocol_version": whole(func(r *request) *int { return &r.options.revision }),
		"max_result_rows":         whole(func(r *request) *int { return &r.mostRows }),
		"limit":                   whole(func(r *request) *int { return &r.limit }),
		"compress":                flag(func(r *request) *bool { return &r.isCompressed }),
		"output_format_json_quote_64bit_integers": flag(func(r *request) *bool { return &r.options.quoteInts }),
		"decompress":                         only("send the body as it is, or with Content-Encoding", "0", "false"),
		"session_timezone":                   only("times are in UTC", "", "UTC", "Etc/UTC", "GMT"),
		"date_time_output_format":            only("times are written as 2026-01-31 10:00:00", "simple"),
		"output_format_json_quote_denormals": only("NaN and infinities are null in JSON", "0", "false"),
		"result_overflow_mode": func(r *request, value string) error {
			r.cutsRows = value == "break"
			return only("use throw or break", "throw", "break")(r, value)
		},
		"network_compression_method": func(r *request, value string) error {
			r.method = strings.ToUpper(value)
			return only("use LZ4 or ZSTD", "LZ4", "ZSTD")(r, r.method)
		},
		"max_execution_time": func(r *request, value string) error {
			seconds, err := strconv.ParseFloat(value, 64)
			if err != nil || seconds < 0 || seconds > time.Hour.Seconds()*24 {
				return failuref(badArguments, "%s is no number of seconds of a day", sqlq.Quote(value))
			}
			r.timeout = time.Duration(seconds * float64(time.Second))
			return nil
		},
		"password": func(*request, string) error {
			return failuref(badArguments, "send the token in a header, since URLs are logged: as the password of Basic authentication, in X-ClickHouse-Key, or as Bearer")
		},
	}
}

// readRequest reads a request.
func readRequest(w http.ResponseWriter, r *http.Request) (*request, error) {
	query, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		return nil, failuref(badArguments, "the query string is malformed")
	}
	read := &request{Query: Query{Params: make(map[string]string)}, method: "LZ4"}
	body := ""
	if r.Method == http.MethodPost {
		if body, err = readBody(w, r); err != nil {
			return nil, err
		}
	}
	// The text in the URL is before the one in the body.
	text := strings.Join(slices.DeleteFunc(append(query["query"], body), func(text string) bool { return text == "" }), "\n")
	statement := clickhousesql.StatementOf(text)
	if isWriting(statement.Verb) {
		return nil, failuref(readOnly, "%s is not allowed: this interface only reads, with SELECT, SHOW and DESCRIBE", statement.Verb)
	}
	read.SQL = statement.SQL
	// Clients for Java have the format and the id in headers.
	if read.format, err = formatNamed(cmp.Or(statement.Format, query.Get("default_format"), r.Header.Get(formatHeader))); err != nil {
		return nil, err
	}
	read.queryID = cmp.Or(query.Get("query_id"), r.Header.Get(idHeader))
	return read, read.readSettings(query)
}

func (r *request) readSettings(query url.Values) error {
	known := settings()
	for name, values := range query {
		param, isParam := strings.CutPrefix(name, "param_")
		switch {
		case isParam:
			r.Params[param] = values[len(values)-1]
		case slices.Contains([]string{"query", "default_format", "query_id"}, name), slices.Contains(strings.Fields(harmless), name):
		case known[name] != nil:
			if err := known[name](r, values[len(values)-1]); err != nil {
				return failuref(kindOf(err), "the setting %s: %s", name, sqlq.AsError(err).Message)
			}
		default:
			return failuref(unknownSetting, "the setting %s is not supported; leave it out", sqlq.Quote(name))
		}
	}
	return nil
}

// readBody reads the text in a body, whatever its content type is, since clients such as curl send a wrong one.
func readBody(w http.ResponseWriter, r *http.Request) (string, error) {
	if mediaType, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type")); mediaType == "multipart/form-data" {
		return "", failuref(badArguments, "bodies in several parts, such as tables of the request, are not supported; send the SQL as the body")
	}
	body, _, err := contentcoding.NewDecoder(mostBodyBytes).Read(w, r)
	return string(body), err
}

// isWriting reports whether a statement changes data, settings or a server.
func isWriting(verb string) bool {
	const verbs = "ALTER ATTACH BACKUP BEGIN COMMIT CREATE DELETE DETACH DROP EXCHANGE EXECUTE GRANT INSERT KILL MOVE OPTIMIZE RENAME REPLACE RESTORE REVOKE ROLLBACK SET SYSTEM TRUNCATE UNDROP UPDATE USE WATCH"
	return verb != "" && slices.Contains(strings.Fields(verbs), verb)
}

// listed writes names in a list.
func listed(names []string) string {
	last := len(names) - 1
	return strings.Join(names[:last], ", ") + " and " + names[last]
}
