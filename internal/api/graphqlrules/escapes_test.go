package graphqlrules

import (
	"regexp"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/lexer"

	"savedq/graph/graphtest"
	"savedq/sqlq"
)

// Strings have the value that GraphQL (section 2.9.4) specifies, in every spelling.
// Comments and block strings have no escapes.
func TestEscapesInDocuments(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ literal, want string }{
		"a surrogate pair":                   {`"\ud83d\ude00"`, "😀"},
		"a surrogate pair in capitals":       {`"a\uD83D\uDE00b"`, "a😀b"},
		"two surrogate pairs":                {`"\ud83d\ude00\ud83d\ude01"`, "😀😁"},
		"braces":                             {`"\u{61}"`, "a"},
		"braces around many digits":          {`"\u{0000000000000001F600}"`, "😀"},
		"the last character":                 {`"\u{10FFFF}"`, "\U0010FFFF"},
		"a quote in braces":                  {`"\u{22}"`, `"`},
		"a backslash in braces":              {`"\u{5c}u0061"`, `\u0061`},
		"a line break in braces":             {`"\u{a}\u{D}"`, "\n\r"},
		"four digits":                        {`"\u00e9\u0022\u005C\u0009"`, "é\"\\\t"},
		"an escaped backslash":               {`"\\ud83d \\u{61}"`, `\ud83d \u{61}`},
		"an escaped quote":                   {`"\"\u{61}\""`, `"a"`},
		"the character itself":               {`"😀"`, "😀"},
		"an empty string":                    {`"" # \u{61}`, ""},
		"a block string":                     {`"""\ud83d \u{zz} "\u" \""" """""`, `\ud83d \u{zz} "\u" """ ""`},
		"a block string after one":           {`"""\ud83d""" #`, `\ud83d`},
		"a comment before it":                {"# \\ud83d \" \\u{61} \"\"\"\r\"\\u{61}\"", "a"},
		"a comment with a quote after it":    {"\"\\u{61}\" # it's \"5 \\ude00\n", "a"},
		"a comment sign in a string":         {`"#\u{61}#"`, "#a#"},
		"a quote in a comment in front":      {"#\"\n\"\\u{62}\"", "b"},
		"a character of two UTF-16 units 2x": {`"\u{1f600}\ud83d\ude00😀"`, "😀😀😀"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			document, errs := NewDocuments(graphtest.ShippedSchema(t), DefaultLimits()).Read("{ endpoint(name: " + test.literal + "\n) { id } }")
			require.Empty(t, errs)
			field := document.Operations[0].SelectionSet[0].(*ast.Field)
			assert.Equal(t, test.want, field.Arguments[0].Value.Raw)
		})
	}
}

// An escape without a valid character is an error.
func TestEscapesThatAreRejected(t *testing.T) {
	t.Parallel()
	const noCharacter = `a string of the query has a \u escape that is not a character; write four hexadecimal digits as in \u00e9, braces as in \u{1f600}, both halves of a surrogate pair as in \ud83d\ude00, or the character itself`
	for name, literal := range map[string]string{
		"the first half":                   `"\ud83d"`,
		"the second half":                  `"\ude00"`,
		"the halves the wrong way round":   `"\ude00\ud83d"`,
		"a half and a character":           `"\ud83d\u0061"`,
		"halves with something between":    `"\ud83d \ude00"`,
		"a half in braces":                 `"\u{d83d}"`,
		"both halves in braces":            `"\u{d83d}\u{de00}"`,
		"half in braces":                   `"\ud83d\u{de00}"`,
		"beyond the last character":        `"\u{110000}"`,
		"far beyond the last character":    `"\u{ffffffffffffffffffffff61}"`,
		"empty braces":                     `"\u{}"`,
		"braces around no digits":          `"\u{6g}"`,
		"braces with a sign":               `"\u{+61}"`,
		"braces with an underscore":        `"\u{6_1}"`,
		"braces that do not end":           `"\u{61"`,
		"too few digits":                   `"\u061"`,
		"a half behind an unended comment": `"" # "` + "\n" + `"\ud83d"`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, errs := NewDocuments(graphtest.ShippedSchema(t), DefaultLimits()).Read("{ endpoint(name: " + literal + ") { id } }")
			require.Len(t, errs, 1)
			assert.Equal(t, noCharacter, errs[0].Message)
			assert.Equal(t, sqlq.InvalidArgument, sqlq.AsError(errs[0]).Code)
		})
	}
}

// The location of an error is that in the original document.
func TestEscapesMoveNothing(t *testing.T) {
	t.Parallel()
	for _, literal := range []string{`"\ud83d\ude00"`, `"\u{1f600}\u{61}"`, `"\u0061\n\""`, `"😀"`} {
		_, errs := NewDocuments(graphtest.ShippedSchema(t), DefaultLimits()).Read("{ endpoint(name: " + literal + ") { nothing } }")
		require.Len(t, errs, 1)
		assert.Equal(t, len([]rune("{ endpoint(name: "+literal+") { "))+1, errs[0].Locations[0].Column, literal)
	}
}

// FuzzEscapes compares with gqlparser's lexer: decoding escapes changes neither the tokens
// that it reads nor their positions.
func FuzzEscapes(f *testing.F) {
	for _, document := range []string{
		`{ endpoint(name: "\u0061\ud83d\ude00", id: """\ud83d \u{61}\"""""") { id } } # "\ud83d`,
		"#\"\"\"\n\"\\u{61}\" \"\" \"\"\"\"\"\" \"a\\\\\" \"\"\"\"a\"\"\"\"\"",
		"\"\\\n\\u0061\"", "\"\\u00e9\r\"\"\\u0041\"", "\"\\u{1F600}\" \"\\u{d83d}\"", `"\u{110000}`, `"\u`, `"""\u`, `\u"`,
	} {
		f.Add(document)
	}
	f.Fuzz(func(t *testing.T, document string) {
		plain, err := withPlainEscapes(document)
		if err != nil || !utf8.ValidString(document) { // requests are valid UTF-8
			return
		}
		read, ours := lexer.New(&ast.Source{Input: document}), lexer.New(&ast.Source{Input: plain})
		for {
			want, err := read.ReadToken()
			if err != nil {
				return // for example \u{61}
			}
			got, err := ours.ReadToken()
			require.NoError(t, err, "%q becomes %q", document, plain)
			if surrogates(document) { // gqlparser reads them as replacement characters
				want.Value, got.Value = "", ""
			}
			require.Equal(t, []any{want.Kind, want.Value, want.Pos.Line, want.Pos.Column}, []any{got.Kind, got.Value, got.Pos.Line, got.Pos.Column},
				"%q becomes %q", document, plain)
			if want.Kind == lexer.EOF {
				return
			}
		}
	})
}

func surrogates(document string) bool {
	return regexp.MustCompile(`\\u[dD][89a-fA-F]`).MatchString(document)
}
