package web_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// violation is a rule of axe that a page breaks.
type violation struct {
	ID    string          `json:"id"`
	Help  string          `json:"help"`
	Nodes []violationNode `json:"nodes"`
}

// violationNode is an element that breaks a rule.
type violationNode struct {
	HTML           string `json:"html"`
	FailureSummary string `json:"failureSummary"`
}

// exception is a finding of axe that cannot be fixed here.
type exception struct {
	// rule is the name of the rule, node a part of the HTML that it is about.
	rule, node string
	// reason is why the finding is accepted.
	reason string
}

func (e exception) excuses(rule string, node violationNode) bool {
	return e.rule == rule && strings.Contains(node.HTML, e.node)
}

// axe checks the accessibility of the page. An exception that is no longer needed fails
// the test, because it could hide later findings.
func (p *page) axe(name string, exceptions ...exception) {
	p.t.Helper()
	p.audit(name, "{}", exceptions)
}

// contrast checks the contrast of the page's texts, which takes half as long as all rules.
func (p *page) contrast(name string) {
	p.t.Helper()
	p.audit(name, "{runOnly: ['color-contrast']}", nil)
}

func (p *page) audit(name, options string, exceptions []exception) {
	p.t.Helper()
	if axeSource() == "" {
		return // TestBrowser says so.
	}
	if !eval[bool](p, "'axe' in window") {
		eval[bool](p, axeSource()+"; true")
	}
	var violations []violation
	found := eval[string](p, "axe.run(document, {resultTypes: ['violations'], preload: false, ..."+options+"}).then((r) => JSON.stringify(r.violations))")
	require.NoError(p.t, json.Unmarshal([]byte(found), &violations))
	for _, complaint := range judge(violations, exceptions) {
		assert.Fail(p.t, "axe: "+name, complaint)
	}
}

// judge returns what no exception excuses, and the exceptions that excuse nothing.
func judge(violations []violation, exceptions []exception) []string {
	var complaints []string
	needed := make([]bool, len(exceptions))
	for _, violation := range violations {
		for _, node := range violation.Nodes {
			i := slices.IndexFunc(exceptions, func(e exception) bool { return e.excuses(violation.ID, node) })
			if i >= 0 {
				needed[i] = true
				continue
			}
			complaints = append(complaints, violation.ID+": "+violation.Help+"\n"+node.HTML+"\n"+node.FailureSummary)
		}
	}
	for i, e := range exceptions {
		if !needed[i] {
			complaints = append(complaints, "this exception is not needed any more: "+e.rule+" of "+e.node+", because "+e.reason)
		}
	}
	return complaints
}

func TestJudge(t *testing.T) {
	t.Parallel()
	violations := []violation{{ID: "contrast", Help: "too pale", Nodes: []violationNode{{HTML: `<b class="mtk1">`, FailureSummary: "2:1"}}}}
	tests := map[string]struct {
		exceptions []exception
		complaints []string
	}{
		"nothing is excused": {nil, []string{"contrast: too pale\n<b class=\"mtk1\">\n2:1"}},
		"it is excused":      {[]exception{{"contrast", "mtk", "not ours"}}, nil},
		"of another rule": {[]exception{{"label", "mtk", "not ours"}}, []string{
			"contrast: too pale\n<b class=\"mtk1\">\n2:1", "this exception is not needed any more: label of mtk, because not ours",
		}},
		"one too many": {[]exception{{"contrast", "mtk", "not ours"}, {"contrast", "<i", "not ours"}}, []string{
			"this exception is not needed any more: contrast of <i, because not ours",
		}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			assert.Equal(t, test.complaints, judge(violations, test.exceptions))
		})
	}
}

// axeSource returns the script of axe-core; empty where it is not installed.
func axeSource() string {
	source, err := os.ReadFile(filepath.Join("..", "..", "web", "node_modules", "axe-core", "axe.min.js"))
	if err != nil {
		return ""
	}
	return string(source)
}
