package storehttp

import (
	"archive/tar"
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"mime"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"savedq/internal/http/httperror"
	"savedq/internal/jsontext"
	"savedq/internal/logs/logevent"
	"savedq/internal/logs/logstore"
	"savedq/internal/logs/upkeep"
	"savedq/sqlq"
)

// Config configures the handler.
type Config struct {
	// Maintenance is nil if the engine has no store of its own.
	Maintenance upkeep.Maintenance
	// Purge purges cached rows. The handler does so after each deletion.
	Purge  Purge
	Clock  func() time.Time
	Errors *httperror.Writer
	Logger *slog.Logger
}

// NewHandler returns the handler for the paths below [Path]. The caller must pass only requests
// whose token may see and delete everything.
func NewHandler(config Config) http.Handler { return &handler{config} }

type handler struct{ Config }

// ServeHTTP serves one of the paths.
func (h *handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	route, ok := map[string]struct {
		method string
		serve  func(w http.ResponseWriter, r *http.Request) error
	}{
		statsPath:    {http.MethodGet, h.stats},
		rejectedPath: {http.MethodGet, h.rejected},
		deletePath:   {http.MethodPost, h.delete},
		backupPath:   {http.MethodPost, h.backup},
		purgePath:    {http.MethodPost, h.purge},
	}[r.URL.Path]
	switch {
	case !ok:
		h.Errors.Write(w, r, sqlq.Errorf(sqlq.NotFound, "nothing is served at this path; paths of the store end in %s, %s, %s or %s, and the path of the cache ends in %s", statsPath, rejectedPath, deletePath, backupPath, purgePath))
		return
	case h.Maintenance == nil && r.URL.Path != purgePath:
		h.Errors.Write(w, r, sqlq.Errorf(sqlq.NotFound, "this server has no store of its own; maintain the tables of its engine there"))
		return
	case r.Method != route.method:
		h.Errors.WriteMethodNotAllowed(w, r, route.method)
		return
	}
	if err := route.serve(w, r); err != nil {
		h.Errors.Write(w, r, err)
	}
}

func (h *handler) stats(w http.ResponseWriter, r *http.Request) error {
	stats, err := h.Maintenance.Stats(r.Context())
	if err != nil {
		return err
	}
	return writeJSON(w, messageOf(stats))
}

// maxBodyBytes limits the body of a request.
const maxBodyBytes = 64 << 10

func (h *handler) delete(w http.ResponseWriter, r *http.Request) error {
	var message deleteMessage
	if err := readJSON(r, &message, deletionExample); err != nil {
		return err
	}
	erasure, err := message.erasure()
	if err != nil {
		return sqlq.Errorf(sqlq.InvalidArgument, "%s", err)
	}
	h.withoutDeadline(w) // many events take long
	deleted, err := h.Maintenance.Delete(r.Context(), erasure)
	response := deletedMessage{Deleted: make([]deletedSource, 0, len(deleted))}
	total := int64(0)
	for _, source := range deleted {
		response.Deleted = append(response.Deleted, deletedSource{Source: source.Source, Events: source.Events})
		total += source.Events
	}
	if !erasure.DryRun {
		if _, err := h.Purge("", erasure.Project); err != nil {
			return err
		}
		h.Logger.InfoContext(r.Context(), "events of a project were deleted", slog.String("project", erasure.Project), slog.Int64("events", total), slog.Bool("completed", err == nil))
	}
	if err != nil {
		return err
	}
	return writeJSON(w, response)
}

// deletionExample tells what the body of a deletion is.
const deletionExample = `a JSON object such as {"project": "acme", "sources": ["edge_logs"], "before": "2026-01-31T00:00:00Z", "dry_run": true}; only project is required`

// readJSON reads a body strictly. Its error tells what the body must be. It requires its content type,
// because browsers send requests with other types for pages of any origin without asking.
func readJSON(r *http.Request, into any, must string) error {
	if mediaType, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || mediaType != "application/json" {
		return sqlq.Errorf(sqlq.InvalidArgument, "the header Content-Type must be application/json")
	}
	body, err := io.ReadAll(io.LimitReader(r.Body, maxBodyBytes+1))
	switch {
	case err != nil:
		return sqlq.Errorf(sqlq.InvalidArgument, "the body could not be read").WithCause(err)
	case len(body) > maxBodyBytes:
		return sqlq.Errorf(sqlq.InvalidArgument, "the body is larger than %s", sqlq.FormatBytes(maxBodyBytes))
	}
	decoder := json.NewDecoder(strings.NewReader(string(body)))
	decoder.DisallowUnknownFields()
	err = decoder.Decode(into)
	if _, more := decoder.Token(); err == nil && !errors.Is(more, io.EOF) {
		err = errors.New("something follows the object")
	}
	if err != nil {
		return sqlq.Errorf(sqlq.InvalidArgument, "the body must be %s", must).WithCause(err)
	}
	if key, repeated := repeatedKey(body); repeated {
		return sqlq.ParamErrorf(key, "is given more than once")
	}
	return nil
}

// repeatedKey returns a key that an object has twice. The decoder ignores the case of letters in keys.
func repeatedKey(object []byte) (found string, repeated bool) {
	seen := make(map[string]bool)
	for member := range jsontext.Value(object).Members() {
		found = strings.ToLower(member.Name)
		if seen[found] {
			return found, true
		}
		seen[found] = true
	}
	return "", false
}

func writeJSON(w http.ResponseWriter, message any) error {
	text, err := json.Marshal(message)
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	_, _ = w.Write(text)
	return nil
}

// rejected writes rejected events as NDJSON.
func (h *handler) rejected(w http.ResponseWriter, r *http.Request) error {
	filter, err := filterOf(r.URL.RawQuery)
	if err != nil {
		return sqlq.Errorf(sqlq.InvalidArgument, "%s", err)
	}
	out := bufio.NewWriter(w)
	encoder := json.NewEncoder(out)
	encoder.SetEscapeHTML(false)
	begun := false
	begin := func() {
		begun = true
		w.Header().Set("Content-Type", "application/x-ndjson; charset=utf-8")
		w.Header().Set("Cache-Control", "no-store")
	}
	err = h.Maintenance.Rejected(r.Context(), filter, func(event logevent.Rejected) error {
		begin()
		return encoder.Encode(event)
	})
	switch {
	case err != nil && begun:
		h.abort(r, err)
	case err != nil:
		return err
	}
	begin()
	_ = out.Flush()
	return nil
}

// filterOf returns the filter of a query string, in the form of [queryOf]. A source can have either
// of its names, or one that no source has, as the sender wrote it (D22).
func filterOf(text string) (logstore.RejectedFilter, error) {
	query, err := url.ParseQuery(text)
	if err != nil {
		return logstore.RejectedFilter{}, fmt.Errorf("the query string is malformed: %w", err)
	}
	for _, name := range slices.Sorted(maps.Keys(query)) {
		switch {
		case !slices.Contains([]string{"source", "since", "limit"}, name):
			return logstore.RejectedFilter{}, fmt.Errorf("%q is not a parameter; the parameters are source, since and limit", name)
		case len(query[name]) > 1:
			return logstore.RejectedFilter{}, fmt.Errorf("%s: is given %d times; it has one value", name, len(query[name]))
		}
	}
	filter := logstore.RejectedFilter{Source: query.Get("source")}
	if text := query.Get("since"); text != "" {
		since, err := time.Parse(time.RFC3339, text)
		if err != nil {
			return filter, fmt.Errorf("since: %q is not a time such as 2026-01-31T00:00:00Z", text)
		}
		filter.Since = since.UTC()
	}
	if text := query.Get("limit"); text != "" {
		limit, err := strconv.Atoi(text)
		if err != nil || limit < 0 {
			return filter, fmt.Errorf("limit: %q is not a number of events, or 0 for all", text)
		}
		filter.Most = limit
	}
	return filter, nil
}

// queryOf returns a filter as a query string.
func queryOf(filter logstore.RejectedFilter) url.Values {
	query := url.Values{"limit": {strconv.Itoa(filter.Most)}}
	if filter.Source != "" {
		query.Set("source", filter.Source)
	}
	if !filter.Since.IsZero() {
		query.Set("since", filter.Since.Format(time.RFC3339Nano))
	}
	return query
}

// stallTimeout is how long a client may take for one part of a backup. Meanwhile the store
// cannot be checkpointed.
const stallTimeout = 30 * time.Second

// backup writes the files of a backup as a tar archive.
func (h *handler) backup(w http.ResponseWriter, r *http.Request) error {
	if err := readJSON(r, &struct{}{}, "{}"); err != nil {
		return err
	}
	slow := &progressingWriter{writer: w, controller: http.NewResponseController(w), clock: h.Clock}
	archive := tar.NewWriter(slow)
	begun := false
	err := h.Maintenance.Backup(r.Context(), func(file logstore.BackupFile) error {
		if !begun {
			begun = true
			w.Header().Set("Content-Type", "application/x-tar")
			w.Header().Set("Cache-Control", "no-store")
		}
		const ownerOnly = 0o600
		if err := archive.WriteHeader(&tar.Header{Name: file.Name, Size: file.Size, Mode: ownerOnly, ModTime: h.Clock()}); err != nil {
			return err
		}
		_, err := io.Copy(archive, file.Content)
		return err
	})
	if err == nil {
		err = archive.Close()
	}
	if err != nil && begun {
		h.abort(r, err)
	}
	return err
}

// abort ends a response that has begun, so that the client sees that it is incomplete.
func (h *handler) abort(r *http.Request, err error) {
	h.Logger.WarnContext(r.Context(), "a response was cut off", slog.String("path", r.URL.Path), slog.Any("error", err))
	panic(http.ErrAbortHandler)
}

// withoutDeadline lets a response take any time.
func (h *handler) withoutDeadline(w http.ResponseWriter) {
	_ = http.NewResponseController(w).SetWriteDeadline(time.Time{}) // Not every writer has one.
}

// progressingWriter is a writer of a response that may take any time as long as the client
// reads it.
type progressingWriter struct {
	writer     io.Writer
	controller *http.ResponseController
	clock      func() time.Time
}

func (w *progressingWriter) Write(data []byte) (int, error) {
	_ = w.controller.SetWriteDeadline(w.clock().Add(stallTimeout)) // Not every writer has one.
	return w.writer.Write(data)
}
