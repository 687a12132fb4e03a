package strictyaml_test

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/internal/text/strictyaml"
)

// document holds the values of a test document, one key of each kind.
type document struct {
	Text, Choice string
	Scalar       *string
	Boolean      bool
	Integer      int
	Number       string
	List         []string
	Inner        string
}

// read reads a document and returns its mistakes, one a line.
func read(data string) (document, string) {
	reader := &strictyaml.Reader{MostBytes: 4 << 10, SecondDocument: "one is enough"}
	var found document
	if m := reader.Read([]byte(data), "text", "choice", "scalar", "boolean", "integer", "number", "list", "inner"); m != nil {
		m.Require("text")
		found = document{
			Text: m.Text("text"), Choice: m.OneOf("choice", "a", "b"), Scalar: m.Scalar("scalar"),
			Boolean: m.Boolean("boolean", true), Integer: m.Integer("integer", 7, 1, 10),
		}
		if m.Has("number") {
			found.Number = fmt.Sprint(m.At("number").Number())
		}
		for _, node := range m.List("list", "must hold something") {
			text, ok := node.Scalar()
			if !ok {
				node.Mistakef("no scalar in line %d, column %d", node.Line(), node.Column())
			}
			found.List = append(found.List, text)
		}
		if m.Has("inner") {
			if inner := m.At("inner").Mapping("text", "more"); inner != nil {
				inner.Require("text", "more")
				found.Inner = inner.Text("text")
			}
		}
	}
	var mistakes []string
	for _, mistake := range reader.Mistakes() {
		mistakes = append(mistakes, fmt.Sprintf("%d:%d: %s", mistake.Line, mistake.Column, mistake.Message))
	}
	return found, strings.Join(mistakes, "\n")
}

func TestRead(t *testing.T) {
	t.Parallel()
	scalar := func(text string) *string { return &text }
	tests := map[string]struct {
		data string
		want document
	}{
		"one key":         {"text: a", document{Text: "a", Boolean: true, Integer: 7}},
		"byte order mark": {"\ufefftext: a", document{Text: "a", Boolean: true, Integer: 7}},
		"every key": {
			"# All.\ntext: >\n  a\n  b\nchoice: b\nscalar: 0x1F\nboolean: false\ninteger: 10\nnumber: 2.5\nlist: [a, 007, 'b c', true]\ninner: {text: a, more: b}\n",
			document{Text: "a b", Choice: "b", Scalar: scalar("0x1F"), Integer: 10, Number: "2.5", List: []string{"a", "007", "b c", "true"}, Inner: "a"},
		},
		"white space":   {"text: ' a '\nscalar: ' a '", document{Text: "a", Scalar: scalar(" a "), Boolean: true, Integer: 7}},
		"empty scalar":  {"text: a\nscalar: ''", document{Text: "a", Scalar: scalar(""), Boolean: true, Integer: 7}},
		"whole number":  {"text: a\nnumber: 2147483647", document{Text: "a", Boolean: true, Integer: 7, Number: "2.147483647e+09"}},
		"large number":  {"text: a\nnumber: 2147483648", document{Text: "a", Boolean: true, Integer: 7, Number: "-1"}},
		"quoted number": {"text: '1'\nnumber: '1'", document{Text: "1", Boolean: true, Integer: 7, Number: "NaN"}},
	}
	for name, test := range tests {
		for ending, data := range map[string]string{"LF": test.data, "CRLF": strings.ReplaceAll(test.data, "\n", "\r\n")} {
			t.Run(name+" with "+ending, func(t *testing.T) {
				t.Parallel()
				found, mistakes := read(data)
				require.Empty(t, mistakes)
				assert.Equal(t, test.want, found)
			})
		}
	}
}

// All mistakes of a document are reported at once.
func TestReadReportsEveryMistake(t *testing.T) {
	t.Parallel()
	const keys = "text, choice, scalar, boolean, integer, number, list, inner"
	tests := map[string]struct{ data, want string }{
		"nothing":                {"", "0:0: is empty"},
		"comments":               {"# later\n", "0:0: is empty"},
		"no UTF-8":               {"text: \xff", "0:0: is not valid UTF-8"},
		"a NUL":                  {"text: \x00", "0:0: is not valid UTF-8"},
		"too large":              {"#" + strings.Repeat(" ", 4<<10), "0:0: is larger than 4096 bytes"},
		"no YAML":                {"text: [\n", "1:7: sequence end token ']' not found"},
		"no mapping":             {"- a\n", "1:1: must be a mapping with the keys " + keys},
		"empty mapping":          {"{}", "1:1: key \"text\" is missing"},
		"two documents":          {"text: a\n---\ntext: 7\n", "2:1: one is enough"},
		"empty second document":  {"text: a\n---", "2:1: one is enough"},
		"key missing":            {"choice: a\nscalar: b", "1:1: key \"text\" is missing"},
		"key twice":              {"text: a\ntext: b\ntext: c\n", "2:1: key \"text\" is given twice\n3:1: key \"text\" is given twice"},
		"unknown key":            {"text: a\ntxt: b", "2:1: unknown key \"txt\"; the keys are " + keys},
		"alias for a key":        {"text: &a b\n*a : b", "1:7: text must be a string\n2:1: unknown key \"*\"; the keys are " + keys},
		"merged mapping":         {"text: a\n<<: {choice: a}", "2:1: unknown key \"<<\"; the keys are " + keys},
		"text of nothing":        {"text:", "1:7: text must be a string"},
		"text of a number":       {"text: 7", "1:7: text must be a string"},
		"text of white space":    {"text: '  '", "1:7: text must not be empty"},
		"text with a tag":        {"text: !!str a", "1:7: text must be a string"},
		"another choice":         {"text: a\nchoice: c", "2:9: choice \"c\" is unknown; use one of a, b"},
		"scalar of a list":       {"text: a\nscalar: [a]", "2:9: scalar must be a single value"},
		"scalar of a block":      {"text: a\nscalar: |\n  a", "2:9: scalar must be a single value"},
		"scalar of nothing":      {"text: a\nscalar: ~", "2:9: scalar must be a single value"},
		"scalar with an anchor":  {"text: a\nscalar: &a b", "2:9: scalar must be a single value"},
		"boolean of a word":      {"text: a\nboolean: yes", "2:10: boolean must be true or false"},
		"boolean of a number":    {"text: a\nboolean: 1", "2:10: boolean must be true or false"},
		"integer too low":        {"text: a\ninteger: 0", "2:10: integer must be a whole number from 1 to 10"},
		"integer too high":       {"text: a\ninteger: 11", "2:10: integer must be a whole number from 1 to 10"},
		"integer below zero":     {"text: a\ninteger: -1", "2:10: integer must be a whole number from 1 to 10"},
		"integer beyond 64 bits": {"text: a\ninteger: 99999999999999999999", "2:10: integer must be a whole number from 1 to 10"},
		"integer of a fraction":  {"text: a\ninteger: 1.0", "2:10: integer must be a whole number from 1 to 10"},
		"list of a text":         {"text: a\nlist: a", "2:7: list must be a list"},
		"list of nothing":        {"text: a\nlist:", "2:7: list must be a list"},
		"empty list":             {"text: a\nlist: []", "2:7: list must hold something"},
		"list of lists":          {"text: a\nlist: [a, [b]]", "2:11: no scalar in line 2, column 11"},
		"inner that is a list":   {"text: a\ninner: [a]", "2:8: must be a mapping with the keys text, more"},
		"inner of nothing":       {"text: a\ninner: {}", "2:8: key \"text\" is missing\n2:8: key \"more\" is missing"},
		"inner of one key":       {"text: a\ninner:\n  more: a", "3:3: key \"text\" is missing"},
		"many, in their order": {
			"inner: {txt: a}\ninteger: x\n\ntext: ''\nlist: []\n",
			"1:9: unknown key \"txt\"; the keys are text, more\n1:9: key \"text\" is missing\n1:9: key \"more\" is missing\n" +
				"2:10: integer must be a whole number from 1 to 10\n4:7: text must not be empty\n5:7: list must hold something",
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, mistakes := read(test.data)
			assert.Equal(t, test.want, mistakes)
		})
	}
}

// A value with a mistake is read as if it were missing.
func TestReadGoesOnAfterMistakes(t *testing.T) {
	t.Parallel()
	found, mistakes := read("text: 7\nchoice: c\nscalar: []\nboolean: x\ninteger: x\nnumber: x\nlist: x\ninner: {text: a}\n")
	assert.Len(t, strings.Split(mistakes, "\n"), 7)
	assert.Equal(t, document{Boolean: true, Integer: 7, Number: "NaN", Inner: "a"}, found)
}

// At returns the start of the mapping for a missing key.
func TestMappingAt(t *testing.T) {
	t.Parallel()
	reader := &strictyaml.Reader{MostBytes: 4 << 10}
	m := reader.Read([]byte("\n  a: {}\n  b: 1\n"), "a", "b", "c")
	require.NotNil(t, m)
	for key, want := range map[string][2]int{"a": {2, 6}, "b": {3, 6}, "c": {2, 3}} {
		assert.Equal(t, key != "c", m.Has(key), key)
		assert.Equal(t, want, [2]int{m.At(key).Line(), m.At(key).Column()}, key)
	}
	assert.Equal(t, m.Start, m.At("c"))
}

// Any document is either read, or each of its mistakes has a message and a position.
func FuzzRead(f *testing.F) {
	for _, seed := range []string{
		"", "text:", "text: a\nlist: []", "? a\n: b", "text: &a [*a]", "text: !!seq []", "<<: {}", "text: |\n  a", "- - - -", "a: {b: [c", "---\n---\n", "text: a\n---",
		"text: a\nchoice: b\nscalar: 1\nboolean: true\ninteger: 3\nnumber: 1.5\nlist: [a]\ninner: {text: a, more: b}\n",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		reader := &strictyaml.Reader{MostBytes: 4 << 10, SecondDocument: "one is enough"}
		m := reader.Read(data, "text", "list")
		if m == nil {
			require.NotEmpty(t, reader.Mistakes())
			return
		}
		m.Require("text", "list")
		m.Text("text")
		for _, node := range m.List("list", "must hold something") {
			node.Mapping("text")
		}
		mistakes := reader.Mistakes()
		for _, mistake := range mistakes {
			assert.NotEmpty(t, mistake.Message)
			assert.Positive(t, mistake.Line)
			assert.Positive(t, mistake.Column)
		}
		assert.True(t, slices.IsSortedFunc(mistakes, func(a, b strictyaml.Mistake) int {
			return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
		}))
	})
}
