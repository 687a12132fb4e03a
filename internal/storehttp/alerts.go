package storehttp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"

	"savedq/internal/alert"
	"savedq/internal/alerthttp"
)

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
