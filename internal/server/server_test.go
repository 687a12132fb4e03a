package server

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/internal/auth"
	"savedq/internal/logs/upkeep"
)

// One signal reloads all that can be reloaded, the tokens after the saved queries that they name.
func TestHangupReloadsEverything(t *testing.T) {
	t.Parallel()
	tokens := filepath.Join(t.TempDir(), "tokens.yaml")
	write := func(name string) {
		require.NoError(t, os.WriteFile(tokens, []byte("tokens:\n"+auth.EntryYAML(auth.Token{Name: name}, auth.HashOf(name))), 0o600))
	}
	write("old")
	r := newReloads(t, func(config *Config) {
		config.NoAuth, config.Tokens = false, tokens
		config.ReadRetention = func() (*upkeep.RetentionPolicy, error) { return &upkeep.RetentionPolicy{}, nil }
	})
	write("new")
	r.write(2)
	hangups := make(chan os.Signal)
	stop := inBackground(t.Context(), func(ctx context.Context) { r.keepReloading(ctx, hangups) })
	hangups <- syscall.SIGHUP
	hangups <- syscall.SIGHUP // is received once the first one has been handled
	stop()
	_, after, found := strings.Cut(r.log.String(), `msg="the saved queries were reloaded" changed=[mine.changing]`)
	require.True(t, found, r.log.String())
	_, after, found = strings.Cut(after, `msg="the tokens were reloaded" added=[new] removed=[old]`)
	require.True(t, found, r.log.String())
	assert.Contains(t, after, `msg="the retention file was reloaded"`)
}

// Resources are closed in the reverse order of opening, and every error is reported.
func TestCloseIsInReverse(t *testing.T) {
	t.Parallel()
	s := &Server{}
	var closed []string
	for _, name := range []string{"first", "second"} {
		s.onClose(func() error {
			closed = append(closed, name)
			return errors.New(name + " failed")
		})
	}
	require.EqualError(t, s.Close(), "second failed\nfirst failed")
	assert.Equal(t, []string{"second", "first"}, closed)
	require.NoError(t, s.Close(), "closed once")
}

// A server that cannot be opened closes what it has opened, and another one can use it.
func TestRunFails(t *testing.T) {
	t.Parallel()
	r := newReloads(t, unchanged)
	config := r.config
	require.NoError(t, r.Close())
	config.Registry, config.TrustedDocuments = prometheus.NewRegistry(), filepath.Join(config.Data, "nosuch")
	for range 2 {
		require.ErrorContains(t, New(config).Run(t.Context()), "--trusted-documents: ")
		config.Registry = prometheus.NewRegistry()
	}
}
