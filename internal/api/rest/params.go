package rest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"mime"
	"net/http"
	"net/url"
	"strings"
	"unicode/utf8"

	"savedq/internal/text/jsontext"
	"savedq/sqlq"
)

const (
	jsonMediaType = "application/json"
	formMediaType = "application/x-www-form-urlencoded"
	// maxBodyBytes is the maximum size of a request body, decoded.
	maxBodyBytes = 1 << 20
)

// requestParams are the parameters of a request.
type requestParams struct {
	values map[string][]string
	// faults are what is wrong with parameters whose values could not be read.
	faults map[string]string
	// inBody reports whether the request has a body. A cache must not store the response then,
	// because its key is the URL.
	inBody bool
}

// rejection is an error with a status other than its code has.
type rejection struct {
	error

	status int
}

func reject(status int, format string, args ...any) error {
	return &rejection{sqlq.Errorf(sqlq.InvalidArgument, format, args...), status}
}

// readParams reads the parameters of the query string and the body.
func (h *handler) readParams(w http.ResponseWriter, r *http.Request) (requestParams, error) {
	values, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		return requestParams{}, reject(http.StatusBadRequest, "the query string cannot be read: %s; percent-encode each value", escapeError(err))
	}
	params := requestParams{values: values}
	if r.ContentLength == 0 {
		return params, nil
	}
	body, err := h.readBody(w, r)
	if err != nil || body.values == nil && body.faults == nil {
		return params, err
	}
	return merge(params, body), nil
}

// escapeError returns the message of an error of [url.ParseQuery].
func escapeError(err error) string { return strings.TrimPrefix(err.Error(), "invalid URL escape ") }

// merge adds the parameters of the body to the query string. One that is in both
// is a fault.
func merge(query, body requestParams) requestParams {
	merged := requestParams{values: query.values, faults: body.faults, inBody: true}
	for name, values := range body.values {
		if _, twice := merged.values[name]; twice {
			merged.setFault(name, "is given in both the query string and the body; give it once")
			continue
		}
		merged.values[name] = values
	}
	return merged
}

// takeSQL removes the SQL that a caller sends for a sandbox, and returns it (D40).
func (p *requestParams) takeSQL(query *sqlq.SavedQuery) (string, error) {
	sql, err := p.option(query, sqlq.SQLParam)
	delete(p.values, sqlq.SQLParam)
	return sql, err
}

func (p *requestParams) setFault(name, fault string) {
	if p.faults == nil {
		p.faults = make(map[string]string)
	}
	p.faults[name] = fault
}

// readBody reads the parameters of a body. Both maps are nil if the body is empty.
func (h *handler) readBody(w http.ResponseWriter, r *http.Request) (requestParams, error) {
	body, status, err := h.codings.Read(w, r)
	if err != nil {
		return requestParams{}, &rejection{err, status}
	}
	if len(bytes.TrimSpace(body)) == 0 {
		return requestParams{}, nil
	}
	mediaType, known := bodyMediaType(r.Header)
	switch {
	case !known:
		return requestParams{}, reject(http.StatusUnsupportedMediaType,
			"the request body must be sent with the header Content-Type: %s, or %s, in UTF-8", jsonMediaType, formMediaType)
	case mediaType == formMediaType && json.Valid(body) && bytes.TrimSpace(body)[0] == '{': // curl's default
		return requestParams{}, reject(http.StatusBadRequest, "the request body is JSON, but is sent as a form; send it with the header Content-Type: %s", jsonMediaType)
	case mediaType == formMediaType:
		values, err := url.ParseQuery(string(body))
		if err != nil {
			return requestParams{}, reject(http.StatusBadRequest, "the form in the body cannot be read: %s; percent-encode each value", escapeError(err))
		}
		return requestParams{values: values}, nil
	}
	return readJSON(body)
}

// bodyMediaType returns the media type of a body, and reports whether it is known. A body
// without one is JSON, because callers of the original service send none with a GET.
func bodyMediaType(header http.Header) (mediaType string, known bool) {
	contentTypes := header["Content-Type"]
	if len(contentTypes) == 0 {
		return jsonMediaType, true
	}
	mediaType, params, err := mime.ParseMediaType(contentTypes[0])
	charset := params["charset"]
	known = err == nil && len(contentTypes) == 1 && (charset == "" || strings.EqualFold(charset, "utf-8")) &&
		(mediaType == jsonMediaType || mediaType == formMediaType)
	return mediaType, known
}

// jsonExample shows callers what a JSON body looks like.
const jsonExample = `{"project":"acme"}`

// readJSON reads the parameters of a JSON object. Strings, numbers and booleans become
// their text, without loss of digits, and a list the texts of a repeated parameter. A
// parameter that is null is absent. A value that has no text is a fault of its parameter,
// so that it is ignored if the saved query does not declare the parameter (D8).
func readJSON(body []byte) (requestParams, error) {
	if !jsontext.IsWellFormed(string(body)) {
		return requestParams{}, reject(http.StatusBadRequest, "the request body must be valid UTF-8, without escapes of unpaired surrogates")
	}
	var whole json.RawMessage
	if err := json.Unmarshal(body, &whole); err != nil {
		return requestParams{}, rejectSyntax(body, err)
	}
	decoder := json.NewDecoder(bytes.NewReader(body))
	if token, err := decoder.Token(); err != nil || token != json.Delim('{') {
		return requestParams{}, reject(http.StatusBadRequest, "the request body must be a JSON object of parameters, such as %s", jsonExample)
	}
	params := requestParams{values: make(map[string][]string)}
	seen := make(map[string]bool)
	for decoder.More() {
		start := decoder.InputOffset()
		token, err := decoder.Token()
		name, isString := token.(string)
		var value json.RawMessage
		if err != nil || !isString || decoder.Decode(&value) != nil { // cannot happen: the syntax is valid
			return requestParams{}, reject(http.StatusBadRequest, "the request body is not valid JSON")
		}
		if seen[name] {
			return requestParams{}, reject(http.StatusBadRequest, "%s: is given twice in the request body, again at %s; give it once",
				name, position(body, keyOffset(body, int(start))))
		}
		seen[name] = true
		if texts, fault := jsontext.Texts(value); fault != "" {
			params.setFault(name, fault)
		} else if texts != nil {
			params.values[name] = texts
		}
	}
	return params, nil
}

// rejectSyntax rejects text that is not JSON, with the position of the mistake.
func rejectSyntax(body []byte, err error) error {
	syntax := new(json.SyntaxError)
	if !errors.As(err, &syntax) { // cannot happen: any valid JSON fits
		return reject(http.StatusBadRequest, "the request body is not valid JSON; send an object such as %s", jsonExample)
	}
	offset, reason := int(syntax.Offset)-1, syntax.Error()
	if strings.HasPrefix(reason, "unexpected end") {
		offset, reason = len(body), "unexpected end"
	}
	return reject(http.StatusBadRequest, "the request body is not valid JSON at %s: %s; send an object such as %s",
		position(body, offset), reason, jsonExample)
}

// keyOffset returns the offset of the key that follows an offset, after a comma and blanks.
func keyOffset(body []byte, offset int) int {
	return offset + bytes.IndexByte(body[offset:], '"')
}

// position returns the line and the column of an offset, counted from 1, in characters.
func position(body []byte, offset int) string {
	before := body[:min(max(offset, 0), len(body))]
	line := bytes.Count(before, []byte{'\n'}) + 1
	column := utf8.RuneCount(before[bytes.LastIndexByte(before, '\n')+1:]) + 1
	return fmt.Sprintf("line %d, column %d", line, column)
}
