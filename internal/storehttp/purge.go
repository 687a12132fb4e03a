package storehttp

import (
	"context"
	"log/slog"
	"net/http"

	"savedq/internal/http/httpjson"
)

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
