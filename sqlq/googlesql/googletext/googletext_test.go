package googletext_test

import (
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"savedq/sqlq/googlesql/googletext"
)

// The distance within a band equals the distance in the whole table.
func TestEditDistance(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		texts := rapid.StringMatching("[abä]{0,9}")
		a, b := texts.Draw(t, "a"), texts.Draw(t, "b")
		most := rapid.OneOf(rapid.Int64Range(0, 10), rapid.Just(int64(math.MaxInt64))).Draw(t, "most")
		got, err := googletext.EditDistance(a, b, most)
		require.NoError(t, err)
		assert.Equal(t, min(most, distance([]rune(a), []rune(b))), got)
		ofBytes, err := googletext.EditDistanceOfBytes([]byte(a), []byte(b), most)
		require.NoError(t, err)
		assert.GreaterOrEqual(t, ofBytes, got)
	})
}

// distance is the distance by its definition.
func distance(a, b []rune) int64 {
	switch {
	case len(a) == 0 || len(b) == 0:
		return int64(len(a) + len(b))
	case a[0] == b[0]:
		return distance(a[1:], b[1:])
	}
	return 1 + min(distance(a[1:], b), distance(a, b[1:]), distance(a[1:], b[1:]))
}

// Texts that would take minutes to compare are refused, unless only a small distance is wanted.
func TestEditDistanceIsLimited(t *testing.T) {
	t.Parallel()
	a, b := strings.Repeat("ab", 1<<20), strings.Repeat("ba", 1<<20)
	_, err := googletext.EditDistance(a, b, math.MaxInt64)
	require.ErrorContains(t, err, "too long")
	got, err := googletext.EditDistance(a, b, 1)
	require.NoError(t, err)
	assert.Equal(t, int64(1), got)
	_, err = googletext.EditDistance(a, b, -1)
	require.ErrorContains(t, err, "must not be negative")
	_, err = googletext.EditDistance("\xff", "", 1)
	require.ErrorContains(t, err, "UTF-8")
}

// Each match begins where the one before it ended, or a character later if that was empty.
func TestMatches(t *testing.T) {
	t.Parallel()
	var matcher googletext.Matcher
	for _, test := range []struct{ text, pattern, want string }{
		{"a,b,,c", "[^,]*", `["a","","b","","","c"]`},
		{"ab cd", `\bc?`, "boundary"},
		{"ab\ncd", `(?m)^\w`, `["a","c"]`},
		{"aab", `^a`, `["a"]`},
		{"日本", "x*", `["",""]`},
		{"x", "x*", `["x"]`},
		{"abcb", "b(c)?", `["c",null]`},
		{"ab", "(a)(b)", "more than one group"},
		{"ab", "a{2000}", "cannot be read"},
	} {
		got, err := matcher.All(test.text, test.pattern)
		if err != nil {
			require.ErrorContains(t, err, test.want, test.pattern)
			continue
		}
		assert.Equal(t, test.want, got, test.pattern)
	}
	found, err := matcher.Nth("F", "aXbX日X", "X", 3, 2)
	require.NoError(t, err)
	assert.Equal(t, &googletext.Found{Text: "X", Start: 6, End: 7}, found)
}

// An interval has the parts that it names, and CAST finds them by the dashes and colons.
func TestIntervals(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]googletext.Interval{
		"1-2 3 4:5:6.789": {14, 3, 14_706_789_000},
		"-1-2 -3 -4:5":    {-14, -3, -14_700_000_000},
		"1 2 3":           {1, 2, 10_800_000_000},
		"10:20:30":        {0, 0, 37_230_000_000},
		"P1W-2DT1,5S":     {0, 5, 1_500_000},
	} {
		got, err := googletext.ParseInterval(text)
		require.NoError(t, err, text)
		assert.Equal(t, want, got, text)
	}
	for _, text := range []string{"", "P", "PT", "1", "1:2", "1-2-3", "P1.5Y", "10001-0", "0-0 9999999 0:0:0", "99999999999:0:0", "P99999999999999999999Y"} {
		_, err := googletext.ParseInterval(text)
		require.Error(t, err, text)
	}
}
