package storehttp

import (
	"archive/tar"
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"time"

	"savedq/internal/http/httperror"
	"savedq/internal/http/httpjson"
	"savedq/internal/logs/logevent"
	"savedq/internal/logs/logstore"
	"savedq/internal/logs/upkeep"
	"savedq/sqlq"
)

// Config configures the handler.
type Config struct {
	// Maintenance is nil if the engine has no store of its own.
	Maintenance upkeep.Maintenance
	// Follows means that there is no Maintenance because the server only reads a store that another one writes.
	Follows bool
	// Purge purges cached rows. The handler does so after each deletion.
	Purge  Purge
	Clock  func() time.Time
	Errors *httperror.Writer
	Logger *slog.Logger
}

// NewHandler returns the handler for the paths below [Path]. The caller must pass only requests
// whose token may see and delete everything.
func NewHandler(config Config) http.Handler {
	h := &handler{config}
	routes := map[string]httpjson.Route{purgePath: {Method: http.MethodPost, Serve: h.purge}}
	elsewhere := "this server has no store of its own; maintain the tables of its engine there"
	if config.Follows {
		elsewhere = "this server is a standby, which only reads the store that another server writes; maintain the store at that server"
	}
	if config.Maintenance != nil {
		routes[statsPath] = httpjson.Route{Method: http.MethodGet, Serve: h.stats}
		routes[rejectedPath] = httpjson.Route{Method: http.MethodGet, Serve: h.rejected}
		routes[deletePath] = httpjson.Route{Method: http.MethodPost, Serve: h.delete}
		routes[backupPath] = httpjson.Route{Method: http.MethodPost, Serve: h.backup}
		elsewhere = fmt.Sprintf("nothing is served at this path; paths of the store end in %s, %s, %s or %s, and the path of the cache ends in %s", statsPath, rejectedPath, deletePath, backupPath, purgePath)
	}
	return &httpjson.Handler{Routes: routes, Elsewhere: elsewhere, Errors: config.Errors}
}

type handler struct{ Config }

func (h *handler) stats(w http.ResponseWriter, r *http.Request) error {
	stats, err := h.Maintenance.Stats(r.Context())
	if err != nil {
		return err
	}
	return httpjson.Write(w, http.StatusOK, stats)
}

// maxBodyBytes limits the body of a request.
const maxBodyBytes = 64 << 10

func (h *handler) delete(w http.ResponseWriter, r *http.Request) error {
	var message deleteMessage
	if err := httpjson.Read(r, &message, maxBodyBytes, deletionExample); err != nil {
		return err
	}
	erasure, err := message.erasure(h.Clock())
	if err != nil {
		return sqlq.Errorf(sqlq.InvalidArgument, "%s", err)
	}
	h.withoutDeadline(w) // many events take long
	deleted, err := h.Maintenance.Delete(r.Context(), erasure)
	total := int64(0)
	for _, source := range deleted {
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
	return httpjson.Write(w, http.StatusOK, deletedMessage{append([]upkeep.Deleted{}, deleted...)})
}

// deletionExample shows the body of a deletion.
const deletionExample = `a JSON object such as {"project": "acme", "sources": ["edge_logs"], "before": "2026-01-31T00:00:00Z", "dry_run": true}; only project is required`

// rejected writes rejected events as NDJSON.
func (h *handler) rejected(w http.ResponseWriter, r *http.Request) error {
	filter, err := filterOf(r.URL.RawQuery, h.Clock())
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
func filterOf(text string, now time.Time) (logstore.RejectedFilter, error) {
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
		since, err := sqlq.ParseTimestampAt(text, now)
		if err != nil {
			return filter, fmt.Errorf("since: %w", err)
		}
		filter.Since = since
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

// stallTimeout is how long a client may take for one part of a backup. Meanwhile the disk keeps
// files that the store has removed.
const stallTimeout = 30 * time.Second

const (
	// maxHeldBytes limits the list of the parts that a client holds, of about a hundred bytes each.
	maxHeldBytes = 16 << 20
	// backupExample shows the body of a backup.
	backupExample = `a JSON object such as {"held": {"00000001.events": "<checksum>"}}, with the files of parts that are left out and their checksums in the manifest; {} for a full backup`
)

// backup writes the files of a backup as a tar archive.
func (h *handler) backup(w http.ResponseWriter, r *http.Request) error {
	var message backupMessage
	if err := httpjson.Read(r, &message, maxHeldBytes, backupExample); err != nil {
		return err
	}
	slow := &progressingWriter{writer: w, controller: http.NewResponseController(w), clock: h.Clock}
	archive := tar.NewWriter(slow)
	begun := false
	err := h.Maintenance.Backup(r.Context(), message.Held, func(file logstore.BackupFile) error {
		if !begun {
			begun = true
			w.Header().Set("Content-Type", "application/x-tar")
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
