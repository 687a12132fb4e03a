package alertfile_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/internal/authoring/alertfile"
	"savedq/sqlq"
)

// errorsQuery is a saved query to declare alerts of.
func errorsQuery() *sqlq.SavedQuery {
	return &sqlq.SavedQuery{
		Name: "errors",
		Params: []sqlq.Param{
			{Name: "project", Type: sqlq.String, Required: true},
			{Name: "since", Type: sqlq.Timestamp, Default: []string{"now-1d"}},
			{Name: "levels", Type: sqlq.ArrayOf(sqlq.String)},
		},
		Columns: []sqlq.Column{{Name: "errors", Type: sqlq.Int64}, {Name: "n GET", Type: sqlq.Int64}},
	}
}

// high returns a declaration.
func high(change func(*alertfile.Declaration)) *alertfile.Declaration {
	declared := &alertfile.Declaration{
		Name: "high", Title: "Errors are high", Every: "1m", Params: map[string][]string{"project": {"acme"}, "since": {"now-5m"}},
		IsArray: func(param string) bool { return param == "levels" }, Condition: "first: errors > 5",
	}
	change(declared)
	return declared
}

func checked(t *testing.T, declared *alertfile.Declaration) *sqlq.Alert {
	t.Helper()
	alert, mistakes := declared.Check(errorsQuery())
	require.Empty(t, mistakes)
	return alert
}

const head = "# A query.\nid: 1\nname: errors # its name\ndescription: >\n  alerts: of nothing\n\n  # no comment\n"

func TestAdd(t *testing.T) {
	t.Parallel()
	const added = "  high:\n    title: Errors are high\n    every: 1m\n    params: {project: acme, since: now-5m}\n    when: {first: \"errors > 5\"}\n"
	for name, test := range map[string]struct{ before, after string }{
		"the first":         {head, head + "alerts:\n" + added},
		"without a newline": {strings.TrimSuffix(head, "\n"), head + "alerts:\n" + added},
		"behind others": {
			head + "alerts:\n  # Low.\n  low: {every: 1m, when: none}\n\n# The end.\nmax_rows: 5\n",
			head + "alerts:\n  # Low.\n  low: {every: 1m, when: none}\n" + added + "\n# The end.\nmax_rows: 5\n",
		},
		"with another indentation": {
			"alerts:\n    low:\n        every: 1m\n        when: none\ntool: x\n",
			"alerts:\n    low:\n        every: 1m\n        when: none\n" +
				"    high:\n      title: Errors are high\n      every: 1m\n      params: {project: acme, since: now-5m}\n      when: {first: \"errors > 5\"}\ntool: x\n",
		},
	} {
		got, err := alertfile.Add([]byte(test.before), high(func(*alertfile.Declaration) {}))
		require.NoError(t, err, name)
		assert.Equal(t, test.after, string(got), name)
	}
}

const written = `alerts:
  # Is anybody there?
  low: {every: 1m, when: none} # quiet

  # Too many errors.
  high:
    every: 60s # often
    title: Errors are high
    # of a customer
    params:
      project: acme # "the # first"
      since: now-5m
    when:
      first: "errors > 5"
    notify:
    - ops
    for: 1
  # The last one.
  other:
    every: 1h
    when: any
columns: []
`

// Only what differs changes: comments, the order and the spelling of other values stay.
func TestChange(t *testing.T) {
	t.Parallel()
	before := func(d *alertfile.Declaration) { d.Every, d.Notify = "60s", []string{"ops"} }
	for name, test := range map[string]struct {
		change   func(*alertfile.Declaration)
		from, to string
	}{
		"nothing":      {func(d *alertfile.Declaration) { d.Every = "1m"; d.For = new(1) }, "", ""},
		"the interval": {func(d *alertfile.Declaration) { d.Every = "5m" }, "every: 60s # often", "every: 5m # often"},
		"a parameter": {
			func(d *alertfile.Declaration) { d.Params["levels"] = []string{"error"} },
			"    params:\n      project: acme # \"the # first\"\n      since: now-5m\n", "    params: {levels: [error], project: acme, since: now-5m}\n",
		},
		"the condition": {
			func(d *alertfile.Declaration) { d.Condition = `first: "n GET" > 7` },
			"    when:\n      first: \"errors > 5\"\n", "    when: {first: \"\\\"n GET\\\" > 7\"}\n",
		},
		"no targets": {func(d *alertfile.Declaration) { d.Notify = nil }, "    notify:\n    - ops\n", ""},
		"the count":  {func(d *alertfile.Declaration) { d.For = new(3) }, "for: 1", "for: 3"},
		"no title":   {func(d *alertfile.Declaration) { d.Title = "" }, "    title: Errors are high\n", ""},
		"a new key":  {func(d *alertfile.Declaration) { d.Rows = new(5) }, "    for: 1\n", "    for: 1\n    rows: 5\n"},
	} {
		declared := high(func(d *alertfile.Declaration) { before(d); test.change(d) })
		got, err := alertfile.Change([]byte(written), checked(t, high(before)), checked(t, declared), declared)
		require.NoError(t, err, name)
		assert.Equal(t, strings.Replace(written, test.from, test.to, 1), string(got), name)
	}
	low := &alertfile.Declaration{Name: "low", Every: "1m", Params: map[string][]string{"project": {"acme"}}, Condition: "none"}
	low.IsArray = func(string) bool { return false }
	changed := *low
	changed.Every = "2m"
	got, err := alertfile.Change([]byte(written), checked(t, low), checked(t, &changed), &changed)
	require.NoError(t, err)
	assert.Contains(t, string(got), "  # Is anybody there?\n  low: # quiet\n    every: 2m\n    params: {project: acme}\n    when: none\n\n  # Too many errors.\n")
}

func TestRemove(t *testing.T) {
	t.Parallel()
	got, err := alertfile.Remove([]byte(written), "high")
	require.NoError(t, err)
	assert.Equal(t, "alerts:\n  # Is anybody there?\n  low: {every: 1m, when: none} # quiet\n\n  # The last one.\n  other:\n    every: 1h\n    when: any\ncolumns: []\n", string(got))
	got, err = alertfile.Remove([]byte(head+"alerts:\n  # High.\n  high:\n    every: 1m\n    when: any\n# Columns.\ncolumns: []\n"), "high")
	require.NoError(t, err)
	assert.Equal(t, head+"# Columns.\ncolumns: []\n", string(got), "without the last alert there is no key")
}

func TestEditMistakes(t *testing.T) {
	t.Parallel()
	declared := high(func(*alertfile.Declaration) {})
	alert := checked(t, declared)
	for name, test := range map[string]struct {
		data string
		want error
	}{
		"no alerts":     {head, alertfile.ErrNoAlert},
		"another alert": {"alerts:\n  low: {every: 1m, when: any}\n", alertfile.ErrNoAlert},
		"braces":        {"alerts: {high: {every: 1m, when: any}}\n", alertfile.ErrForm},
		"empty":         {"alerts:\n", alertfile.ErrForm},
	} {
		_, err := alertfile.Remove([]byte(test.data), "high")
		require.ErrorIs(t, err, test.want, name)
		_, err = alertfile.Change([]byte(test.data), alert, alert, declared)
		require.ErrorIs(t, err, test.want, name)
	}
	_, err := alertfile.Add([]byte("alerts: {}\n"), declared)
	require.ErrorIs(t, err, alertfile.ErrForm)
}

// Mistakes name the field that is wrong, with the message of savedq check.
func TestCheck(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		change         func(*alertfile.Declaration)
		field, message string
	}{
		"name":      {func(d *alertfile.Declaration) { d.Name = "Too High" }, "name", "is not a name of lower-case letters and digits"},
		"interval":  {func(d *alertfile.Declaration) { d.Every = "1s" }, "every", "every must be at least 10s"},
		"none":      {func(d *alertfile.Declaration) { d.Every = "" }, "every", "is required"},
		"condition": {func(d *alertfile.Declaration) { d.Condition = "first: erors > 5" }, "when", `column "erors" is not declared; did you mean errors?`},
		"kind":      {func(d *alertfile.Declaration) { d.Condition = "some" }, "when", `when "some" is unknown; use any, none, or`},
		"count":     {func(d *alertfile.Declaration) { d.For = new(1001) }, "for", "for must be a whole number from 1 to 1000"},
		"rows":      {func(d *alertfile.Declaration) { d.Rows = new(101) }, "rows", "rows must be a whole number from 0 to 100"},
		"parameter": {func(d *alertfile.Declaration) { delete(d.Params, "project") }, "params.project", "parameter project: is required"},
		"value":     {func(d *alertfile.Declaration) { d.Params["since"] = []string{"yesterday"} }, "params.since", `parameter since: "yesterday"`},
		"unknown":   {func(d *alertfile.Declaration) { d.Params["projct"] = []string{"x"} }, "params.projct", `parameter "projct" is not declared; did you mean project?`},
		"targets":   {func(d *alertfile.Declaration) { d.Notify = []string{"ops", "ops"} }, "notify", `target "ops" is listed twice`},
	} {
		alert, mistakes := high(test.change).Check(errorsQuery())
		assert.Nil(t, alert, name)
		require.Len(t, mistakes, 1, name)
		assert.Equal(t, test.field, mistakes[0].Field, name)
		assert.Contains(t, mistakes[0].Message, test.message, name)
	}
}

// Any text arrives as it was written.
func TestTexts(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"acme", "true", "Null", "1", "007", "1e3", "0x1F", "1_000", "-", "a: b", "a #b", "[a]", "{a}", `"`, "'", "é\n\t\\", "now-5m", "2026-11-28", "~", "a,b", "*a", "&a", "!a", "%a", "@a", "a ", "on", "5m", ".5", "é",
	} {
		declared := high(func(d *alertfile.Declaration) {
			d.Params["project"], d.Params["levels"], d.Title = []string{text}, []string{text}, "x"+text+"x"
		})
		alert := checked(t, declared)
		assert.Equal(t, []any{text, text, "x" + text + "x"}, []any{alert.Params["project"][0], alert.Params["levels"][0], alert.Title}, "%q in %s", text, declared.YAML())
	}
}
