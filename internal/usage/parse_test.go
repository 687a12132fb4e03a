package usage_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/internal/strictyaml"
	"savedq/internal/usage"
)

// The tokens file and claims of signed tokens spell budgets the same way.
func TestParseBudget(t *testing.T) {
	t.Parallel()
	want := usage.Budget{
		Hour: usage.Amounts{Requests: 1000, Rows: 2_000_000_000_000, Bytes: 10 << 30, EngineTime: 1500 * time.Millisecond},
		Day:  usage.Amounts{Bytes: 5},
	}
	claim := `{"hour": {"requests": 1000, "rows": 2000000000000, "bytes": "10GiB", "engine_seconds": 1.5}, "day": {"bytes": 5}}`
	got, err := usage.ParseBudget([]byte(claim))
	require.NoError(t, err)
	assert.Equal(t, want, got)
	assert.Equal(t, "{hour: {requests: 1000, rows: 2000000000000, bytes: 10737418240, engine_seconds: 1.5}, day: {bytes: 5}}", want.YAML())
	reader := &strictyaml.Reader{MostBytes: 1000}
	m := reader.Read([]byte("budget: "+want.YAML()), "budget")
	assert.Equal(t, want, usage.ReadBudget(m.At("budget")))
	assert.Empty(t, reader.Mistakes())
}

func TestParseBudgetReturnsErrors(t *testing.T) {
	t.Parallel()
	const empty = "a budget must have a limit for hour or day, such as {day: {requests: 10000}}"
	for claim, want := range map[string]string{
		`5`:                              empty,
		`null`:                           empty,
		`{}`:                             empty,
		`{"day": {}}`:                    empty,
		`{"day": null}`:                  empty,
		`{"day": 5}`:                     empty,
		`{"week": {"requests": 1}}`:      `unknown key "week"; the keys are hour, day`,
		`{"day": {"queries": 1}}`:        `day: unknown key "queries"; the keys are requests, rows, bytes, engine_seconds`,
		`{"day": {"requests": 1.5}}`:     `day: requests must be a whole number from 1 to 1000000000000000`,
		`{"day": {"requests": -1}}`:      `day: requests must be a whole number from 1 to 1000000000000000`,
		`{"day": {"rows": [1]}}`:         `day: rows must be a whole number from 1 to 1000000000000000`,
		`{"hour": {"bytes": "much"}}`:    `hour: bytes must be a size of at least 1 byte, such as 10GiB`,
		`{"hour": {"engine_seconds":0}}`: `hour: engine_seconds must be a number of seconds from 0.001 to 1000000000`,
	} {
		got, err := usage.ParseBudget([]byte(claim))
		require.EqualError(t, err, want, claim)
		assert.Zero(t, got)
	}
}
