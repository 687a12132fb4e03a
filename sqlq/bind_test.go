package sqlq_test

import (
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/sqlq"
	"savedq/sqlq/duckdb/duckdbsql"
	"savedq/sqlq/sqlqtest"
)

// bind binds raw parameters of a shipped query and returns the values by name.
func bind(t *testing.T, name string, raw map[string][]string) (map[string]any, error) {
	t.Helper()
	catalog := sqlqtest.Shipped(t, duckdbsql.Dialect{})
	query, ok := catalog.Find(name)
	require.True(t, ok)
	args, err := query.Bind(raw)
	values := make(map[string]any, len(args))
	for _, arg := range args {
		values[arg.Name] = arg.Value
	}
	return values, err
}

func TestBindNormalises(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		query string
		raw   map[string][]string
		want  map[string]any
	}{
		"2.2 rule 4: an absent function_id means all functions": {
			"functions.invocation-stats",
			map[string][]string{"project": {"acme"}, "interval": {"5min"}},
			map[string]any{"project": "acme", "function_id": nil, "interval": "5min"},
		},
		"2.2 rule 4: an empty function_id means the same": {
			"functions.invocation-stats",
			map[string][]string{"project": {"acme"}, "interval": {"5min"}, "function_id": {""}},
			map[string]any{"project": "acme", "function_id": nil, "interval": "5min"},
		},
		"D10: an absent interval is 1day": {
			"functions.invocation-stats",
			map[string][]string{"project": {"acme"}, "function_id": {"f"}},
			map[string]any{"project": "acme", "function_id": "f", "interval": "1day"},
		},
		"D10: an unknown interval is 1day": {
			"functions.invocation-stats",
			map[string][]string{"project": {"acme"}, "interval": {"2hr"}},
			map[string]any{"project": "acme", "function_id": nil, "interval": "1day"},
		},
		"D10: values are case-sensitive": {
			"functions.invocation-stats",
			map[string][]string{"project": {"acme"}, "interval": {"5MIN"}},
			map[string]any{"project": "acme", "function_id": nil, "interval": "1day"},
		},
		"D8: an undeclared parameter is ignored, even twice": {
			"usage.api-counts",
			map[string][]string{"project": {"acme"}, "interval": {"daily"}, "cachebust": {"1", "2"}},
			map[string]any{"project": "acme", "interval": "daily"},
		},
		"D10: an absent project_tier is FREE": {
			"logs.all",
			map[string][]string{"project": {"acme"}},
			map[string]any{"project": "acme", "project_tier": "FREE", "iso_timestamp_start": nil, "iso_timestamp_end": nil},
		},
		"D10: an unknown project_tier is FREE": {
			"logs.all",
			map[string][]string{"project": {"acme"}, "project_tier": {"pro"}},
			map[string]any{"project": "acme", "project_tier": "FREE", "iso_timestamp_start": nil, "iso_timestamp_end": nil},
		},
		"2.4 rule 3: empty times mean no bounds": {
			"logs.all",
			map[string][]string{"project": {"acme"}, "project_tier": {"PAYG"}, "iso_timestamp_start": {""}, "iso_timestamp_end": {""}},
			map[string]any{"project": "acme", "project_tier": "PAYG", "iso_timestamp_start": nil, "iso_timestamp_end": nil},
		},
		"D11: times become UTC": {
			"logs.all",
			map[string][]string{"project": {"acme"}, "iso_timestamp_start": {"2026-11-20T10:00:00 02:00"}},
			map[string]any{
				"project": "acme", "project_tier": "FREE",
				"iso_timestamp_start": time.Date(2026, 11, 20, 8, 0, 0, 0, time.UTC), "iso_timestamp_end": nil,
			},
		},
		"D9: as many characters as are allowed": {
			"logs.all",
			map[string][]string{"project": {strings.Repeat("ä", 256)}},
			map[string]any{"project": strings.Repeat("ä", 256), "project_tier": "FREE", "iso_timestamp_start": nil, "iso_timestamp_end": nil},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := bind(t, test.query, test.raw)
			require.NoError(t, err)
			assert.Equal(t, test.want, got)
		})
	}
}

func TestBindRejects(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		query   string
		raw     map[string][]string
		param   string
		message string
	}{
		"D9: project absent": {
			"functions.invocation-stats", nil, "project", "is required and must not be empty",
		},
		"D9: project empty": {
			"logs.all", map[string][]string{"project": {""}}, "project", "is required and must not be empty",
		},
		"D8: a declared parameter twice": {
			"logs.all", map[string][]string{"project": {"a", "a"}}, "project", "is given 2 times; give it once",
		},
		"D9: project too long": {
			"logs.all", map[string][]string{"project": {strings.Repeat("ä", 257)}}, "project", "is longer than 256 characters",
		},
		"D9: project too long for an expression": {
			"usage.api-counts",
			map[string][]string{"project": {strings.Repeat("a", 1025)}, "interval": {"daily"}},
			"project", "is longer than 1024 characters",
		},
		"D9: an expression that does not compile": {
			"usage.api-counts",
			map[string][]string{"project": {"(acme"}, "interval": {"daily"}},
			"project", "is not a valid RE2 regular expression: missing closing ): `(acme`",
		},
		"D10: interval absent": {
			"usage.api-counts",
			map[string][]string{"project": {"acme"}},
			"interval", "is required; use one of minutely, hourly, daily",
		},
		"D10: interval unknown": {
			"usage.api-counts",
			map[string][]string{"project": {"acme"}, "interval": {"Daily"}},
			"interval", `"Daily" is not allowed; use one of minutely, hourly, daily`,
		},
		"D11: no timestamp": {
			"logs.all",
			map[string][]string{"project": {"acme"}, "iso_timestamp_end": {"noon"}},
			"iso_timestamp_end", `"noon" is not an ISO 8601 timestamp; use for example 2026-11-20T10:00:00Z`,
		},
		"a NUL in a text": {
			"logs.all", map[string][]string{"project": {"acme\x00"}}, "project", "contains the character NUL (U+0000); remove it",
		},
		"a NUL where any other text has a meaning": {
			"logs.all", map[string][]string{"project": {"acme"}, "project_tier": {"\x00"}}, "project_tier", "contains the character NUL (U+0000); remove it",
		},
		"text that is not UTF-8": {
			"logs.all", map[string][]string{"project": {"acme\xff"}}, "project", "is not valid UTF-8",
		},
		"text that is not UTF-8 where any other has a meaning": {
			"logs.all", map[string][]string{"project": {"acme"}, "project_tier": {"\xff"}}, "project_tier", "is not valid UTF-8",
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := bind(t, test.query, test.raw)
			var coded *sqlq.Error
			require.ErrorAs(t, err, &coded)
			assert.Equal(t, sqlq.InvalidArgument, coded.Code)
			assert.Equal(t, test.param, coded.Param)
			assert.Equal(t, test.message, coded.Message)
		})
	}
}

// Each type of parameter that a saved query can declare, on good and bad text.
func TestBindTypes(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		param   sqlq.Param
		text    string
		want    any
		message string
	}{
		"INT64":                    {sqlq.Param{Type: sqlq.Int64}, "-9223372036854775808", int64(-9223372036854775808), ""},
		"INT64 out of range":       {sqlq.Param{Type: sqlq.Int64}, "9223372036854775808", nil, `"9223372036854775808" is too large or too small; use a whole number from -2^63 to 2^63-1`},
		"INT64 fraction":           {sqlq.Param{Type: sqlq.Int64}, "1.0", nil, `"1.0" is not a whole number`},
		"FLOAT64":                  {sqlq.Param{Type: sqlq.Float64}, "-1.5e3", -1500.0, ""},
		"FLOAT64 with underscores": {sqlq.Param{Type: sqlq.Float64}, "1_0", nil, `"1_0" is not a finite number`},
		"FLOAT64 in base 16":       {sqlq.Param{Type: sqlq.Float64}, "0x1p-2", nil, `"0x1p-2" is not a finite number`},
		"FLOAT64 not finite":       {sqlq.Param{Type: sqlq.Float64}, "NaN", nil, `"NaN" is not a finite number`},
		"FLOAT64 out of range":     {sqlq.Param{Type: sqlq.Float64}, "1e999", nil, `"1e999" is not a finite number`},
		"BOOL":                     {sqlq.Param{Type: sqlq.Bool}, "true", true, ""},
		"BOOL in other letters":    {sqlq.Param{Type: sqlq.Bool}, "TRUE", nil, `"TRUE" is neither true nor false`},
		"long text is cut in messages": {
			sqlq.Param{Type: sqlq.Bool},
			strings.Repeat("x", 65), nil, `"` + strings.Repeat("x", 64) + `…" is neither true nor false`,
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test.param.Name = "p"
			query := sqlq.SavedQuery{Params: []sqlq.Param{test.param}}
			args, err := query.Bind(map[string][]string{"p": {test.text}})
			if test.message != "" {
				require.EqualError(t, err, "p: "+test.message)
				return
			}
			require.NoError(t, err)
			assert.Equal(t, []sqlq.Arg{{Name: "p", Type: test.param.Type, Value: test.want}}, args)
		})
	}
}

// Whatever arrives, each declared parameter gets a value of its type or the
// caller gets an error that names a declared parameter.
func FuzzBind(f *testing.F) {
	catalog := sqlqtest.Shipped(f, duckdbsql.Dialect{})
	f.Add("acme", "1day", "PRO", "2026-11-20T10:00:00 02:00", "")
	f.Add("(a|b", "daily", "", "", "2026-11-20")
	f.Add("\xff", "hourly", "free", "x", "y")
	f.Fuzz(func(t *testing.T, project, interval, tier, start, end string) {
		raw := map[string][]string{
			"project": {project}, "function_id": {tier}, "interval": {interval}, "project_tier": {tier},
			"iso_timestamp_start": {start}, "iso_timestamp_end": {end}, "projects": {project, tier},
		}
		for _, query := range catalog.Queries() {
			args, err := query.Bind(raw)
			if err != nil {
				var coded *sqlq.Error
				require.ErrorAs(t, err, &coded)
				assert.Equal(t, sqlq.InvalidArgument, coded.Code)
				assert.Contains(t, raw, coded.Param)
				assert.True(t, utf8.ValidString(coded.Message))
				continue
			}
			require.Len(t, args, len(query.Params))
			for i, arg := range args {
				assert.Equal(t, query.Params[i].Name, arg.Name)
				switch value := arg.Value.(type) {
				case nil:
					assert.False(t, query.Params[i].Required)
				case string:
					assert.True(t, utf8.ValidString(value))
				case int64:
					assert.Equal(t, sqlq.Int64, arg.Type)
				case time.Time:
					assert.Equal(t, sqlq.Timestamp, arg.Type)
				case sqlq.FromNow:
					assert.True(t, query.Params[i].HasRelativeDefault())
				case []any:
					assert.True(t, arg.Type.IsArray())
				default:
					t.Errorf("%s has a value of type %T", arg.Name, value)
				}
			}
		}
	})
}
