package sqlq_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/sqlq"
)

// bound returns a limit of a parameter.
func bound(text string, value any) *sqlq.Bound { return &sqlq.Bound{Text: text, Value: value} }

// Dates, limits and arrays are validated with messages that name the value and the remedy.
func TestBindDatesLimitsAndArrays(t *testing.T) {
	t.Parallel()
	day := time.Date(2026, 11, 20, 0, 0, 0, 0, time.UTC)
	integers, texts := sqlq.ArrayOf(sqlq.Int64), sqlq.ArrayOf(sqlq.String)
	fallback := "a"
	for name, test := range map[string]struct {
		param sqlq.Param
		texts []string
		want  any
		err   string
	}{
		"DATE":                       {sqlq.Param{Type: sqlq.Date}, []string{"2026-11-20"}, day, ""},
		"DATE in a leap year":        {sqlq.Param{Type: sqlq.Date}, []string{"2024-02-29"}, time.Date(2024, 2, 29, 0, 0, 0, 0, time.UTC), ""},
		"DATE that does not exist":   {sqlq.Param{Type: sqlq.Date}, []string{"2026-02-30"}, nil, `p: "2026-02-30" is not a date; use for example 2026-11-20`},
		"DATE with a time":           {sqlq.Param{Type: sqlq.Date}, []string{"2026-11-20T10:00:00Z"}, nil, `p: "2026-11-20T10:00:00Z" is not a date; use for example 2026-11-20`},
		"DATE of the year 0":         {sqlq.Param{Type: sqlq.Date}, []string{"0000-01-01"}, nil, `p: "0000-01-01" is not a date; use for example 2026-11-20`},
		"absent DATE":                {sqlq.Param{Type: sqlq.Date}, nil, nil, ""},
		"minimum":                    {sqlq.Param{Type: sqlq.Int64, Min: bound("5", int64(5))}, []string{"5"}, int64(5), ""},
		"less than the minimum":      {sqlq.Param{Type: sqlq.Int64, Min: bound("5", int64(5))}, []string{"4"}, nil, `p: "4" is less than the minimum, 5`},
		"maximum":                    {sqlq.Param{Type: sqlq.Float64, Max: bound("1.5", 1.5)}, []string{"1.5"}, 1.5, ""},
		"more than the maximum":      {sqlq.Param{Type: sqlq.Float64, Max: bound("1.5", 1.5)}, []string{"1.50001"}, nil, `p: "1.50001" is more than the maximum, 1.5`},
		"DATE before the minimum":    {sqlq.Param{Type: sqlq.Date, Min: bound("2026-11-20", day)}, []string{"2026-11-19"}, nil, `p: "2026-11-19" is less than the minimum, 2026-11-20`},
		"TIMESTAMP in another zone":  {sqlq.Param{Type: sqlq.Timestamp, Max: bound("2026-11-20", day)}, []string{"2026-11-20T01:00:00+01:00"}, day, ""},
		"TIMESTAMP after the end":    {sqlq.Param{Type: sqlq.Timestamp, Max: bound("2026-11-20", day)}, []string{"2026-11-20T01:00:01+01:00"}, nil, `p: "2026-11-20T01:00:01+01:00" is more than the maximum, 2026-11-20`},
		"NUMERIC":                    {sqlq.Param{Type: sqlq.Numeric}, []string{"12345678901234567890123456789.123456789"}, sqlq.Decimal("12345678901234567890123456789.123456789"), ""},
		"NUMERIC with zeros":         {sqlq.Param{Type: sqlq.Numeric}, []string{"-01.5000000000000"}, sqlq.Decimal("-1.5"), ""},
		"NUMERIC with an exponent":   {sqlq.Param{Type: sqlq.Numeric}, []string{"1e5"}, sqlq.Decimal("100000"), ""},
		"NUMERIC zero":               {sqlq.Param{Type: sqlq.Numeric}, []string{"-0.0"}, sqlq.Decimal("0"), ""},
		"absent NUMERIC":             {sqlq.Param{Type: sqlq.Numeric}, nil, nil, ""},
		"default NUMERIC":            {sqlq.Param{Type: sqlq.Numeric, Default: []string{"2.50"}}, nil, sqlq.Decimal("2.5"), ""},
		"NUMERIC that is NaN":        {sqlq.Param{Type: sqlq.Numeric}, []string{"NaN"}, nil, `p: "NaN" is not a decimal number; use for example 12.50`},
		"NUMERIC with a comma":       {sqlq.Param{Type: sqlq.Numeric}, []string{"1,5"}, nil, `p: "1,5" is not a decimal number; use for example 12.50`},
		"NUMERIC of 30 digits":       {sqlq.Param{Type: sqlq.Numeric}, []string{"1e29"}, nil, `p: "1e29" has too many digits; use at most 29 before and 9 after the point`},
		"NUMERIC of 10 decimals":     {sqlq.Param{Type: sqlq.Numeric}, []string{"0.1234567891"}, nil, `p: "0.1234567891" has too many digits; use at most 29 before and 9 after the point`},
		"NUMERIC beyond all":         {sqlq.Param{Type: sqlq.Numeric}, []string{"1e999999999"}, nil, `p: "1e999999999" has too many digits; use at most 29 before and 9 after the point`},
		"NUMERIC minimum":            {sqlq.Param{Type: sqlq.Numeric, Min: bound("0.10", sqlq.Decimal("0.1"))}, []string{"0.1"}, sqlq.Decimal("0.1"), ""},
		"NUMERIC below the minimum":  {sqlq.Param{Type: sqlq.Numeric, Min: bound("9", sqlq.Decimal("9"))}, []string{"-10"}, nil, `p: "-10" is less than the minimum, 9`},
		"NUMERIC above the maximum":  {sqlq.Param{Type: sqlq.Numeric, Max: bound("9", sqlq.Decimal("9"))}, []string{"10"}, nil, `p: "10" is more than the maximum, 9`},
		"ARRAY of NUMERIC":           {sqlq.Param{Type: sqlq.ArrayOf(sqlq.Numeric)}, []string{"1.50", "-2"}, []any{sqlq.Decimal("1.5"), sqlq.Decimal("-2")}, ""},
		"NUMERIC that is listed":     {sqlq.Param{Type: sqlq.Numeric, Allowed: []string{"1.50", "2"}}, []string{"1.50"}, sqlq.Decimal("1.5"), ""},
		"NUMERIC equal to a listed":  {sqlq.Param{Type: sqlq.Numeric, Allowed: []string{"1.50", "2"}}, []string{"1.5"}, sqlq.Decimal("1.5"), ""},
		"NUMERIC that is not listed": {sqlq.Param{Type: sqlq.Numeric, Allowed: []string{"1.50", "2"}}, []string{"1"}, nil, `p: "1" is not allowed; use one of 1.50, 2`},
		"ARRAY":                      {sqlq.Param{Type: integers}, []string{"2", "1", "2"}, []any{int64(2), int64(1), int64(2)}, ""},
		"ARRAY of one":               {sqlq.Param{Type: texts}, []string{"a,b"}, []any{"a,b"}, ""},
		"ARRAY of DATE":              {sqlq.Param{Type: sqlq.ArrayOf(sqlq.Date)}, []string{"2026-11-20"}, []any{day}, ""},
		"absent ARRAY is empty":      {sqlq.Param{Type: texts}, nil, []any{}, ""},
		"ARRAY of one empty text":    {sqlq.Param{Type: texts}, []string{""}, []any{}, ""},
		"ARRAY with a default":       {sqlq.Param{Type: texts, Default: []string{"a", "b"}}, nil, []any{"a", "b"}, ""},
		"empty, not the default":     {sqlq.Param{Type: texts, Default: []string{"a", "b"}}, []string{}, []any{}, ""},
		"empty, but required":        {sqlq.Param{Type: texts, Required: true}, []string{}, nil, "p: is required and must not be empty"},
		"required ARRAY":             {sqlq.Param{Type: texts, Required: true}, []string{""}, nil, "p: is required and must not be empty"},
		"empty element":              {sqlq.Param{Type: texts}, []string{"a", ""}, nil, "p: has an empty value at position 2"},
		"element of another type":    {sqlq.Param{Type: integers}, []string{"1", "x"}, nil, `p: "x" is not a whole number`},
		"element that is too small":  {sqlq.Param{Type: integers, Min: bound("2", int64(2))}, []string{"2", "1"}, nil, `p: "1" is less than the minimum, 2`},
		"element that is too long":   {sqlq.Param{Type: texts, MaxLength: 1}, []string{"ab"}, nil, "p: is longer than 1 characters"},
		"too many elements":          {sqlq.Param{Type: texts, MaxItems: 2}, []string{"a", "b", "c"}, nil, "p: has 3 values; give at most 2"},
		"element that is not listed": {sqlq.Param{Type: texts, Allowed: []string{"a", "b"}}, []string{"a", "c"}, nil, `p: "c" is not allowed; use one of a, b`},
		"element with a fallback":    {sqlq.Param{Type: texts, Allowed: []string{"a", "b"}, Fallback: &fallback}, []string{"b", "c"}, []any{"b", "a"}, ""},
		"NUL in an element":          {sqlq.Param{Type: texts}, []string{"a", "b\x00"}, nil, "p: contains the character NUL (U+0000); remove it"},
		"element that is not UTF-8":  {sqlq.Param{Type: texts}, []string{"a", "\xff"}, nil, "p: is not valid UTF-8"},
		"relative default":           {sqlq.Param{Type: sqlq.Timestamp, Default: []string{"now-7d"}}, nil, sqlq.FromNow(-7 * 24 * time.Hour), ""},
		"relative default not used":  {sqlq.Param{Type: sqlq.Timestamp, Default: []string{"now-7d"}}, []string{"2026-11-20"}, day, ""},
		"relative TIMESTAMP":         {sqlq.Param{Type: sqlq.Timestamp}, []string{"now-1d"}, sqlq.FromNow(-24 * time.Hour), ""},
		"relative DATE":              {sqlq.Param{Type: sqlq.Date, Required: true}, []string{"now"}, sqlq.FromNow(0), ""},
		"relative, + as a space":     {sqlq.Param{Type: sqlq.Timestamp}, []string{"now 2h"}, sqlq.FromNow(2 * time.Hour), ""},
		"relative, of no unit":       {sqlq.Param{Type: sqlq.Timestamp}, []string{"now-1y"}, nil, `p: "now-1y" is not a time relative to now, such as now-7d; the units are s, m, h, d and w`},
		"relative, with a minimum":   {sqlq.Param{Type: sqlq.Timestamp, Min: bound("2026-11-20", day)}, []string{"now-1d"}, sqlq.FromNow(-24 * time.Hour), ""},
		"relative, with a maximum":   {sqlq.Param{Type: sqlq.Date, Max: bound("2026-11-20", day)}, []string{"now-1d"}, sqlq.FromNow(-24 * time.Hour), ""},
		"relative, of an ARRAY":      {sqlq.Param{Type: sqlq.ArrayOf(sqlq.Timestamp)}, []string{"now-1d"}, nil, `p: "now-1d" is not an ISO 8601 timestamp; use for example 2026-11-20T10:00:00Z`},
		"now as a STRING":            {sqlq.Param{Type: sqlq.String}, []string{"now-1d"}, "now-1d", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test.param.Name = "p"
			query := &sqlq.SavedQuery{Params: []sqlq.Param{test.param}}
			args, err := query.Bind(map[string][]string{"p": test.texts})
			if test.err != "" {
				require.EqualError(t, err, test.err)
				return
			}
			require.NoError(t, err)
			assert.Equal(t, []sqlq.Arg{{Name: "p", Type: test.param.Type, Value: test.want}}, args)
		})
	}
}

// The limits of a parameter apply to the time that a relative one is in a run.
func TestRelativeTimesKeepLimits(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 20, 10, 30, 0, 999, time.FixedZone("", 3600))
	day := time.Date(2026, 11, 19, 0, 0, 0, 0, time.UTC)
	moment := time.Date(2026, 11, 19, 9, 30, 0, 0, time.UTC)
	for name, test := range map[string]struct {
		param sqlq.Param
		text  string
		err   string
	}{
		"no limits":              {sqlq.Param{Type: sqlq.Timestamp}, "now-99999d", ""},
		"at the minimum":         {sqlq.Param{Type: sqlq.Timestamp, Min: bound("2026-11-19T09:30:00Z", moment)}, "now-1d", ""},
		"before the minimum":     {sqlq.Param{Type: sqlq.Timestamp, Min: bound("2026-11-19T09:30:00Z", moment)}, "now-86401s", `p: "2026-11-19T09:29:59Z" is less than the minimum, 2026-11-19T09:30:00Z`},
		"at the maximum":         {sqlq.Param{Type: sqlq.Timestamp, Max: bound("2026-11-19T09:30:00Z", moment)}, "now-1d", ""},
		"after the maximum":      {sqlq.Param{Type: sqlq.Timestamp, Max: bound("2026-11-19T09:30:00Z", moment)}, "now", `p: "2026-11-20T09:30:00Z" is more than the maximum, 2026-11-19T09:30:00Z`},
		"DATE at the minimum":    {sqlq.Param{Type: sqlq.Date, Min: bound("2026-11-19", day)}, "now-33h", ""},
		"DATE before":            {sqlq.Param{Type: sqlq.Date, Min: bound("2026-11-19", day)}, "now-34h", `p: "2026-11-18" is less than the minimum, 2026-11-19`},
		"DATE after the maximum": {sqlq.Param{Type: sqlq.Date, Max: bound("2026-11-19", day)}, "now", `p: "2026-11-20" is more than the maximum, 2026-11-19`},
		"absolute":               {sqlq.Param{Type: sqlq.Date, Min: bound("2026-11-19", day)}, "2026-11-19", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test.param.Name = "p"
			query := &sqlq.SavedQuery{Params: []sqlq.Param{{Name: "first", Type: sqlq.Int64}, test.param}}
			args, err := query.Bind(map[string][]string{"p": {test.text}})
			require.NoError(t, err)
			err = query.CheckRelative(args, now)
			if test.err == "" {
				require.NoError(t, err)
				return
			}
			require.EqualError(t, err, test.err)
			assert.Equal(t, sqlq.InvalidArgument, sqlq.AsError(err).Code)
		})
	}
}

func TestParseFromNow(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]time.Duration{
		"now": 0, "now-1s": -time.Second, "now+90m": 90 * time.Minute, "now-36h": -36 * time.Hour, "now-7d": -168 * time.Hour, "now-2w": -336 * time.Hour,
	} {
		got, err := sqlq.ParseFromNow(text)
		require.NoError(t, err, text)
		assert.Equal(t, sqlq.FromNow(want), got, text)
	}
	for text, want := range map[string]string{
		"now-7":       `"now-7" is not a time relative to now, such as now-7d; the units are s, m, h, d and w`,
		"nowhere":     `"nowhere" is not a time relative to now, such as now-7d; the units are s, m, h, d and w`,
		"now - 7d":    `"now - 7d" is not a time relative to now, such as now-7d; the units are s, m, h, d and w`,
		"now-1y":      `"now-1y" is not a time relative to now, such as now-7d; the units are s, m, h, d and w`,
		"now-999999w": `"now-999999w" is too far from now`,
	} {
		_, err := sqlq.ParseFromNow(text)
		assert.EqualError(t, err, want)
	}
}

// A relative argument gets its value from the time of the run, and the arguments that the
// cache keeps do not change.
func TestNewStatementResolvesRelativeTimes(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 20, 10, 30, 0, 123456789, time.FixedZone("", 3600))
	args := []sqlq.Arg{
		{Name: "since", Type: sqlq.Timestamp, Value: sqlq.FromNow(-time.Hour)},
		{Name: "day", Type: sqlq.Date, Value: sqlq.FromNow(-24 * time.Hour)},
		{Name: "text", Type: sqlq.String, Value: "now-7d"},
	}
	statement := sqlq.NewStatement(&sqlq.SavedQuery{}, args, now)
	assert.Equal(t, time.Date(2026, 11, 20, 9, 30, 0, 123456000, time.UTC), statement.Now)
	assert.Equal(t, []sqlq.Arg{
		{Name: "since", Type: sqlq.Timestamp, Value: time.Date(2026, 11, 20, 8, 30, 0, 123456000, time.UTC)},
		{Name: "day", Type: sqlq.Date, Value: time.Date(2026, 11, 19, 0, 0, 0, 0, time.UTC)},
		{Name: "text", Type: sqlq.String, Value: "now-7d"},
	}, statement.Args)
	assert.Equal(t, sqlq.FromNow(-time.Hour), args[0].Value)
}
