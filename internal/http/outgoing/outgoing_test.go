package outgoing_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/internal/http/outgoing"
)

func TestRequestsNameSavedq(t *testing.T) {
	t.Parallel()
	request, err := outgoing.NewRequest(t.Context(), http.MethodGet, "http://127.0.0.1/", nil)
	require.NoError(t, err)
	assert.Equal(t, "savedq/"+outgoing.Release, request.Header.Get("User-Agent"))
	_, err = outgoing.NewRequest(t.Context(), http.MethodGet, "://", nil)
	require.Error(t, err)
}
