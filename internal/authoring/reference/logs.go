package reference

import (
	"cmp"
	_ "embed"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/goccy/go-yaml"
)

//go:embed logs.md
var logsIntroduction string

// Meanings of messages, and what to do about them. The source has the messages.
//
//go:embed meanings.yaml
var meaningsFile []byte

// A message is a constant message of the log.
type message struct {
	level, text string
	// keys are the names of the attributes.
	keys []string
}

// LogsPage returns the page of log messages. It reads them from the sources in the
// directories. A meaning without a message is an error.
func LogsPage(directories ...string) (string, error) {
	messages, err := findMessages(directories)
	if err != nil {
		return "", err
	}
	var meanings map[string]string
	if err := yaml.UnmarshalWithOptions(meaningsFile, &meanings, yaml.Strict()); err != nil {
		return "", err
	}
	var page strings.Builder
	page.WriteString(logsIntroduction)
	for _, m := range messages {
		_, _ = fmt.Fprintf(&page, "| %s | %s | %s | %s |\n", m.level, escapeCell(m.text), codes(m.keys), escapeCell(meanings[m.text]))
		delete(meanings, m.text)
	}
	for text := range meanings {
		err = errors.Join(err, fmt.Errorf("meanings.yaml: nothing logs %q", text))
	}
	return page.String(), err
}

// onlyInTests is a folder that no program uses: it makes stores of release 0.1.0 for tests.
const onlyInTests = "oldlogstore"

// findMessages returns the messages that the sources log, errors first.
func findMessages(directories []string) ([]message, error) {
	found := make(map[string]message)
	for _, directory := range directories {
		err := filepath.WalkDir(directory, func(path string, entry fs.DirEntry, err error) error {
			if err == nil && entry.IsDir() && entry.Name() == onlyInTests {
				return fs.SkipDir
			}
			if err != nil || filepath.Ext(path) != ".go" || strings.HasSuffix(path, "_test.go") {
				return err
			}
			file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
			if err != nil {
				return err
			}
			for _, m := range messagesOf(file) {
				before := found[m.text]
				m.keys = append(m.keys, before.keys...)
				slices.Sort(m.keys)
				m.keys = slices.Compact(m.keys)
				found[m.text] = m
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	levels := []string{"error", "error or warn", "warn", "info", "debug"}
	return slices.SortedFunc(maps.Values(found), func(a, b message) int {
		return cmp.Or(slices.Index(levels, a.level)-slices.Index(levels, b.level), strings.Compare(a.text, b.text))
	}), nil
}

// messagesOf returns the messages that a file logs.
func messagesOf(file *ast.File) []message {
	constants := constantsOf(file)
	var found []message
	ast.Inspect(file, func(node ast.Node) bool {
		call, ok := node.(*ast.CallExpr)
		if !ok {
			return true
		}
		level := levelOf(call)
		if level == "" {
			return true
		}
		for i, argument := range call.Args {
			if text, ok := textOf(argument, constants); ok {
				found = append(found, message{level: level, text: text, keys: keysOf(call.Args[i+1:], constants)})
				break
			}
		}
		return true
	})
	return found
}

// levelOf returns the level at which a call logs, or "" if it does not log.
func levelOf(call *ast.CallExpr) string {
	method, ok := call.Fun.(*ast.SelectorExpr)
	if !ok {
		return ""
	}
	name := strings.ToLower(strings.TrimSuffix(method.Sel.Name, "Context"))
	switch {
	case name == "warn", isLogger(method.X) && slices.Contains([]string{"error", "info", "debug"}, name):
		return name
	case (name == "logattrs" || name == "newrecord") && len(call.Args) > 2:
		if constant, ok := call.Args[1].(*ast.SelectorExpr); ok && strings.HasPrefix(constant.Sel.Name, "Level") {
			return strings.ToLower(strings.TrimPrefix(constant.Sel.Name, "Level"))
		}
		return "error or warn"
	}
	return ""
}

// isLogger reports whether an expression is a logger, by its name, or a new one.
func isLogger(expression ast.Expr) bool {
	switch of := expression.(type) {
	case *ast.Ident:
		return strings.EqualFold(of.Name, "logger")
	case *ast.SelectorExpr:
		return strings.EqualFold(of.Sel.Name, "logger")
	case *ast.CallExpr:
		method, ok := of.Fun.(*ast.SelectorExpr)
		return ok && method.Sel.Name == "New"
	}
	return false
}

// keysOf returns the keys of the attributes among the arguments.
func keysOf(arguments []ast.Expr, constants map[string]string) []string {
	var keys []string
	for _, argument := range arguments {
		if attribute, ok := argument.(*ast.CallExpr); ok && len(attribute.Args) == 2 {
			if key, ok := textOf(attribute.Args[0], constants); ok {
				keys = append(keys, key)
			}
		}
	}
	return keys
}

// textOf returns the value of a string expression. Parts that are not constants of the file
// are shown as "…".
func textOf(expression ast.Expr, constants map[string]string) (string, bool) {
	switch of := expression.(type) {
	case *ast.BasicLit:
		if of.Kind != token.STRING {
			return "", false
		}
		text, err := strconv.Unquote(of.Value)
		return text, err == nil
	case *ast.Ident:
		text, ok := constants[of.Name]
		return text, ok
	case *ast.BinaryExpr:
		left, isLeft := textOf(of.X, constants)
		right, isRight := textOf(of.Y, constants)
		if !isLeft {
			left = "…"
		}
		if !isRight {
			right = "…"
		}
		return left + right, of.Op == token.ADD && (isLeft || isRight)
	}
	return "", false
}

// constantsOf returns the string constants that a file declares, by name.
func constantsOf(file *ast.File) map[string]string {
	constants := make(map[string]string)
	ast.Inspect(file, func(node ast.Node) bool {
		if declared, ok := node.(*ast.ValueSpec); ok {
			for i, name := range declared.Names {
				if i < len(declared.Values) {
					if text, ok := textOf(declared.Values[i], nil); ok {
						constants[name.Name] = text
					}
				}
			}
		}
		return true
	})
	return constants
}
