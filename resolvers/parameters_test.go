package resolvers_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestArgumentsBecomeRawParameters(t *testing.T) {
	t.Parallel()
	const stats, counts, logs = "functions.invocation-stats", "usage.api-counts", "logs.all"
	for document, want := range map[string]call{
		`invocationStats(project: "p")`:                                    {stats, params{"project": {"p"}, "interval": {"1day"}}},
		`invocationStats(project: "p", interval: null)`:                    {stats, params{"project": {"p"}}},
		`invocationStats(project: "p", interval: FIVE_MINUTES)`:            {stats, params{"project": {"p"}, "interval": {"5min"}}},
		`invocationStats(project: "p", interval: FIFTEEN_MINUTES)`:         {stats, params{"project": {"p"}, "interval": {"15min"}}},
		`invocationStats(project: "p", interval: ONE_HOUR)`:                {stats, params{"project": {"p"}, "interval": {"1hr"}}},
		`invocationStats(project: "p", interval: ONE_DAY)`:                 {stats, params{"project": {"p"}, "interval": {"1day"}}},
		`invocationStats(project: "p", interval: SEVEN_DAYS)`:              {stats, params{"project": {"p"}, "interval": {"7day"}}},
		`invocationStats(project: "p", functionId: "f")`:                   {stats, params{"project": {"p"}, "function_id": {"f"}, "interval": {"1day"}}},
		`invocationStats(project: "p", functionId: "")`:                    {stats, params{"project": {"p"}, "function_id": {""}, "interval": {"1day"}}},
		`invocationStats(project: "p", functionId: null)`:                  {stats, params{"project": {"p"}, "interval": {"1day"}}},
		`invocationStats(project: "")`:                                     {stats, params{"project": {""}, "interval": {"1day"}}},
		`apiCounts(project: "^p\\.", interval: MINUTELY)`:                  {counts, params{"project": {`^p\.`}, "interval": {"minutely"}}},
		`apiCounts(project: "p", interval: HOURLY)`:                        {counts, params{"project": {"p"}, "interval": {"hourly"}}},
		`apiCounts(project: "p", interval: DAILY)`:                         {counts, params{"project": {"p"}, "interval": {"daily"}}},
		`logs(project: "p")`:                                               {logs, params{"project": {"p"}, "project_tier": {"FREE"}}},
		`logs(project: "p", projectTier: null)`:                            {logs, params{"project": {"p"}}},
		`logs(project: "p", projectTier: PRO)`:                             {logs, params{"project": {"p"}, "project_tier": {"PRO"}}},
		`logs(project: "p", projectTier: PAYG)`:                            {logs, params{"project": {"p"}, "project_tier": {"PAYG"}}},
		`logs(project: "p", projectTier: ENTERPRISE)`:                      {logs, params{"project": {"p"}, "project_tier": {"ENTERPRISE"}}},
		`logs(project: "p", isoTimestampStart: "2026-11-20")`:              {logs, params{"project": {"p"}, "project_tier": {"FREE"}, "iso_timestamp_start": {"2026-11-20"}}},
		`logs(project: "p", isoTimestampStart: "now-1d")`:                  {logs, params{"project": {"p"}, "project_tier": {"FREE"}, "iso_timestamp_start": {"now-1d"}}},
		`logs(project: "p", isoTimestampEnd: "10:00 02:00")`:               {logs, params{"project": {"p"}, "project_tier": {"FREE"}, "iso_timestamp_end": {"10:00 02:00"}}},
		`logs(project: "p", isoTimestampStart: "", isoTimestampEnd: null)`: {logs, params{"project": {"p"}, "project_tier": {"FREE"}, "iso_timestamp_start": {""}}},
	} {
		t.Run(document, func(t *testing.T) {
			t.Parallel()
			runner, calls := recording(t)
			dataOf(t, runner, `{ `+document+` { timestamp } }`)
			assert.Equal(t, []call{want}, *calls)
		})
	}
}

func TestVariablesBecomeRawParameters(t *testing.T) {
	t.Parallel()
	const document = `query($p: String!, $t: ProjectTier = PAYG, $s: Time, $e: Time) {
		logs(project: $p, projectTier: $t, isoTimestampStart: $s, isoTimestampEnd: $e) { id } }`
	for name, test := range map[string]struct {
		variables map[string]any
		want      params
	}{
		"all set": {
			map[string]any{"p": "x", "t": "PRO", "s": "2026-11-19", "e": "2026-11-20"},
			params{"project": {"x"}, "project_tier": {"PRO"}, "iso_timestamp_start": {"2026-11-19"}, "iso_timestamp_end": {"2026-11-20"}},
		},
		"omitted": {map[string]any{"p": "x"}, params{"project": {"x"}, "project_tier": {"PAYG"}}},
		"null":    {map[string]any{"p": "x", "t": nil, "s": nil, "e": nil}, params{"project": {"x"}}},
		"unused":  {map[string]any{"p": "x", "q": 1}, params{"project": {"x"}, "project_tier": {"PAYG"}}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			runner, calls := recording(t)
			execute(t, newExecutor(t, runner), document, test.variables)
			require.Len(t, *calls, 1)
			assert.Equal(t, call{"logs.all", test.want}, (*calls)[0])
		})
	}
}

func TestSingleValueOfAListIsAListOfOne(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		document  string
		variables map[string]any
	}{
		"literal":  {`{ projectsList(projects: "x") { project } }`, nil},
		"list":     {`query($p: [String!]) { projectsList(projects: $p) { project } }`, map[string]any{"p": []any{"x"}}},
		"variable": {`query($p: [String!]) { projectsList(projects: $p) { project } }`, map[string]any{"p": "x"}},
		"element":  {`query($p: String!) { projectsList(projects: [$p]) { project } }`, map[string]any{"p": "x"}},
		"default":  {`query($p: [String!] = "x") { projectsList(projects: $p) { project } }`, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			runner, calls := recording(t)
			execute(t, newExecutor(t, runner), test.document, test.variables)
			assert.Equal(t, []call{{"projects.list", params{"projects": {"x"}}}}, *calls)
		})
	}
}
