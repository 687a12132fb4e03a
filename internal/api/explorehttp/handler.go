// Package explorehttp serves Explore: SQL of a caller over the tables (ADR 049).
package explorehttp

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"time"

	"savedq/internal/api/format"
	"savedq/internal/http/contentcoding"
	"savedq/internal/http/httpcache"
	"savedq/internal/http/httperror"
	"savedq/internal/http/httpjson"
	"savedq/internal/http/onewrite"
	"savedq/sqlq"
)

// Path is the path that runs SQL, and begins the others.
const (
	Path           = "/api/explore"
	SchemaPath     = Path + "/schema"
	ParametersPath = Path + "/parameters"
	CheckPath      = Path + "/check"
	SavePath       = Path + "/save"
)

// Config configures the handler. Every field is required.
type Config struct {
	// Run returns the rows of SQL of a caller.
	Run func(ctx context.Context, request Request) (*sqlq.Result, error)
	// Check returns what is known about SQL of a caller that has no mistake.
	Check func(ctx context.Context, request Request) (Checked, error)
	// Schema returns what SQL of the caller of a request can name in a dialect.
	Schema func(ctx context.Context, dialect string) Schema
	// Save returns the folder of a new saved query.
	Save   func(ctx context.Context, request SaveRequest) (*Saved, error)
	Clock  func() time.Time
	Errors *httperror.Writer
}

// Saved is the folder of a saved query.
type Saved struct {
	Name string
	// Files have the contents by name.
	Files map[string][]byte
	// Written reports whether the server has written the folder, and reads it.
	Written bool
}

// NewHandler returns the handler for [Path] and the paths below it. The caller must pass only requests whose token
// may explore.
func NewHandler(config Config) http.Handler {
	h := &handler{config}
	return &httpjson.Handler{
		Routes: map[string]httpjson.Route{
			Path:           {Method: http.MethodPost, Serve: h.run},
			SchemaPath:     {Method: http.MethodGet, Serve: h.schema},
			ParametersPath: {Method: http.MethodPost, Serve: h.parameters},
			CheckPath:      {Method: http.MethodPost, Serve: h.check},
			SavePath:       {Method: http.MethodPost, Serve: h.save},
		},
		Elsewhere: fmt.Sprintf("nothing is served at this path; the path that runs SQL ends in %s, %s lists the tables, %s lists the parameters of SQL, %s finds its mistake, and %s makes a saved query", Path, SchemaPath, ParametersPath, CheckPath, SavePath),
		Errors:    config.Errors,
	}
}

type handler struct{ Config }

// run runs SQL, and writes its rows in the format that the caller prefers. JSON also has the columns, and how long it
// took.
func (h *handler) run(w http.ResponseWriter, r *http.Request) error {
	request, err := readRequest(r)
	if err != nil {
		return err
	}
	began := h.Clock()
	result, err := h.Run(r.Context(), request)
	if err != nil {
		return err
	}
	output := format.Negotiate(r.Header["Accept"])
	body, err := output.Encode("explore", result)
	if err != nil {
		return err
	}
	if result.Truncated {
		w.Header().Set(format.TruncatedHeader, "true")
	}
	if output.Name == format.JSON().Name {
		body = envelope(result, h.Clock().Sub(began))
	}
	writeBody(w, r, output.ContentType(), body)
	return nil
}

// envelope returns the rows in JSON, as REST has them, with what describes them.
func envelope(result *sqlq.Result, took time.Duration) []byte {
	described, _ := json.Marshal(struct { // it cannot fail
		Columns      []Column `json:"columns"`
		Truncated    bool     `json:"truncated"`
		Milliseconds float64  `json:"milliseconds"`
	}{columnsOf(result.Columns), result.Truncated, float64(took.Microseconds()) / float64(time.Millisecond/time.Microsecond)})
	return append(result.AppendJSON(append(bytes.TrimSuffix(described, []byte("}")), `,"result":`...)), '}')
}

func (h *handler) schema(w http.ResponseWriter, r *http.Request) error {
	dialect, err := readDialect(r)
	if err != nil {
		return err
	}
	return writeJSON(w, r, h.Schema(r.Context(), dialect))
}

// parameters lists the parameters of SQL, which it does not run.
func (h *handler) parameters(w http.ResponseWriter, r *http.Request) error {
	request, err := readRequest(r)
	if err != nil {
		return err
	}
	checked, err := h.Check(r.Context(), request)
	if err != nil {
		return err
	}
	return writeJSON(w, r, map[string][]Parameter{"parameters": checked.Parameters})
}

// check lists the parameters of SQL, or returns its mistake as a result: SQL that is being typed is usually wrong.
func (h *handler) check(w http.ResponseWriter, r *http.Request) error {
	request, err := readRequest(r)
	if err != nil {
		return err
	}
	checked, err := h.Check(r.Context(), request)
	mistake := new(sqlq.Error)
	switch {
	case err == nil:
		return writeJSON(w, r, checked)
	case errors.As(err, &mistake) && mistake.Code == sqlq.InvalidArgument:
		return writeJSON(w, r, Checked{Parameters: []Parameter{}, Mistake: &Mistake{
			Message: mistake.PublicText(mistake.Param), Argument: mistake.Param, Line: mistake.Place.Line, Column: mistake.Place.Column,
		}})
	}
	return err
}

// save makes a saved query. If the server has not written its folder, the response is an archive with it.
func (h *handler) save(w http.ResponseWriter, r *http.Request) error {
	request, err := readSaveRequest(r)
	if err != nil {
		return err
	}
	saved, err := h.Save(r.Context(), request)
	if err != nil {
		return err
	}
	if !saved.Written {
		archive, err := archived(saved, h.Clock())
		if err != nil {
			return err
		}
		w.Header().Set("Content-Disposition", `attachment; filename="`+saved.Name+`.zip"`)
		writeBody(w, r, "application/zip", archive)
		return nil
	}
	return httpjson.Write(w, http.StatusCreated, map[string]string{"name": saved.Name})
}

// archived returns a ZIP archive with a folder.
func archived(saved *Saved, now time.Time) ([]byte, error) {
	var out bytes.Buffer
	archive := zip.NewWriter(&out)
	for _, name := range slices.Sorted(maps.Keys(saved.Files)) {
		file, err := archive.CreateHeader(&zip.FileHeader{Name: saved.Name + "/" + name, Method: zip.Deflate, Modified: now.UTC()})
		if err != nil {
			return nil, err
		}
		if _, err := file.Write(saved.Files[name]); err != nil {
			return nil, err
		}
	}
	err := archive.Close()
	return out.Bytes(), err
}

func writeJSON(w http.ResponseWriter, r *http.Request, value any) error {
	body, err := json.Marshal(value)
	if err != nil {
		return err
	}
	writeBody(w, r, "application/json; charset=utf-8", body)
	return nil
}

func writeBody(w http.ResponseWriter, r *http.Request, contentType string, body []byte) {
	header := w.Header()
	if coding := contentcoding.Choose(r.Header["Accept-Encoding"], len(body)); coding != contentcoding.Identity {
		body = coding.Encode(body)
		header.Set("Content-Encoding", string(coding))
	}
	httpcache.AddVary(header, "Accept, Accept-Encoding, "+httpcache.Credentials)
	header.Set("Content-Type", contentType)
	header.Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(http.StatusOK)
	onewrite.Write(w, r, body)
}
