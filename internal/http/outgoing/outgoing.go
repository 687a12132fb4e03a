// Package outgoing begins the requests that savedq sends, so that servers can tell what sends them.
package outgoing

import (
	"context"
	"io"
	"net/http"
)

// Release is the number of this release. The newest heading of CHANGELOG.md has the same.
const Release = "0.1.0"

// UserAgent names savedq in requests.
const UserAgent = "savedq/" + Release

// NewRequest is like [http.NewRequestWithContext], for a request that names savedq.
func NewRequest(ctx context.Context, method, url string, body io.Reader) (*http.Request, error) {
	request, err := http.NewRequestWithContext(ctx, method, url, body) //nolint:forbidigo // It is what others must call.
	if err == nil {
		Identify(request)
	}
	return request, err
}

// Identify names savedq in a request.
func Identify(request *http.Request) { request.Header.Set("User-Agent", UserAgent) }
