package runner

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"savedq/sqlq"
)

// cursor is where a page ended. Callers get it as an opaque text, and can send everything in it as parameters, too.
type cursor struct {
	// Args is a hash of the arguments that all pages have.
	Args []byte `json:"a"`
	// Params are the last values of the page, and the times that could have been relative to now on the first page.
	Params map[string]string `json:"p"`
}

// cursorEncoding has no characters that a query string would escape.
func cursorEncoding() *base64.Encoding { return base64.RawURLEncoding.Strict() }

const signatureBytes = 16

// sign returns a hash of a cursor and of the definition of its saved query. The cursor of another saved query, or of
// an earlier version, has another one.
func sign(query *sqlq.SavedQuery, content []byte) []byte {
	hash := sha256.New()
	_, _ = fmt.Fprintf(hash, "%s\n%s\n", keyPrefix(query), content)
	return hash.Sum(nil)[:signatureBytes]
}

// encode returns the cursor as callers get it.
func (c *cursor) encode(query *sqlq.SavedQuery) (string, error) {
	content, err := json.Marshal(c)
	if err != nil {
		return "", err
	}
	return cursorEncoding().EncodeToString(append(sign(query, content), content...)), nil
}

// decodeCursor returns the cursor that a caller sent. The error is an [*sqlq.Error].
func decodeCursor(query *sqlq.SavedQuery, text string) (*cursor, error) {
	wrong := sqlq.ParamErrorf(sqlq.AfterParam, "is not a cursor of this version of the saved query; leave it out to begin with the first page")
	decoded, err := cursorEncoding().DecodeString(text)
	if err != nil || len(decoded) < signatureBytes || strings.ContainsAny(text, "\r\n") { // the decoder skips these
		return nil, wrong
	}
	signature, content := decoded[:signatureBytes], decoded[signatureBytes:]
	found := &cursor{}
	if !bytes.Equal(signature, sign(query, content)) || json.Unmarshal(content, found) != nil || !found.fits(query) {
		return nil, wrong
	}
	return found, nil
}

// fits reports whether the cursor has only parameters that cursors have: a caller who knows the SQL can make one.
func (c *cursor) fits(query *sqlq.SavedQuery) bool {
	for name := range c.Params {
		isKey := slices.ContainsFunc(query.Pages.After, func(key sqlq.PageKey) bool { return key.Param == name })
		if param := query.Param(name); param == nil || !isKey && !param.TakesRelative() {
			return false
		}
	}
	return true
}

// goOn returns the parameters of the request and of its cursor, and the cursor; nil if it has none.
func (r *Request) goOn() (map[string][]string, *cursor, error) {
	texts := r.Params[sqlq.AfterParam]
	switch {
	case r.Query.Pages == nil:
		return r.Params, nil, nil
	case r.Faults[sqlq.AfterParam] != "":
		return nil, nil, sqlq.ParamErrorf(sqlq.AfterParam, "%s", r.Faults[sqlq.AfterParam])
	case len(texts) > 1:
		return nil, nil, sqlq.ParamErrorf(sqlq.AfterParam, "is given %d times; give it once", len(texts))
	case len(texts) == 0 || texts[0] == "":
		return r.Params, nil, nil
	case r.SQL != "":
		return nil, nil, sqlq.ParamErrorf(sqlq.AfterParam, "is for the rows of the saved query itself, which the SQL replaces; leave one of them out")
	}
	found, err := decodeCursor(r.Query, texts[0])
	if err != nil {
		return nil, nil, err
	}
	params := maps.Clone(r.Params)
	for name, value := range found.Params {
		if given := params[name]; slices.ContainsFunc(given, func(text string) bool { return text != "" && !isSame(r.Query.Param(name), text, value) }) {
			return nil, nil, sqlq.ParamErrorf(name, "differs from the page before; leave it out, because the cursor has it")
		}
		params[name] = []string{value}
	}
	return params, found, nil
}

// isSame reports whether a text of a caller and one of a cursor are the same value of a parameter. A relative time is the one
// that it was on the first page.
func isSame(param *sqlq.Param, given, known string) bool {
	if param.IsRelative(given) {
		return true
	}
	first, err := param.Parse(given)
	second, otherErr := param.Parse(known)
	return err == nil && otherErr == nil && sqlq.EqualValues(first, second)
}

// check returns an error if the arguments differ from the previous page.
func (c *cursor) check(query *sqlq.SavedQuery, args []sqlq.Arg) error {
	if bytes.Equal(c.Args, hashOf(query, args, c.Params)) {
		return nil
	}
	return sqlq.ParamErrorf(sqlq.AfterParam, "is the cursor of a page with other parameters; send the same ones as for that page")
}

// hashOf returns a hash of the arguments that all pages have: without the limit, and those in the cursor.
func hashOf(query *sqlq.SavedQuery, args []sqlq.Arg, inCursor map[string]string) []byte {
	all := slices.DeleteFunc(slices.Clone(args), func(arg sqlq.Arg) bool {
		_, known := inCursor[arg.Name]
		return known || arg.Name == query.Pages.Limit
	})
	hash := sha256.Sum256(appendArgs(nil, all))
	return hash[:signatureBytes]
}

// withNext returns a result with the cursor of its last row, if there can be rows after it.
func withNext(statement sqlq.Statement, result *sqlq.Result) (*sqlq.Result, error) {
	query, args := statement.Query, statement.Args
	if query.Pages == nil || len(result.Rows) == 0 {
		return result, nil
	}
	next := &cursor{Params: make(map[string]string)}
	for i, arg := range args {
		if limit, isNumber := arg.Value.(int64); arg.Name == query.Pages.Limit && isNumber && int64(len(result.Rows)) < limit && !result.Truncated {
			return result, nil
		}
		if query.Params[i].TakesRelative() && arg.Value != nil {
			next.Params[arg.Name] = textOf(arg.Type, arg.Value)
		}
	}
	last := result.Rows[len(result.Rows)-1]
	for _, key := range query.Pages.After {
		text := textOf(query.Columns[key.Column].Type, last[key.Column])
		if text == "" { // an empty parameter is an absent one
			return nil, fmt.Errorf("the column %s of the last row is empty or NULL, so that no page can follow it", query.Columns[key.Column].Name)
		}
		next.Params[key.Param] = text
	}
	next.Args = hashOf(query, args, next.Params)
	paged := *result
	var err error
	if paged.Next, err = next.encode(query); err == nil && len(paged.Next) > sqlq.MostCursorBytes {
		err = fmt.Errorf("the last row has a key that is too long for the cursor, which has at most %d bytes", sqlq.MostCursorBytes)
	}
	return &paged, err
}

// textOf returns a value as a parameter has it; empty for NULL, and for NaN and the infinities, which no parameter can be.
func textOf(typ sqlq.Type, value any) string {
	if sqlq.IsNull(value) {
		return ""
	}
	switch value := value.(type) {
	case string:
		return value
	case time.Time:
		if typ == sqlq.Date {
			return value.Format(time.DateOnly)
		}
	}
	return string(appendArgValue(nil, value))
}
