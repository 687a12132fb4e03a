package storehttp

import (
	"archive/tar"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"time"

	"savedq/internal/http/httperror"
	"savedq/internal/http/outgoing"
	"savedq/internal/logs/logevent"
	"savedq/internal/logs/logstore"
	"savedq/internal/logs/upkeep"
)

// Client maintains the store of a running server.
type Client struct {
	HTTP *http.Client
	// URL is the address of the server, such as http://127.0.0.1:8080.
	URL string
	// Token is sent with each request, unless it is empty.
	Token string
}

var _ upkeep.Maintenance = (*Client)(nil)

// Stats implements [upkeep.Maintenance].
func (c *Client) Stats(ctx context.Context) (stats logstore.Stats, err error) {
	err = c.receive(ctx, http.MethodGet, statsPath, nil, &stats)
	return stats, err
}

// Delete implements [upkeep.Maintenance].
func (c *Client) Delete(ctx context.Context, erasure upkeep.Erasure) ([]upkeep.Deleted, error) {
	request := deleteMessage{Project: erasure.Project, DryRun: erasure.DryRun, Sources: erasure.Sources}
	if !erasure.Before.IsZero() {
		request.Before = new(erasure.Before.Format(time.RFC3339Nano))
	}
	var response deletedMessage
	err := c.receive(ctx, http.MethodPost, deletePath, request, &response)
	return response.Deleted, err
}

// Rejected implements [upkeep.Maintenance].
func (c *Client) Rejected(ctx context.Context, filter logstore.RejectedFilter, each func(logevent.Rejected) error) (err error) {
	body, err := c.send(ctx, http.MethodGet, rejectedPath+"?"+queryOf(filter).Encode(), nil)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, body.Close()) }()
	decoder := json.NewDecoder(body)
	for {
		var event logevent.Rejected
		err := decoder.Decode(&event)
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return fmt.Errorf("read the response of %s: %w", c.URL, err)
		}
		if err := each(event); err != nil {
			return err
		}
	}
}

// Backup implements [upkeep.Maintenance].
func (c *Client) Backup(ctx context.Context, held logstore.HeldParts, each func(logstore.BackupFile) error) (err error) {
	body, err := c.send(ctx, http.MethodPost, backupPath, backupMessage{held})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, body.Close()) }()
	if err := eachFile(body, each); err != nil {
		return fmt.Errorf("the backup of %s is incomplete: %w", c.URL, err)
	}
	return nil
}

// eachFile passes the files of a backup on.
func eachFile(body io.Reader, each func(logstore.BackupFile) error) error {
	archive := tar.NewReader(body)
	for {
		header, err := archive.Next()
		switch {
		case errors.Is(err, io.EOF):
			// The archive must not only end here: the response must be complete.
			_, err := io.Copy(io.Discard, body)
			return err
		case err != nil:
			return err
		}
		if err := each(logstore.BackupFile{Name: header.Name, Size: header.Size, Content: archive}); err != nil {
			return err
		}
	}
}

// maxResponseBytes limits a response other than a backup and rejected events.
const maxResponseBytes = 1 << 20

// receive sends a request and decodes the response.
func (c *Client) receive(ctx context.Context, method, path string, request, response any) (err error) {
	body, err := c.send(ctx, method, path, request)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, body.Close()) }()
	if err := json.NewDecoder(io.LimitReader(body, maxResponseBytes)).Decode(response); err != nil {
		return &upkeep.UncertainError{Err: fmt.Errorf("%s is not a savedq server, or its response was cut off: %w", c.URL, err)}
	}
	return nil
}

// send sends a request and returns the body of a successful response, which the caller must
// close.
func (c *Client) send(ctx context.Context, method, path string, message any) (io.ReadCloser, error) {
	response, err := c.respond(ctx, method, path, message)
	if err != nil {
		return nil, err
	}
	return response.Body, nil
}

// respond sends a request and returns a successful response, whose body the caller must close.
func (c *Client) respond(ctx context.Context, method, path string, message any) (*http.Response, error) {
	var content io.Reader = http.NoBody
	if message != nil {
		text, err := json.Marshal(message)
		if err != nil {
			return nil, err
		}
		content = bytes.NewReader(text)
	}
	request, err := outgoing.NewRequest(ctx, method, strings.TrimSuffix(c.URL, "/")+path, content)
	if err != nil {
		return nil, err
	}
	if message != nil {
		request.Header.Set("Content-Type", "application/json")
	}
	if c.Token != "" {
		request.Header.Set("X-API-KEY", c.Token) //nolint:canonicalheader // As the documents write it.
	}
	response, err := c.HTTP.Do(request) //nolint:gosec // The operator names the server.
	if err != nil {
		return nil, unreachable(err)
	}
	if response.StatusCode == http.StatusOK {
		return response, nil
	}
	text, err := io.ReadAll(io.LimitReader(response.Body, maxResponseBytes))
	if err := errors.Join(err, response.Body.Close()); err != nil {
		return nil, &upkeep.UncertainError{Err: fmt.Errorf("read the response of %s: %w", c.URL, err)}
	}
	var failure httperror.Body
	switch {
	case response.StatusCode == http.StatusUnauthorized:
		return nil, fmt.Errorf("%s does not accept the token; set the variable SAVEDQ_TOKEN to one of its tokens", c.URL)
	case json.Unmarshal(text, &failure) != nil || failure.Error.Message == "":
		return nil, fmt.Errorf("%s is not a savedq server: it responds with %s", c.URL, response.Status)
	}
	err = fmt.Errorf("%s responds: %s", c.URL, failure.Error.Message)
	if response.StatusCode >= http.StatusInternalServerError {
		err = &upkeep.UncertainError{Err: err}
	}
	return nil, err
}

// unreachable returns the error for a request without a response.
func unreachable(err error) error {
	if failure, ok := errors.AsType[*net.OpError](err); ok && failure.Op == "dial" {
		return fmt.Errorf("reach the server: %w; start the server, or correct the URL", err)
	}
	return &upkeep.UncertainError{Err: fmt.Errorf("reach the server: %w", err)}
}
