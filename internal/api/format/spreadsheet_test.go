package format

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/sqlq"
)

// D44: NULL is an empty field and an empty string is "". Numbers have all digits and no exponent.
func TestCSVCells(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		column            sqlq.Type
		value             any
		want, spreadsheet string
	}{
		"NULL":                {sqlq.String, nil, ``, ``},
		"an empty string":     {sqlq.String, "", `""`, `""`},
		"a space":             {sqlq.String, " a", `" a"`, `" a"`},
		"quotes":              {sqlq.String, `a"b,c`, `"a""b,c"`, `"a""b,c"`},
		"two lines":           {sqlq.String, "a\r\nb", "\"a\r\nb\"", "\"a\r\nb\""},
		"a formula":           {sqlq.String, `=1+1`, `=1+1`, `'=1+1`},
		"plus":                {sqlq.String, `+49`, `+49`, `'+49`},
		"minus":               {sqlq.String, `-a`, `-a`, `'-a`},
		"at":                  {sqlq.String, `@SUM(A1)`, `@SUM(A1)`, `'@SUM(A1)`},
		"a tab":               {sqlq.String, "\t=1", "\t=1", "'\t=1"},
		"a line feed":         {sqlq.String, "\n=1", "\"\n=1\"", "\"'\n=1\""},
		"a carriage return":   {sqlq.String, "\r=1", "\"\r=1\"", "\"'\r=1\""},
		"a formula in quotes": {sqlq.String, `=A(1,2)`, `"=A(1,2)"`, `"'=A(1,2)"`},
		"a number below zero": {sqlq.Int64, int64(-5), `-5`, `-5`},
		"the least number":    {sqlq.Int64, int64(-9223372036854775808), `-9223372036854775808`, `-9223372036854775808`},
		"a large float":       {sqlq.Float64, -1e21, `-1000000000000000000000`, `-1000000000000000000000`},
		"a small float":       {sqlq.Float64, 1e-7, `0.0000001`, `0.0000001`},
		"a NUMERIC":           {sqlq.Numeric, sqlq.Decimal("-0.10"), `-0.10`, `-0.10`},
		"a JSON string":       {sqlq.JSON, json.RawMessage(`"a\"b"`), `"""a\""b"""`, `"a""b"`},
		"a plain JSON string": {sqlq.JSON, json.RawMessage(`"a"`), `"""a"""`, `a`},
		"an empty JSON one":   {sqlq.JSON, json.RawMessage(`""`), `""""""`, `""`},
		"a JSON formula":      {sqlq.JSON, json.RawMessage(`"=1"`), `"""=1"""`, `'=1`},
		"a JSON number":       {sqlq.JSON, json.RawMessage(`-1`), `-1`, `-1`},
		"a JSON object":       {sqlq.JSON, json.RawMessage(`{"a":"="}`), `"{""a"":""=""}"`, `"{""a"":""=""}"`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			result := &sqlq.Result{Columns: []sqlq.Column{{Name: "a", Type: sqlq.Int64}, {Name: "v", Type: test.column}}, Rows: [][]any{{int64(1), test.value}}}
			assert.Equal(t, "a,v\n1,"+test.want+"\n", encodedCSV(t, result))
			spreadsheet := SpreadsheetCSV()
			encoded, err := spreadsheet.Encode("q", result)
			require.NoError(t, err)
			assert.Equal(t, "\ufeffa,v\n1,"+test.spreadsheet+"\n", string(encoded))
			assert.Equal(t, "text/csv; charset=utf-8", spreadsheet.ContentType())
		})
	}
}
