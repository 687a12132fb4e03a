package rest

import (
	"bytes"
	"encoding/json"
	"mime"
	"net/http"
	"net/url"
	"strings"

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
