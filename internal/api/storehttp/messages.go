// Package storehttp lets operators maintain the store of a running server: a handler, and a
// client for it.
package storehttp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"time"

	"savedq/internal/api/alerthttp"
	"savedq/internal/http/httpjson"
	"savedq/internal/logs/logstore"
	"savedq/internal/logs/upkeep"
	"savedq/internal/operations/alert"
	"savedq/sqlq"
)

// Paths of the handler.
const (
	Path         = "/api/store/"
	statsPath    = Path + "stats"
	deletePath   = Path + "delete"
	rejectedPath = Path + "rejected"
	backupPath   = Path + "backup"
)

// deleteMessage is [upkeep.Erasure] in JSON.
type deleteMessage struct {
	Project string   `json:"project"`
	Sources []string `json:"sources,omitempty"`
	Before  *string  `json:"before,omitempty"`
	DryRun  bool     `json:"dry_run,omitempty"`
}

// erasure returns the selection, or an error for the caller.
func (m *deleteMessage) erasure(now time.Time) (erasure upkeep.Erasure, err error) {
	erasure = upkeep.Erasure{Project: m.Project, Sources: m.Sources, DryRun: m.DryRun}
	if m.Project == "" {
		return erasure, errors.New("project: is required")
	}
	if m.Before != nil {
		if erasure.Before, err = sqlq.ParseTimestampAt(*m.Before, now); err != nil {
			return erasure, fmt.Errorf("before: %w", err)
		}
		if err := upkeep.CheckBefore("before", erasure.Before); err != nil {
			return erasure, err
		}
	}
	if m.Sources != nil && len(m.Sources) == 0 {
		return erasure, errors.New("sources: is empty; name sources, or leave it out for all")
	}
	return erasure, nil
}

// backupMessage is a request for a backup.
type backupMessage struct {
	// Held are the parts that the client has.
	Held logstore.HeldParts `json:"held,omitempty"`
}

// deletedMessage lists what was deleted.
type deletedMessage struct {
	Deleted []upkeep.Deleted `json:"deleted"`
}

const purgePath = Path + "purge"

// Purge removes the cached rows of a saved query, by name or id, and of a project; empty means of
// all. It returns the number of cache entries.
type Purge func(query, project string) (int, error)

// purgeMessage selects cached rows.
type purgeMessage struct {
	Query   string `json:"query,omitempty"`
	Project string `json:"project,omitempty"`
}

type purgedMessage struct {
	Purged int `json:"purged"`
}

func (h *handler) purge(w http.ResponseWriter, r *http.Request) error {
	var message purgeMessage
	if err := httpjson.Read(r, &message, maxBodyBytes, `a JSON object such as {"query": "logs.all", "project": "acme"}; both are optional`); err != nil {
		return err
	}
	purged, err := h.Purge(message.Query, message.Project)
	if err != nil {
		return err
	}
	h.Logger.InfoContext(r.Context(), "cached rows were purged", slog.String("endpoint", message.Query), slog.String("project", message.Project), slog.Int("entries", purged))
	return httpjson.Write(w, http.StatusOK, purgedMessage{purged})
}

// Purge purges cached rows of the server; see [Purge].
func (c *Client) Purge(ctx context.Context, query, project string) (int, error) {
	var response purgedMessage
	err := c.receive(ctx, http.MethodPost, purgePath, purgeMessage{query, project}, &response)
	return response.Purged, err
}

// maxAlertBytes limits the list of alerts, each of which has rows.
const maxAlertBytes = 256 << 20

// Alerts returns the alerts of the server that the token may see.
func (c *Client) Alerts(ctx context.Context) (alerts []alert.Listed, err error) {
	body, err := c.send(ctx, http.MethodGet, alerthttp.Path, nil)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, body.Close()) }()
	var response alerthttp.Body
	if err := json.NewDecoder(io.LimitReader(body, maxAlertBytes)).Decode(&response); err != nil {
		return nil, fmt.Errorf("%s is not a savedq server, or its response was cut off: %w", c.URL, err)
	}
	return response.Alerts, nil
}
