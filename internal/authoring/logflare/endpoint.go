package logflare

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"time"

	"github.com/google/uuid"

	"savedq/sqlq"
	"savedq/sqlq/catalog"
)

const (
	// maxSQLBytes limits the SQL of an endpoint.
	maxSQLBytes = 64 << 10
	// maxSeconds limits times, which are days at most.
	maxSeconds = 366 * 24 * 60 * 60
	// defaultMaxRows is what endpoints of Logflare have.
	defaultMaxRows = 1000
)

// Endpoint is an endpoint of Logflare, as a saved query.
type Endpoint struct {
	// WrittenName is its name in the export.
	WrittenName string
	// Token is the text of its id in lower case, and ID is the same or a new one.
	Token       string
	ID          uuid.UUID
	Name        string
	Aliases     []string
	Description string
	// SQL is GoogleSQL, or ClickHouse's SQL if IsClickHouse.
	SQL          string
	IsClickHouse bool
	MaxRows      int
	Cache, Warm  time.Duration
	// Sandboxable means that callers can send SQL of their own.
	Sandboxable bool
	// Sources are the sources that the SQL can name, and what they are in Logflare.
	Sources map[string]string
	// Remarks say what is different in savedq.
	Remarks []string
	// Reasons say why it cannot be imported; empty if it can.
	Reasons []string
	// Exists means that the reason is a folder that exists.
	Exists bool
}

// Remark adds a remark.
func (e *Endpoint) Remark(text string) { e.remarkf("%s", text) }

// Reject adds a reason.
func (e *Endpoint) Reject(text string) { e.rejectf("%s", text) }

func (e *Endpoint) remarkf(format string, args ...any) {
	e.Remarks = append(e.Remarks, fmt.Sprintf(format, args...))
}

func (e *Endpoint) rejectf(format string, args ...any) {
	e.Reasons = append(e.Reasons, fmt.Sprintf(format, args...))
}

// newEndpoint reads an endpoint. Keys that it does not know are ignored.
func newEndpoint(fields object) *Endpoint {
	e := &Endpoint{}
	e.readName(read[string](e, fields, "name", "a string"))
	e.readToken(read[string](e, fields, "token", "a string"))
	e.readSQL(fields)
	e.Description = strings.TrimSpace(read[string](e, fields, "description", "a string"))
	e.Sources = read[map[string]string](e, fields, "source_mapping", "an object whose values are strings")
	e.readCaching(fields)
	e.readMaxRows(fields)
	e.Sandboxable = read[bool](e, fields, "sandboxable", boolean)
	if has(fields, "enable_auth") && !read[bool](e, fields, "enable_auth", boolean) {
		e.remarkf("callers need a token: enable_auth is false in Logflare")
	}
	if read[bool](e, fields, "redact_pii", boolean) {
		e.remarkf("IP addresses are not redacted: savedq does not have redact_pii")
	}
	return e
}

const boolean = "true or false"

// has reports whether an object has a key with a value other than null.
func has(fields object, key string) bool {
	raw, ok := fields[key]
	return ok && string(raw) != "null"
}

// read returns the value of a key: the zero value if it is absent or null. If it has another type, the
// endpoint is rejected.
func read[T any](e *Endpoint, fields object, key, expected string) T {
	var value, zero T
	if !has(fields, key) {
		return zero
	}
	if err := json.Unmarshal(fields[key], &value); err != nil {
		e.rejectf("%s must be %s, not %s", key, expected, excerpt(fields[key]))
		return zero
	}
	return value
}

// excerpt returns the beginning of a value for a message.
func excerpt(raw json.RawMessage) string {
	const most = 40
	if text := []rune(string(raw)); len(text) > most {
		return string(text[:most]) + "…"
	}
	return string(raw)
}

// readName takes the name, or makes a valid one of it, whose alias it then is.
func (e *Endpoint) readName(written string) {
	e.WrittenName = written
	if written == "" {
		if len(e.Reasons) == 0 {
			e.rejectf("it has no name")
		}
		return
	}
	e.Name = convertName(written)
	switch err := catalog.CheckName(e.Name); {
	case e.Name == "":
		e.rejectf("the name %q has no letter or digit", written)
	case err != nil:
		e.rejectf("the name %s", err)
		e.Name = ""
	case e.Name == written:
	case catalog.CheckAlias(written) == nil:
		e.Aliases = []string{written}
		e.remarkf("the name is %s; %s is an alias, so callers can keep it", e.Name, written)
	default:
		e.remarkf("the name is %s; callers cannot use %q", e.Name, written)
	}
}

// convertName returns a name in lower case, with a dash between words and for what names cannot have.
func convertName(written string) string {
	written = regexp.MustCompile(`([a-z0-9])([A-Z])`).ReplaceAllString(written, "$1-$2")
	name := regexp.MustCompile(`[^a-z0-9._-]+`).ReplaceAllString(strings.ToLower(written), "-")
	name = regexp.MustCompile(`-*([._-])[._-]*`).ReplaceAllString(name, "$1")
	return strings.Trim(name, "._-")
}

func (e *Endpoint) readToken(token string) {
	id, isID := sqlq.ParseID(token)
	switch {
	case isID && id != uuid.Nil:
		e.ID, e.Token = id, id.String()
	case token != "":
		e.rejectf("token %q is not a UUID", token)
	default:
		e.remarkf("it has no token, so the saved query has a new id")
		e.ID = uuid.New()
	}
}

func (e *Endpoint) readSQL(fields object) {
	switch language := read[string](e, fields, "language", "a string"); language {
	case "", "bq_sql":
	case "ch_sql":
		e.IsClickHouse = true
	default:
		e.rejectf("its language is %s; savedq imports GoogleSQL (bq_sql) and ClickHouse's SQL over the table logs (ch_sql)", language)
	}
	before := len(e.Reasons)
	e.SQL = read[string](e, fields, "query", "a string")
	switch {
	case len(e.Reasons) > before:
	case strings.TrimSpace(e.SQL) == "":
		e.rejectf("it has no query")
	case len(e.SQL) > maxSQLBytes:
		e.rejectf("the query is longer than %d KB", maxSQLBytes>>10)
	}
}

func (e *Endpoint) readCaching(fields object) {
	e.Cache = e.readSeconds(fields, "cache_duration_seconds")
	e.Warm = e.readSeconds(fields, "proactive_requerying_seconds")
	if e.Warm > 0 && e.Warm >= e.Cache {
		e.remarkf("it is not refreshed ahead of time: proactive_requerying_seconds (%d) must be less than cache_duration_seconds (%d)", e.Warm/time.Second, e.Cache/time.Second)
		e.Warm = 0
	}
}

func (e *Endpoint) readSeconds(fields object, key string) time.Duration {
	seconds := read[int64](e, fields, key, "a whole number of seconds")
	if seconds < 0 || seconds > maxSeconds {
		e.rejectf("%s must be from 0 to %d, not %d", key, maxSeconds, seconds)
		return 0
	}
	return time.Duration(seconds) * time.Second
}

func (e *Endpoint) readMaxRows(fields object) {
	e.MaxRows = defaultMaxRows
	if !has(fields, "max_limit") {
		return
	}
	before := len(e.Reasons)
	rows := read[int64](e, fields, "max_limit", "a whole number of rows")
	switch {
	case len(e.Reasons) > before:
	case rows < 1:
		e.rejectf("max_limit must be at least 1, not %d", rows)
	case rows > catalog.HighestMaxRows:
		e.remarkf("it has at most %d rows: max_limit is %d", catalog.HighestMaxRows, rows)
		e.MaxRows = catalog.HighestMaxRows
	default:
		e.MaxRows = int(rows)
	}
}
