// Package tokenhttp lists, creates and revokes the tokens of a server.
package tokenhttp

import (
	"context"
	"net/http"
	"strings"

	"savedq/internal/http/httperror"
	"savedq/internal/http/httpjson"
)

// Path is the path that lists and creates tokens. A token is below it, by its name.
const Path = "/api/tokens"

// Config configures the handler. Every field is required.
type Config struct {
	// List returns the tokens of the server.
	List func(ctx context.Context) (List, error)
	// Create creates a token.
	Create func(ctx context.Context, request CreateRequest) (Created, error)
	// Revoke revokes the token of a name.
	Revoke func(ctx context.Context, name string) error
	Errors *httperror.Writer
}

// NewHandler returns the handler for [Path] and the paths below it. The caller must pass only requests whose token may
// manage tokens.
func NewHandler(config Config) http.Handler { return &handler{config} }

type handler struct{ Config }

func (h *handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Cache-Control", "no-store") // it is for this token and this moment, and can hold a secret
	name, below := strings.CutPrefix(r.URL.Path, Path+"/")
	serve := h.list
	switch {
	case !below && r.Method == http.MethodPost:
		serve = h.create
	case below && r.Method == http.MethodDelete:
		serve = func(w http.ResponseWriter, r *http.Request) error { return h.revoke(w, r, name) }
	case below:
		h.Errors.WriteMethodNotAllowed(w, r, http.MethodDelete)
		return
	case r.Method != http.MethodGet && r.Method != http.MethodHead:
		h.Errors.WriteMethodNotAllowed(w, r, http.MethodGet, http.MethodHead, http.MethodPost)
		return
	}
	if err := serve(w, r); err != nil {
		h.Errors.Write(w, r, err)
	}
}

func (h *handler) list(w http.ResponseWriter, r *http.Request) error {
	list, err := h.List(r.Context())
	if err != nil {
		return err
	}
	return httpjson.Write(w, http.StatusOK, result[List]{list})
}

func (h *handler) create(w http.ResponseWriter, r *http.Request) error {
	request, err := readCreate(r)
	if err != nil {
		return err
	}
	created, err := h.Create(r.Context(), request)
	if err != nil {
		return err
	}
	return httpjson.Write(w, http.StatusCreated, result[Created]{created})
}

func (h *handler) revoke(w http.ResponseWriter, r *http.Request, name string) error {
	if err := h.Revoke(r.Context(), name); err != nil {
		return err
	}
	w.WriteHeader(http.StatusNoContent)
	return nil
}

// result is the body of a response.
type result[T any] struct {
	Result T `json:"result"`
}
