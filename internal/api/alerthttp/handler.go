// Package alerthttp serves alerts: their states, what people say about them, and their declarations.
package alerthttp

import (
	"context"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"savedq/internal/authoring/alertfile"
	"savedq/internal/http/contentcoding"
	"savedq/internal/http/httpcache"
	"savedq/internal/http/httperror"
	"savedq/internal/http/httpjson"
	"savedq/internal/http/onewrite"
	"savedq/internal/operations/alert"
	"savedq/internal/text/jsontext"
)

// Path is the path that lists alerts, and begins the others.
const (
	Path            = "/api/alerts"
	SilencePath     = Path + "/silence"
	AcknowledgePath = Path + "/acknowledge"
	CheckPath       = Path + "/check"
	PreviewPath     = Path + "/preview"
	SavePath        = Path + "/save"
	DeletePath      = Path + "/delete"
)

// Body is the body of a response of [Path].
type Body struct {
	Alerts []alert.Listed `json:"alerts"`
	// Manages reports whether the token may silence and acknowledge alerts, and Saves whether the server writes alerts
	// of the token to the folders of saved queries.
	Manages bool `json:"manages"`
	Saves   bool `json:"saves"`
	// Targets are the names of the targets that alerts can notify; empty for tokens with limits.
	Targets []string `json:"targets"`
}

// Checked is what a declaration would be.
type Checked struct {
	Mistakes []alertfile.Mistake `json:"mistakes" doc:"What is wrong with it."`
	YAML     string              `json:"yaml" doc:"The lines of query.yaml that declare it."`
}

// Preview is what a declaration would have measured.
type Preview struct {
	Mistakes    []alertfile.Mistake `json:"mistakes" doc:"What is wrong with the declaration. There are no points then."`
	Measured    string              `json:"measured" doc:"What the condition is about: a column, or rows for their number."`
	Threshold   *float64            `json:"threshold" doc:"The number that it is compared with. Null if the condition compares no number."`
	StepSeconds int                 `json:"stepSeconds" doc:"Seconds between two points."`
	Points      []PreviewPoint      `json:"points" doc:"What checks at these times would have measured, the oldest first."`
	Partial     bool                `json:"partial" doc:"Whether the time was over before the oldest points."`
}

// PreviewPoint is what a check would have measured, and whether it and those before it are enough.
type PreviewPoint struct {
	alert.Point

	Firing bool `json:"firing" doc:"Whether the condition was met at this check and at those before it, as many in a row as the alert needs."`
}

// Config configures the handler. Every field is required.
type Config struct {
	// List returns the alerts that the token of a request may see, and what it may do with them.
	List func(ctx context.Context) Body
	// Silence keeps the messages of an alert back, or ends that.
	Silence func(ctx context.Context, request SilenceRequest) error
	// Acknowledge notes that somebody knows of the state of an alert, or takes it back.
	Acknowledge func(ctx context.Context, request AcknowledgeRequest) error
	// Check returns the mistakes of a declaration.
	Check func(ctx context.Context, request Declared) (Checked, error)
	// Preview returns what a declaration would have measured.
	Preview func(ctx context.Context, request PreviewRequest) (*Preview, error)
	// Save writes a declaration to the folder of its saved query, and Delete removes one.
	Save   func(ctx context.Context, request Declared) error
	Delete func(ctx context.Context, request Named) error
	Clock  func() time.Time
	Errors *httperror.Writer
}

// NewHandler returns the handler for [Path] and the paths below it.
func NewHandler(config Config) http.Handler {
	h := &handler{config}
	list := config.Errors.ForGet(h.list)
	others := &httpjson.Handler{
		Routes: map[string]httpjson.Route{
			SilencePath:     {Method: http.MethodPost, Serve: h.silence},
			AcknowledgePath: {Method: http.MethodPost, Serve: h.acknowledge},
			CheckPath:       {Method: http.MethodPost, Serve: h.check},
			PreviewPath:     {Method: http.MethodPost, Serve: h.preview},
			SavePath:        {Method: http.MethodPost, Serve: h.save},
			DeletePath:      {Method: http.MethodPost, Serve: h.remove},
		},
		Elsewhere: fmt.Sprintf("nothing is served at this path; %s lists the alerts, %s silences one, %s acknowledges one, %s checks a declaration, %s shows what it would have measured, %s writes it, and %s removes one",
			Path, SilencePath, AcknowledgePath, CheckPath, PreviewPath, SavePath, DeletePath),
		Errors: config.Errors,
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == Path {
			list.ServeHTTP(w, r)
			return
		}
		others.ServeHTTP(w, r)
	})
}

type handler struct{ Config }

func (h *handler) list(w http.ResponseWriter, r *http.Request) error {
	w.Header().Set("Cache-Control", "no-store") // it is for this token and this moment
	return writeJSON(w, r, h.List(r.Context()))
}

func (h *handler) silence(w http.ResponseWriter, r *http.Request) error {
	request, err := readSilence(r, h.Clock())
	if err != nil {
		return err
	}
	return done(w, h.Silence(r.Context(), request))
}

func (h *handler) acknowledge(w http.ResponseWriter, r *http.Request) error {
	request, err := readAcknowledge(r)
	if err != nil {
		return err
	}
	return done(w, h.Acknowledge(r.Context(), request))
}

func (h *handler) check(w http.ResponseWriter, r *http.Request) error {
	request, err := readDeclared(r)
	if err != nil {
		return err
	}
	checked, err := h.Check(r.Context(), request)
	if err != nil {
		return err
	}
	return writeJSON(w, r, checked)
}

func (h *handler) preview(w http.ResponseWriter, r *http.Request) error {
	request, err := readPreview(r)
	if err != nil {
		return err
	}
	preview, err := h.Preview(r.Context(), request)
	if err != nil {
		return err
	}
	return writeJSON(w, r, preview)
}

func (h *handler) save(w http.ResponseWriter, r *http.Request) error {
	request, err := readDeclared(r)
	if err != nil {
		return err
	}
	return done(w, h.Save(r.Context(), request))
}

func (h *handler) remove(w http.ResponseWriter, r *http.Request) error {
	var request Named
	if err := httpjson.Read(r, &request, mostBodyBytes, `a JSON object such as {"query": "errors", "name": "errors-high"}`); err != nil {
		return err
	}
	if err := check(request, ""); err != nil {
		return err
	}
	return done(w, h.Delete(r.Context(), request))
}

// done writes a response without a body, unless there is an error.
func done(w http.ResponseWriter, err error) error {
	if err == nil {
		w.WriteHeader(http.StatusNoContent)
	}
	return err
}

// writeJSON writes a value, compressed if the client accepts it: values of checks compress well.
func writeJSON(w http.ResponseWriter, r *http.Request, value any) error {
	body, err := jsontext.Marshal(value)
	if err != nil {
		return err
	}
	header := w.Header()
	if coding := contentcoding.Choose(r.Header["Accept-Encoding"], len(body)); coding != contentcoding.Identity {
		body = coding.Encode(body)
		header.Set("Content-Encoding", string(coding))
	}
	httpcache.AddVary(header, "Accept-Encoding, "+httpcache.Credentials)
	header.Set("Content-Type", "application/json; charset=utf-8")
	header.Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(http.StatusOK)
	onewrite.Write(w, r, body)
	return nil
}
