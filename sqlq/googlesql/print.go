package googlesql

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"savedq/sqlq"
)

// target writes nodes in the SQL of an engine.
type target interface {
	// name is the engine's name, for messages.
	name() string
	// write prints a node.
	write(p *printer, n node)
	// finish is called when all is printed. A row may take at most that many bytes.
	finish(p *printer, rowBytes int)
	// form is how it writes the calls of a function.
	form(f *function) form
}

// form is how a target writes the calls of a function: a template, see [call.template], or what by makes.
type form struct {
	sql string
	by  func(p *printer, c *call) fragment
}

// fragment is a part of SQL that can be printed.
type fragment interface{ print(p *printer) }

// printer prints nodes for a target, and remembers which places of the author's text they are from.
type printer struct {
	target  target
	env     *Environment
	out     []byte
	origins []sqlq.Origin
	// most is the limit of what is printed.
	most int
	duckdbState
}

type (
	plain    string
	sequence []fragment
	// marked is a fragment that is from a place in the author's text.
	marked struct {
		fragment
		at place
	}
)

const (
	// mostPrintedBytes limits the SQL of an engine, because some templates repeat their arguments.
	mostPrintedBytes = 4 << 20
	// mostExpressions limits how many expressions are resolved, which a few nested queries double at each level.
	mostExpressions = 128 << 10

	tooComplex = "the SQL is too complex; nest fewer functions"
)

func (r *resolver) newPrinter() *printer {
	target, ok := targets[r.env.Target]
	if !ok {
		fail(0, "GoogleSQL is not translated for %s", r.env.Target)
	}
	return &printer{target: target, env: &r.env, most: ifElse(r.env.CallersFrom > 0, mostCallersBytes, mostPrintedBytes)}
}

func (p *printer) writeNode(n node) { p.target.write(p, n) }

// form returns how the target writes a call. It fails for a function that the target does not have.
func (p *printer) form(c *call) form {
	f := p.target.form(c.function)
	if f.sql == "" && f.by == nil {
		fail(c.at, "%s is not supported on %s", c.name, p.target.name())
	}
	return f
}

// write prints text. It fails if that is too much.
func (p *printer) write(text string) {
	if p.out = append(p.out, text...); len(p.out) > p.most {
		fail(0, tooComplex)
	}
}

func (t plain) print(p *printer) { p.write(string(t)) }

// RaisedPrefix begins the message of each error that translated SQL raises by itself. Other errors of the engine may
// quote values of rows that their reader must not see.
const RaisedPrefix = "savedq: "

// raised is an error with a message.
type raised struct{ message fragment }

func (raised) parts(func(node)) {}

func (r raised) print(p *printer) { p.writeNode(r) }

// raise is an error with a constant message.
func raise(message string) fragment { return raised{plain(quoteText(message))} }

func (t sequence) print(p *printer) {
	for _, part := range t {
		part.print(p)
	}
}

func (t marked) print(p *printer) {
	p.origins = append(p.origins, sqlq.Origin{At: len(p.out), From: int(t.at)})
	t.fragment.print(p)
}

// text joins strings, fragments and values.
func text(parts ...any) fragment {
	joined := make(sequence, 0, len(parts))
	for _, part := range parts {
		switch part := part.(type) {
		case string:
			joined = append(joined, plain(part))
		case value:
			joined = append(joined, part.node)
		case fragment:
			joined = append(joined, part)
		}
	}
	return joined
}

// list joins fragments with a separator.
func list(separator string, parts []fragment) fragment {
	var joined sequence
	for i, part := range parts {
		if i > 0 {
			joined = append(joined, plain(separator))
		}
		joined = append(joined, part)
	}
	return joined
}

// each returns what f makes of each part, with its index.
func each[T, U any](parts []T, f func(i int, part T) U) []U {
	var made []U
	for i, part := range parts {
		made = append(made, f(i, part))
	}
	return made
}

// template is SQL with {0}, {1} … for arguments, {*} for all of them with commas, and {!…} for an error.
func template(sql string, args ...value) fragment {
	var parts []any
	for sql != "" {
		before, rest, found := strings.Cut(sql, "{")
		parts = append(parts, before)
		if !found {
			break
		}
		number, behind, _ := strings.Cut(rest, "}")
		if message, ok := strings.CutPrefix(number, "!"); ok {
			parts = append(parts, raise(message))
		} else if number == "*" {
			parts = append(parts, list(", ", fragments(args)))
		} else {
			index, _ := strconv.Atoi(number)
			parts = append(parts, args[index])
		}
		sql = behind
	}
	return text(parts...)
}

func fragments(values []value) []fragment {
	return each(values, func(_ int, v value) fragment { return v.node })
}

// writeName prints a name in double quotes.
func (p *printer) writeName(name string) {
	if strings.Contains(name, `"`) {
		p.write(quoteName(name))
		return
	}
	p.write(`"`)
	p.write(name)
	p.write(`"`)
}

func quoteName(name string) string { return `"` + strings.ReplaceAll(name, `"`, `""`) + `"` }

func quoteText(text string) string { return "'" + strings.ReplaceAll(text, "'", "''") + "'" }

func itoa(n int) string { return strconv.Itoa(n) }

func keys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

// didYouMean returns the end of a message about an unknown name.
func didYouMean(name string, names []string) string {
	if closest := sqlq.ClosestName(name, names); closest != "" {
		return "; did you mean " + closest + "?"
	}
	return ""
}
