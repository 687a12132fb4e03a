package live_test

import (
	"crypto/rand"
	"encoding/hex"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/internal/web/webtest"
)

// The editor signs in with a signed token, in the address or in the dialog, and then has the schema as the token sees it.
func TestGraphiQLWithSignedToken(t *testing.T) {
	t.Parallel()
	browser := webtest.Chromium(t)
	directory := copyClient(t, "frontend")
	const secretBytes = 32
	secret := make([]byte, secretBytes)
	_, _ = rand.Read(secret)
	require.NoError(t, os.WriteFile(filepath.Join(directory, "jwt.secret"), []byte(hex.EncodeToString(secret)), 0o600))
	s := serveIn(t, directory, "--data", filepath.Join(t.TempDir(), "data"), "--jwt", "jwt.yaml")
	signed := run(t, "token", "sign", "--key", filepath.Join(directory, "jwt.secret"), "--issuer=frontend-example", "--audience=savedq", "--subject=user-1", "--claim=project=acme")
	require.Zero(t, signed.status, signed.stderr)
	token := lastLine(signed.stdout)
	holds := func(expression string) bool {
		value, err := chromedp.Run(browser, chromedp.Evaluate[bool](expression))
		require.NoError(t, err)
		return value
	}
	becomes := func(expression string) {
		t.Helper()
		require.Eventually(t, func() bool { return holds(expression) }, time.Minute, 100*time.Millisecond, expression)
	}
	const shown = "document.querySelector('.graphiql-container')?.textContent.includes('invocationStats') ?? false"
	require.NoError(t, chromedp.Do(browser, chromedp.Navigate(s.url+"/graphiql#token="+token)))
	becomes(shown)
	assert.True(t, holds("location.hash === ''"), "the address does not keep it")

	assert.True(t, holds("(localStorage.clear(), true)"))
	require.NoError(t, chromedp.Do(browser, chromedp.Navigate("about:blank"), chromedp.Navigate(s.url+"/graphiql")))
	becomes("document.querySelector('#token') !== null")
	require.NoError(t, chromedp.Do(browser, chromedp.SendKeys("#token", token+"\n")))
	becomes(shown)
}
