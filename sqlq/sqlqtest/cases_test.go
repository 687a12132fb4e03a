package sqlqtest

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestCasesCoverTheRules proves that every numbered rule of the three queries and
// every decision about their rows is named by a case.
func TestCasesCoverTheRules(t *testing.T) {
	t.Parallel()
	cases, err := Cases()
	require.NoError(t, err)
	var proven []string
	for _, c := range cases {
		proven = append(proven, c.Proves...)
	}
	for _, rule := range []string{
		"2.2 rule 1", "2.2 rule 2", "2.2 rule 3", "2.2 rule 4", "2.2 rule 5", "2.2 rule 6",
		"2.3 rule 1", "2.3 rule 2", "2.3 rule 3", "2.3 rule 4",
		"2.4 rule 1", "2.4 rule 2", "2.4 rule 3",
		"D2", "D3", "D4", "D5", "D6", "D7", "D10", "D11", "D14", "D22", "D23", "D24",
	} {
		assert.Contains(t, proven, rule)
	}
	nameOf := map[string]string{}
	for _, c := range cases {
		assert.Empty(t, nameOf[c.Title], "%s has the title of another case", c.Name)
		nameOf[c.Title] = c.Name
	}
}

// TestParseCaseIsStrict proves that a mistake in a case file does not quietly
// prove nothing.
func TestParseCaseIsStrict(t *testing.T) {
	t.Parallel()
	const whole = `title: t
proves: [D7]
query: logs.all
now: 2026-03-10T12:00:00Z
logs:
  edge_logs:
    - {id: a, at: 2026-03-10T11:00:00Z, metadata: '[]'}
questions:
  - title: q
    params: {project: acme}
    want:
      rows:
        - ["a", 2026-03-10T11:00:00Z, null, '[]']
`
	_, err := parseCase("whole", []byte(whole))
	require.NoError(t, err)
	tests := []struct {
		name, from, to, want string
	}{
		{"an unknown key", "proves:", "proofs:", "unknown field"},
		{"an unknown key of an event", "metadata:", "meta:", "unknown field"},
		{"an unknown key of a question", "params:", "parameters:", "unknown field"},
		{"an unknown key of a wanted result", "rows:", "row:", "unknown field"},
		{"no title", "title: t", "title: ''", "title, proves and questions are required"},
		{"a question without a title", "- title: q", "- title: ''", "a title is required"},
		{"an unknown query", "logs.all", "logs.none", `no shipped saved query is named "logs.none"`},
		{"an unknown table", "edge_logs", "edges", `no source table is named "edges"`},
		{"a time that is none", "now: 2026-03-10T12:00:00Z", "now: noon", "now:"},
		{"a time with an offset", "now: 2026-03-10T12:00:00Z", "now: '2026-03-10T12:00:00+01:00'", "is not in UTC"},
		{"a time of nanoseconds", "now: 2026-03-10T12:00:00Z", "now: 2026-03-10T12:00:00.000000001Z", "finer than microseconds"},
		{"metadata that is not JSON", "metadata: '[]'", "metadata: '['", "metadata is not JSON"},
		{"a row that is too short", `["a", `, `[`, "has 3 values for 4 columns"},
		{"a value of another type", `["a", `, `[1, `, "column id:"},
		{"a row that is a text", `- ["a", 2026-03-10T11:00:00Z, null, '[]']`, "- a", "is neither a list nor a run"},
		{"a run that lacks a key", `- ["a", 2026-03-10T11:00:00Z, null, '[]']`, "- {from: a, to: b, step: 1s}", "a run has from, to, step and then"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			changed := strings.Replace(whole, test.from, test.to, 1)
			require.NotEqual(t, whole, changed)
			_, err := parseCase("changed", []byte(changed))
			require.ErrorContains(t, err, test.want)
		})
	}
}
