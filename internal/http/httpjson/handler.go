// Package httpjson serves paths of an API in JSON: a method for each path, bodies that are read strictly, and responses
// that nobody stores.
package httpjson

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"mime"
	"net/http"

	"savedq/internal/http/httperror"
	"savedq/internal/http/httpstatus"
	"savedq/internal/text/jsontext"
	"savedq/sqlq"
)

// Route serves the requests of a path.
type Route struct {
	Method string
	// Serve writes the response, unless it returns an error.
	Serve func(w http.ResponseWriter, r *http.Request) error
}

// Handler serves paths with a method each.
type Handler struct {
	Routes map[string]Route
	// Elsewhere is what an error says at other paths.
	Elsewhere string
	Errors    *httperror.Writer
}

// ServeHTTP serves one of the paths.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	route, ok := h.Routes[r.URL.Path]
	switch {
	case !ok:
		h.Errors.Write(w, r, sqlq.Errorf(sqlq.NotFound, "%s", h.Elsewhere))
		return
	case r.Method != route.Method:
		h.Errors.WriteMethodNotAllowed(w, r, route.Method)
		return
	}
	w.Header().Set("Cache-Control", "no-store") // it is for this token and this moment
	if err := route.Serve(w, r); err != nil {
		h.Errors.Write(w, r, err)
	}
}

// NewGetter returns a handler that serves a value for GET and HEAD.
func NewGetter(value func(ctx context.Context) any, errors *httperror.Writer) http.Handler {
	return errors.ForGet(func(w http.ResponseWriter, r *http.Request) error {
		w.Header().Set("Cache-Control", "no-store") // it is for this token and this moment
		return Write(w, http.StatusOK, value(r.Context()))
	})
}

// Write writes a value in JSON.
func Write(w http.ResponseWriter, status int, value any) error {
	body, err := json.Marshal(value)
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.WriteHeader(status)
	_, _ = w.Write(body) // an error means that the client has gone
	return nil
}

// Read reads a body of at most limit bytes strictly. Its errors name the shape that the body must have. It
// requires the content type, because browsers send requests with other types for pages of any origin without asking.
func Read(r *http.Request, into any, limit int64, shape string) error {
	if mediaType, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || mediaType != "application/json" {
		return sqlq.Errorf(sqlq.InvalidArgument, "the header Content-Type must be application/json")
	}
	body, err := io.ReadAll(io.LimitReader(r.Body, limit+1))
	switch {
	case errors.Is(err, httpstatus.ErrSlowBody):
		return err
	case err != nil:
		return sqlq.Errorf(sqlq.InvalidArgument, "the body could not be read").WithCause(err)
	case int64(len(body)) > limit:
		return sqlq.Errorf(sqlq.InvalidArgument, "the body is larger than %s", sqlq.FormatBytes(limit))
	}
	if _, err := jsontext.DecodeObject(body); err != nil {
		return sqlq.Errorf(sqlq.InvalidArgument, "the body must be %s; it %s", shape, err)
	}
	if name, fault := jsontext.WrongName(body, into); fault != "" {
		return sqlq.ParamErrorf(name, "%s", fault)
	}
	decoder := json.NewDecoder(bytes.NewReader(body))
	decoder.DisallowUnknownFields()
	decoder.UseNumber()
	if err := decoder.Decode(into); err != nil {
		return sqlq.Errorf(sqlq.InvalidArgument, "the body must be %s", shape).WithCause(err)
	}
	return nil
}
