package auth_test

import (
	"math"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/internal/auth"
	"savedq/sqlq"
	"savedq/sqlq/duckdb/duckdbsql"
	"savedq/sqlq/sqlqtest"
)

func TestFullAccessHasNoLimits(t *testing.T) {
	t.Parallel()
	assert.Equal(t, auth.Token{Name: "main", Ingest: true, Refresh: true, Sandbox: true, Explore: true, Alerts: true, ManageTokens: true}, auth.FullAccess("main"))
}

func TestCheckName(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"a", "7", "ci", "Grafana.prod_eu-1", strings.Repeat("x", 64)} {
		require.NoError(t, auth.CheckName(name), name)
	}
	for _, name := range []string{"", " ", "a b", ".a", "-a", "_a", "a\n", "a\x00", "ä", "a/b", `a"`, strings.Repeat("x", 65)} {
		require.ErrorContains(t, auth.CheckName(name), "a token's name must have at most 64 letters", name)
	}
}

func TestCheckRateAndBurst(t *testing.T) {
	t.Parallel()
	for _, rate := range []float64{math.SmallestNonzeroFloat64, 0.5, 1, 1e6} {
		require.NoError(t, auth.CheckRate(rate), rate)
	}
	for _, rate := range []float64{0, -1, 1e6 + 1, math.Inf(1), math.Inf(-1), math.NaN()} {
		require.ErrorContains(t, auth.CheckRate(rate), "above 0 and up to 1000000", rate)
	}
	for _, burst := range []int{1, 2, 1_000_000} {
		require.NoError(t, auth.CheckBurst(burst), burst)
	}
	for _, burst := range []int{0, -1, 1_000_001} {
		require.ErrorContains(t, auth.CheckBurst(burst), "from 1 to 1000000", burst)
	}
}

func TestParseExpiry(t *testing.T) {
	t.Parallel()
	tests := map[string]time.Time{
		"2027-01-31":                     time.Date(2027, 1, 31, 0, 0, 0, 0, time.UTC),
		"2027-01-31T12:30:00Z":           time.Date(2027, 1, 31, 12, 30, 0, 0, time.UTC),
		"2027-01-31T12:30:00+02:00":      time.Date(2027, 1, 31, 10, 30, 0, 0, time.UTC),
		"2027-01-31T12:30:00.123456789Z": time.Date(2027, 1, 31, 12, 30, 0, 123456789, time.UTC),
	}
	for text, want := range tests {
		expires, err := auth.ParseExpiry(text)
		require.NoError(t, err, text)
		assert.Equal(t, want, expires, text)
	}
	// The zero time would mean that the token never expires.
	for _, text := range []string{"", "never", "2027", "2027-02-30", "2027-01-31T12:30:00", "2027-01-31 12:30:00Z", "31.01.2027", "0001-01-01", "0001-01-01T00:00:00Z"} {
		_, err := auth.ParseExpiry(text)
		require.ErrorContains(t, err, "the expiry must be a date such as 2027-01-31", text)
	}
}

// The valid tiers are those that saved queries declare, in declaration order.
func TestCheckTier(t *testing.T) {
	t.Parallel()
	shipped := sqlqtest.Shipped(t, duckdbsql.Dialect{})
	tiers := auth.Tiers(shipped.Queries())
	assert.Equal(t, []string{"FREE", "PRO", "PAYG", "ENTERPRISE"}, tiers)
	for _, tier := range tiers {
		require.NoError(t, auth.CheckTier(tier, tiers))
	}
	for _, tier := range []string{"", "free", "GOLD", " FREE"} {
		require.EqualError(t, auth.CheckTier(tier, tiers), "the project tier must be one of FREE, PRO, PAYG, ENTERPRISE", tier)
	}
	require.EqualError(t, auth.CheckTier("GOLD", nil), `the project tier "GOLD" cannot be a limit, since no saved query has a parameter with scope: tier`)
	both := append(shipped.Queries(), &sqlq.SavedQuery{Params: []sqlq.Param{
		{Name: "project_tier", Allowed: []string{"not", "a", "tier"}}, {Name: "plan", Scope: sqlq.ScopeTier, Allowed: []string{"PRO", "GOLD"}},
	}})
	assert.Equal(t, []string{"FREE", "PRO", "PAYG", "ENTERPRISE", "GOLD"}, auth.Tiers(both))
}
