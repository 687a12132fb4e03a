package clickhousehttp

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/sqlq"
)

func TestParamTexts(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		typ  sqlq.Type
		text string
		want []string
	}{
		{sqlq.String, "x", []string{"x"}},
		{sqlq.String, "", []string{""}},
		{sqlq.String, `\N`, nil},
		{sqlq.String, `a\tb\\c\n\'\0\q\`, []string{"a\tb\\c\n'\x00q\\"}},
		{sqlq.Int64, "5", []string{"5"}},
		{sqlq.Bool, "1", []string{"true"}},
		{sqlq.Bool, "false", []string{"false"}},
		{sqlq.Timestamp, "1772359200", []string{"2026-03-01T10:00:00Z"}},
		{sqlq.Timestamp, "1772359200.25", []string{"2026-03-01T10:00:00.25Z"}},
		{sqlq.Timestamp, "2026-03-01 10:00:00", []string{"2026-03-01 10:00:00"}},
		{sqlq.ArrayOf(sqlq.String), "[]", []string{}},
		{sqlq.ArrayOf(sqlq.String), ` [ 'a' , 'b,c]' ,'d\'e\\' ] `, []string{"a", "b,c]", `d'e\`}},
		{sqlq.ArrayOf(sqlq.Int64), "[1, -2]", []string{"1", "-2"}},
		{sqlq.ArrayOf(sqlq.Timestamp), "[1772359200]", []string{"2026-03-01T10:00:00Z"}},
	} {
		got, err := ParamTexts(test.typ, test.text)
		require.NoError(t, err, test.text)
		assert.Equal(t, test.want, got, test.text)
	}
	for _, text := range []string{"", "x", "[", "]", "['a", "['a'", "['a' 'b']", "['a',]", "[,]", "[1,,2]", `['a\']`} {
		_, err := ParamTexts(sqlq.ArrayOf(sqlq.String), text)
		assert.ErrorContains(t, err, "is no array such as ['a', 'b']", text)
	}
}
