package strictyaml_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/internal/text/strictyaml"
)

// Values of any kind become JSON, with keys in their order; what JSON does not have is a mistake.
func TestJSON(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"x: {b: 1, a: [true, null, ~, 'yes', -0.50, 2.5]}":    `{"b":1,"a":[true,null,null,"yes",-0.50,2.5]}`,
		"x:\n  - b: |\n      two\n      lines\n    a: 0x1F\n": `[{"b":"two\nlines\n","a":31}]`,
		"x: 2026-11-20T10:00:00Z":                             `"2026-11-20T10:00:00Z"`,
		"x: 9007199254740993":                                 `9007199254740993`,
		"x: \"ä\\n\"":                                         `"ä\n"`,
		"x: []":                                               `[]`,
		"x: {}":                                               `{}`,
		"x:":                                                  `null`,
	} {
		reader := &strictyaml.Reader{MostBytes: 1000}
		m := reader.Read([]byte(text), "x")
		require.NotNil(t, m, text)
		assert.Equal(t, want, string(m.At("x").JSON()), text)
		assert.Empty(t, reader.Mistakes(), text)
	}
	for text, want := range map[string]strictyaml.Mistake{
		"x: [1, .inf]":          {Line: 1, Column: 8, Message: "must be a string, a number, true, false, null, a list or a mapping"},
		"x: !!str 1":            {Line: 1, Column: 4, Message: "must be a string, a number, true, false, null, a list or a mapping"},
		"x: {a: 1, b: 2, a: 3}": {Line: 1, Column: 17, Message: `key "a" is given twice`},
	} {
		reader := &strictyaml.Reader{MostBytes: 1000}
		m := reader.Read([]byte(text), "x")
		require.NotNil(t, m, text)
		m.At("x").JSON()
		assert.Equal(t, []strictyaml.Mistake{want}, reader.Mistakes(), text)
	}
}

// Entries and items of what is neither a mapping nor a list are not there.
func TestEntriesAndItems(t *testing.T) {
	t.Parallel()
	m := (&strictyaml.Reader{MostBytes: 1000}).Read([]byte("a: 1\nb: [1, 2]\nc:\n  d: 3\n"), "a", "b", "c")
	_, ok := m.At("a").Entries()
	assert.False(t, ok)
	_, ok = m.At("c").Items()
	assert.False(t, ok)
	items, ok := m.At("b").Items()
	assert.True(t, ok)
	assert.Len(t, items, 2)
	entries, ok := m.At("c").Entries()
	assert.True(t, ok)
	assert.Equal(t, "d", entries[0].Name)
	assert.Equal(t, [2]int{4, 3}, [2]int{m.At("c").First().Line(), m.At("c").First().Column()})
}
