package usage_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/internal/operations/usage"
	"savedq/internal/text/strictyaml"
)

// The tokens file and claims of signed tokens spell budgets the same way.
func TestParseBudget(t *testing.T) {
	t.Parallel()
	want := usage.Budget{
		Hour: usage.Amounts{Requests: 1000, Rows: 2_000_000_000_000, Bytes: 10 << 30, EngineTime: 1500 * time.Millisecond},
		Day:  usage.Amounts{Bytes: 5},
	}
	claim := `{"hour": {"requests": 1000, "rows": 2000000000000, "bytes": "10GiB", "engine_seconds": 1.5}, "day": {"bytes": 5}}`
	got, ok := usage.ParseBudget([]byte(claim))
	require.True(t, ok)
	assert.Equal(t, want, got)
	assert.Equal(t, "{hour: {requests: 1000, rows: 2000000000000, bytes: 10737418240, engine_seconds: 1.5}, day: {bytes: 5}}", want.YAML())
	reader := &strictyaml.Reader{MostBytes: 1000}
	m := reader.Read([]byte("budget: "+want.YAML()), "budget")
	assert.Equal(t, want, usage.ReadBudget(m.At("budget")))
	assert.Empty(t, reader.Mistakes())
}

func TestParseBudgetRejects(t *testing.T) {
	t.Parallel()
	for _, claim := range []string{
		`5`, `null`, `{}`, `{"day": {}}`, `{"day": null}`, `{"day": 5}`, `{"week": {"requests": 1}}`, `{"day": {"queries": 1}}`,
		`{"day": {"requests": 1.5}}`, `{"day": {"requests": -1}}`, `{"day": {"rows": [1]}}`, `{"hour": {"bytes": "much"}}`,
		`{"hour": {"engine_seconds":0}}`,
	} {
		_, ok := usage.ParseBudget([]byte(claim))
		assert.False(t, ok, claim)
	}
}
