package auth_test

import (
	"crypto/rand"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/internal/auth"
	"savedq/sqlq"
)

// newManager returns a manager of a tokens file with the tokens of names, and of one from the environment.
func newManager(t *testing.T, names ...string) *auth.Manager {
	t.Helper()
	content := []string{"# mine\ntokens:\n"}
	for _, name := range names {
		content = append(content, entry(name))
	}
	path := tokensFile(t, strings.Join(content, ""), 0o600)
	keyring, err := auth.NewKeyring(func() ([]auth.Credential, error) {
		credentials, err := auth.ReadFile(path, known(), slog.New(slog.DiscardHandler))
		return append(credentials, credential("from outside", auth.FullAccess("environment"))), err
	})
	require.NoError(t, err)
	return &auth.Manager{Keyring: keyring, File: path, Fixed: []string{"environment"}, Known: known, Clock: noon, Random: rand.Reader}
}

// contentOf returns the tokens file of a manager.
func contentOf(t *testing.T, manager *auth.Manager) string {
	t.Helper()
	content, err := os.ReadFile(manager.File)
	require.NoError(t, err)
	return string(content)
}

// A token is accepted as soon as it is created, and rejected as soon as it is revoked. The file has only its hash.
func TestManager(t *testing.T) {
	t.Parallel()
	manager := newManager(t, "old")
	before := contentOf(t, manager)
	caller := auth.FullAccess("environment")
	want := auth.Token{
		Name: "new", Created: noon(), Expires: time.Date(2026, 12, 1, 0, 0, 0, 0, time.UTC), Endpoints: []string{"logs.all"}, Projects: []string{"acme"}, MaxTier: "PRO",
		Rate: 2, Burst: 3, Ingest: true, Sources: []string{"edge_logs"}, Explore: true,
	}
	want.Budget.Hour.Requests, want.Budget.Day.Bytes = 5, 1<<30
	token, secret, err := manager.Create(&caller, &auth.Draft{
		Name: "new", Expires: new("2026-12-01"), Endpoints: []string{"logs.all"}, Projects: []string{"acme"}, ProjectTier: new("PRO"), Rate: new(2.0), Burst: new(3),
		BudgetHour: map[string]string{"requests": "5"}, BudgetDay: map[string]string{"bytes": "1GiB"}, Scopes: []string{"ingest", "explore"}, Sources: []string{"cloudflare.logs.prod"},
	})
	require.NoError(t, err)
	assert.Equal(t, want, token)
	assert.True(t, auth.IsSecret(secret))
	held, err := manager.Keyring.Authenticate(secret, noon())
	require.NoError(t, err)
	assert.Equal(t, want, held)
	assert.Equal(t, before+auth.EntryYAML(want, auth.HashOf(secret)), contentOf(t, manager), "what was there stays")
	assert.NotContains(t, contentOf(t, manager), secret)
	require.NoError(t, manager.Keyring.Reload())
	_, err = manager.Keyring.Authenticate(secret, noon())
	require.NoError(t, err, "a reload reads the token from the file")

	require.NoError(t, manager.Revoke("new"))
	_, err = manager.Keyring.Authenticate(secret, noon())
	require.ErrorContains(t, err, "the token is not valid")
	assert.Equal(t, before, contentOf(t, manager))
	_, err = manager.Keyring.Authenticate("old", noon())
	require.NoError(t, err)
}

// Nothing changes when a token cannot be created.
func TestManagerRejectsDrafts(t *testing.T) {
	t.Parallel()
	manager := newManager(t, "old")
	before := contentOf(t, manager)
	full := auth.FullAccess("environment")
	narrow := auth.Token{Name: "narrow", ManageTokens: true, Expires: noon().AddDate(0, 0, 7)}
	for name, test := range map[string]struct {
		caller auth.Token
		draft  auth.Draft
		code   sqlq.Code
		param  string
		want   string
	}{
		"a bad name":              {full, auth.Draft{Name: "a b"}, sqlq.InvalidArgument, "name", "a token's name must have at most 64 letters"},
		"no name":                 {full, auth.Draft{}, sqlq.InvalidArgument, "name", "a token's name must have at most 64 letters"},
		"a name that is taken":    {full, auth.Draft{Name: "old"}, sqlq.InvalidArgument, "name", "there is a token of this name already; revoke it, or choose another name"},
		"the name of a variable":  {full, auth.Draft{Name: "environment"}, sqlq.InvalidArgument, "name", "there is a token of this name already"},
		"an unknown scope":        {full, auth.Draft{Name: "a", Scopes: []string{"admin"}}, sqlq.InvalidArgument, "scopes", `"admin" is not one of ingest, refresh, sandbox, explore, alerts, metrics, manage_tokens`},
		"no endpoints":            {full, auth.Draft{Name: "a", Endpoints: []string{}}, sqlq.InvalidArgument, "endpoints", "must not be empty"},
		"an unknown endpoint":     {full, auth.Draft{Name: "a", Endpoints: []string{"nosuch"}}, sqlq.InvalidArgument, "endpoints", `endpoint "nosuch" is unknown; the endpoints are functions.invocation-stats`},
		"an unprintable project":  {full, auth.Draft{Name: "a", Projects: []string{"a\nb"}}, sqlq.InvalidArgument, "projects", "must have printable characters only"},
		"a project twice":         {full, auth.Draft{Name: "a", Projects: []string{"a", "a"}}, sqlq.InvalidArgument, "projects", `"a" is listed twice`},
		"an unknown tier":         {full, auth.Draft{Name: "a", ProjectTier: new("pro")}, sqlq.InvalidArgument, "projectTier", "the project tier must be one of FREE"},
		"a burst alone":           {full, auth.Draft{Name: "a", Burst: new(1)}, sqlq.InvalidArgument, "burst", "needs rate"},
		"a rate of zero":          {full, auth.Draft{Name: "a", Rate: new(0.0)}, sqlq.InvalidArgument, "rate", "the rate must be a number"},
		"a budget of nothing":     {full, auth.Draft{Name: "a", BudgetDay: map[string]string{}}, sqlq.InvalidArgument, "budgetDay", "must have an amount"},
		"an unknown amount":       {full, auth.Draft{Name: "a", BudgetHour: map[string]string{"calls": "1"}}, sqlq.InvalidArgument, "budgetHour", `unknown key "calls"`},
		"a past expiry":           {full, auth.Draft{Name: "a", Expires: new("2026-11-20")}, sqlq.InvalidArgument, "expires", "2026-11-20 is in the past"},
		"a past relative expiry":  {full, auth.Draft{Name: "a", Expires: new("now-1d")}, sqlq.InvalidArgument, "expires", "now-1d is in the past"},
		"an unknown unit":         {full, auth.Draft{Name: "a", Expires: new("now+1y")}, sqlq.InvalidArgument, "expires", "is not a time relative to now"},
		"sources without ingest":  {full, auth.Draft{Name: "a", Sources: []string{"edge_logs"}}, sqlq.InvalidArgument, "sources", "needs ingest"},
		"an unknown source":       {full, auth.Draft{Name: "a", Scopes: []string{"ingest"}, Sources: []string{"nosuch"}}, sqlq.InvalidArgument, "sources", `"nosuch" is not a log source`},
		"a manager with limits":   {full, auth.Draft{Name: "a", Scopes: []string{"manage_tokens"}, Rate: new(1.0)}, sqlq.InvalidArgument, "scopes", managingMistake},
		"more than the caller":    {narrow, auth.Draft{Name: "a", Scopes: []string{"explore"}, Expires: new("2026-11-21")}, sqlq.PermissionDenied, "", "the token may not grant explore, which it does not have"},
		"longer than the caller":  {narrow, auth.Draft{Name: "a", Expires: new("2026-12-01")}, sqlq.PermissionDenied, "", "choose an expiry until its own, 2026-11-27T12:00:00Z"},
		"forever, unlike himself": {narrow, auth.Draft{Name: "a"}, sqlq.PermissionDenied, "", "choose an expiry until its own"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, secret, err := manager.Create(&test.caller, &test.draft)
			require.ErrorContains(t, err, test.want)
			assert.Equal(t, test.code, sqlq.AsError(err).Code)
			assert.Equal(t, test.param, sqlq.AsError(err).Param)
			assert.False(t, auth.IsSecret(secret) && errors.Is(err, nil))
			assert.Equal(t, before, contentOf(t, manager))
		})
	}
	token, _, err := newManager(t, "old").Create(&narrow, &auth.Draft{Name: "b", Scopes: []string{"manage_tokens"}, Expires: new("2026-11-27T12:00:00Z")})
	require.NoError(t, err, "the same as the caller")
	assert.Equal(t, narrow.Expires, token.Expires)
}

// What cannot be revoked stays, with the reason.
func TestManagerRejectsRevocations(t *testing.T) {
	t.Parallel()
	manager := newManager(t, "only")
	for name, want := range map[string]struct {
		code sqlq.Code
		text string
	}{
		"nosuch":      {sqlq.NotFound, `there is no token "nosuch"`},
		"environment": {sqlq.PermissionDenied, `the token "environment" is not in the tokens file`},
		"only":        {sqlq.InvalidArgument, "it is the only token in the tokens file, and a server does not take a file without tokens"},
	} {
		err := manager.Revoke(name)
		require.ErrorContains(t, err, want.text)
		assert.Equal(t, want.code, sqlq.AsError(err).Code)
		assert.NotContains(t, sqlq.AsError(err).Message, manager.File, "paths are not for callers")
	}
	_, err := manager.Keyring.Authenticate("only", noon())
	require.NoError(t, err)
}

// A token that somebody removed from the file by hand, without a reload, is revoked all the same.
func TestManagerRevokesWhatTheFileLacks(t *testing.T) {
	t.Parallel()
	manager := newManager(t, "a", "b")
	require.NoError(t, auth.RemoveFromFile(manager.File, "a"))
	require.NoError(t, manager.Revoke("a"))
	_, err := manager.Keyring.Authenticate("a", noon())
	require.Error(t, err)
}

// A file that does not fit the saved queries any more does not keep a token from being revoked.
func TestManagerRevokesBesideMistakes(t *testing.T) {
	t.Parallel()
	manager := newManager(t, "a", "b")
	require.NoError(t, os.WriteFile(manager.File, []byte(contentOf(t, manager)+"    endpoints: [gone]\n"), 0o600))
	require.Error(t, manager.Keyring.Reload())
	require.NoError(t, manager.Revoke("a"))
	_, err := manager.Keyring.Authenticate("a", noon())
	require.Error(t, err)
	_, err = manager.Keyring.Authenticate("b", noon())
	require.NoError(t, err)
}

func TestManagerCannotChange(t *testing.T) {
	t.Parallel()
	manager := newManager(t, "a")
	assert.Nil(t, manager.CanChange())
	caller := auth.FullAccess("environment")
	for want, change := range map[string]func(*auth.Manager){
		"this server requires no token":              func(m *auth.Manager) { m.Keyring = nil },
		"this server has no tokens file":             func(m *auth.Manager) { m.File = "" },
		"this server may not write its tokens file;": func(m *auth.Manager) { m.File = filepath.Join(m.File, "nosuch") },
	} {
		changed := *manager
		change(&changed)
		_, _, err := changed.Create(&caller, &auth.Draft{Name: "b"})
		require.ErrorContains(t, err, want)
		require.ErrorContains(t, changed.Revoke("a"), want)
	}
	require.NoError(t, os.WriteFile(manager.File, []byte("tokens: [{name: a, sha256: "+hash("a")+"}]\n"), 0o600))
	_, _, err := manager.Create(&caller, &auth.Draft{Name: "b"})
	assert.Equal(t, sqlq.Unavailable, sqlq.AsError(err).Code)
	assert.NotContains(t, sqlq.AsError(err).Message, manager.File)
	require.ErrorContains(t, err, "is written in a form that savedq does not change", "the log has the cause")
}

// Changes at the same time lose none of each other.
func TestManagerConcurrently(t *testing.T) {
	t.Parallel()
	manager := newManager(t, "old")
	caller := auth.FullAccess("environment")
	var running sync.WaitGroup
	names := []string{"a", "b", "c", "d", "e", "f"}
	for _, name := range names {
		running.Go(func() {
			_, _, err := manager.Create(&caller, &auth.Draft{Name: name})
			assert.NoError(t, err)
		})
		running.Go(func() {
			assert.NoError(t, auth.AddToFile(manager.File, auth.Token{Name: "by-hand-" + name}, auth.HashOf("hand "+name)))
		})
		running.Go(func() { assert.NoError(t, manager.Keyring.Reload()) })
	}
	running.Wait()
	require.NoError(t, manager.Keyring.Reload())
	var held []string
	for _, used := range manager.Keyring.All() {
		held = append(held, used.Name)
	}
	assert.Equal(t, strings.Fields("a b by-hand-a by-hand-b by-hand-c by-hand-d by-hand-e by-hand-f c d e environment f old"), held)
}
