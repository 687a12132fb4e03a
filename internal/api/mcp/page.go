package mcp

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"savedq/sqlq"
	"savedq/sqlq/cache"
	"savedq/sqlq/runner"
)

// A result has at most pageRows rows (D45), and after the first one only those that end within about pageBytes of
// JSON: a model reads all of it.
const (
	pageRows  = 200
	pageBytes = 64 << 10
)

// The parts of an encoded page, besides its JSON.
const (
	escapedPart = "escaped"
	versionPart = "version"
)

// page returns the chosen rows of a response, as the JSON of a string and as an object. An
// empty cursor gets the first rows. After the first row, the page ends within a number of bytes.
func page(response *runner.Response, args pageArguments, most int) (text, structured []byte, err error) {
	chosen, err := chooseColumns(response.Result.Columns, args.columns)
	if err != nil {
		return nil, nil, err
	}
	cursor := args.cursor
	start, version, valid := parseCursor(cursor)
	if !valid || start > 0 && start >= len(response.Result.Rows) {
		return nil, nil, cursorError()
	}
	encoded := runner.Encode(fmt.Sprint(response.Key, " mcp ", start, chosen), []*runner.Response{response}, nil, func() *cache.Encoded {
		return encodePage(response, chosen, start, most)
	})
	if cursor != "" && encoded.Texts[versionPart][0] != version {
		return nil, nil, cursorError()
	}
	freshness := appendFreshness(nil, response)
	structured = slices.Concat(encoded.Body, freshness)
	return slices.Concat([]byte{'"'}, []byte(encoded.Texts[escapedPart][0]), escape(freshness), []byte{'"'}), structured, nil
}

// encodePage encodes the part of a page that is the same for all callers.
func encodePage(response *runner.Response, chosen []int, start, most int) *cache.Encoded {
	rows := response.Result.Rows
	body, end := appendRows([]byte(`{"rows":[`), response.Result, chosen, start, most)
	version, note, next := "", "", response.Result.Next
	if start > 0 || end < len(rows) {
		version = versionOf(response)
	}
	switch {
	case end < len(rows):
		note = fmt.Sprintf("These are rows %d to %d of %d. To get the next ones, repeat the call with the argument %s.", start+1, end, len(rows), cursorParam)
		next = newCursor(end, version)
	case next != "":
		note = fmt.Sprintf("There can be more rows. To get them, repeat the call with the argument %s.", cursorParam)
	case response.Result.Truncated:
		note = fmt.Sprintf("The query has more rows, but returns no more than %d. To get others, change its arguments.", len(rows))
	}
	body = strconv.AppendBool(append(body, `],"truncated":`...), note != "")
	if note != "" {
		body = sqlq.AppendValue(append(body, `,"note":`...), sqlq.String, note)
	}
	if next != "" {
		body = sqlq.AppendValue(append(body, `,"`+cursorParam+`":`...), sqlq.String, next)
	}
	return &cache.Encoded{Body: body, Texts: map[string][]string{escapedPart: {string(escape(body))}, versionPart: {version}}}
}

// chooseColumns returns the indexes of the columns with the names, in the order of the columns; nil for all, if there are
// no names. The error lists the columns.
func chooseColumns(columns []sqlq.Column, names []string) (chosen []int, err error) {
	if len(names) == 0 {
		return nil, nil
	}
	all := sqlq.ColumnNames(columns)
	for _, name := range names {
		if !slices.Contains(all, name) {
			return nil, sqlq.ParamErrorf(columnsParam, "%s is not a column; use some of %s", sqlq.Quote(name), strings.Join(all, ", "))
		}
	}
	for i, name := range all {
		if slices.Contains(names, name) {
			chosen = append(chosen, i)
		}
	}
	return chosen, nil
}

// picker picks the values of chosen columns.
type picker[T any] struct {
	chosen []int
	picked []T
}

// pick returns the chosen values, which the next call overwrites.
func (p *picker[T]) pick(all []T) []T {
	if p.chosen == nil {
		return all
	}
	p.picked = p.picked[:0]
	for _, i := range p.chosen {
		p.picked = append(p.picked, all[i])
	}
	return p.picked
}

// appendRows appends the chosen columns of the rows of a page, after the first one within a number of bytes. It returns where the next page
// starts.
func appendRows(dst []byte, result *sqlq.Result, chosen []int, start, most int) (body []byte, end int) {
	columns := picker[sqlq.Column]{chosen: chosen}
	encoder := sqlq.NewRowEncoder(columns.pick(result.Columns)).WithISOTimes()
	values := picker[any]{chosen: chosen}
	first := len(dst)
	for end = start; end < min(start+pageRows, len(result.Rows)); end++ {
		before := len(dst)
		if end > start {
			dst = append(dst, ',')
		}
		dst = encoder.AppendJSON(dst, values.pick(result.Rows[end]))
		if end > start && len(dst)-first > most {
			return dst[:before], end
		}
	}
	return dst, end
}

// appendFreshness appends how fresh the rows are, and ends the object.
func appendFreshness(dst []byte, response *runner.Response) []byte {
	dst = append(append(dst, `,"freshness":{"cache":"`...), response.Cache...)
	dst = strconv.AppendInt(append(dst, `","ageSeconds":`...), int64(response.Age/time.Second), 10)
	dst = response.AsOf.UTC().Truncate(time.Microsecond).AppendFormat(append(dst, `,"asOf":"`...), time.RFC3339Nano)
	dst = strconv.AppendInt(append(dst, `","ttlMs":`...), response.Left.Milliseconds(), 10)
	return append(dst, "}}"...)
}

// escape returns JSON as a part of a JSON string.
func escape(text []byte) []byte {
	quoted := sqlq.AppendValue(nil, sqlq.String, string(text))
	return quoted[1 : len(quoted)-1]
}

// versionOf identifies a request and all of its rows. A cursor is one of them, and not of a cache
// entry, so that it is also valid for rows that are not cached, or were computed again and are the same.
func versionOf(response *runner.Response) string {
	encoded := runner.Encode(response.Key+" mcp version", []*runner.Response{response}, nil, func() *cache.Encoded {
		const bytes = 12
		hash := sha256.Sum256(response.Result.AppendJSON([]byte(response.Key + "\n")))
		return &cache.Encoded{Texts: map[string][]string{versionPart: {hex.EncodeToString(hash[:bytes])}}}
	})
	return encoded.Texts[versionPart][0]
}

// newCursor returns the cursor of the rows from start on.
func newCursor(start int, version string) string {
	return base64.RawURLEncoding.EncodeToString([]byte(strconv.Itoa(start) + "." + version))
}

// parseCursor returns where the rows of a cursor start, and their version. It reports false for any other
// text. An empty cursor starts at the first row.
func parseCursor(cursor string) (start int, version string, valid bool) {
	if cursor == "" {
		return 0, "", true
	}
	text, err := base64.RawURLEncoding.Strict().DecodeString(cursor)
	number, version, _ := strings.Cut(string(text), ".")
	start, notNumber := strconv.Atoi(number)
	return start, version, err == nil && notNumber == nil && start > 0
}

// cursorError returns the error for a cursor of other rows.
func cursorError() error {
	return sqlq.ParamErrorf(cursorParam, "is not one of these rows: they have changed since, or the other arguments have; repeat the call without %s", cursorParam)
}
