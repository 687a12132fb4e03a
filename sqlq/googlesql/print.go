package googlesql

import (
	"bytes"
	"maps"
	"slices"
	"strconv"
	"strings"

	"savedq/sqlq"
)

// fragment is SQL of DuckDB. It is printed after all names are resolved, because uses behind it can
// change it: they decide the types of metadata, and which columns a subquery needs.
type fragment interface{ print(p *printer) }

// printer writes fragments, and remembers which places of the author's text they are from.
type printer struct {
	out     []byte
	origins []sqlq.Origin
	// most is the limit of what is printed, and left how many bytes all printers of the text may still print.
	most int
	left *int
	// inside holds the splits whose subqueries are being printed. There, a column of the split is printed
	// as the column of its source.
	inside map[*split]bool
	// safe means that NULL stands for errors.
	safe bool
	// inBranch means that the SQL is in a branch.
	inBranch bool
	// shares are the places of the shares that are not known yet.
	shares []int
	// copies are more shares that no expression has.
	copies int
	// used collects the columns that are printed, if it is not nil.
	used *[]*reference
}

type (
	plain    string
	sequence []fragment
	// deferred decides what it is when it is printed.
	deferred func() fragment
	// raised is an error with a message, or NULL in TRY.
	raised struct{ message fragment }
	// safe is NULL instead of the errors that [raised] and [converting] raise.
	safe struct{ fragment }
	// failing is a part of a safe fragment that raises errors.
	failing struct{ fragment }
	// converting is a CAST, or a TRY_CAST where NULL stands for errors.
	converting struct {
		fragment
		to string
		// isText means that a text is converted.
		isText bool
	}
	// branch is computed for some rows only, as a part of a CASE.
	branch struct{ fragment }
	// marked is a fragment that is from a place in the author's text.
	marked struct {
		fragment
		at place
	}
)

const (
	// mostPrintedBytes limits the SQL of DuckDB, because some templates repeat their arguments.
	mostPrintedBytes = 4 << 20
	// printings is how many times as much may be printed in all, for decisions that depend on what a part is.
	printings = 4
	// mostExpressions limits how many expressions are resolved, which a few nested queries double at each level.
	mostExpressions = 128 << 10

	tooComplex = "the SQL is too complex; nest fewer functions"
)

// mostBytes is the limit of the SQL of DuckDB.
func (r *resolver) mostBytes() int {
	if r.env.CallersFrom > 0 {
		return mostCallersBytes
	}
	return mostPrintedBytes
}

func (r *resolver) newPrinter() *printer {
	return &printer{most: r.mostBytes(), left: &r.printable}
}

func (p *printer) write(text string) {
	p.out = append(p.out, text...)
	p.spend(len(text))
}

// spend fails if too much was printed, or searched, which takes as long.
func (p *printer) spend(bytes int) {
	if *p.left -= bytes; len(p.out) > p.most || *p.left < 0 {
		fail(0, tooComplex)
	}
}

func (t plain) print(p *printer) { p.write(string(t)) }

func (t deferred) print(p *printer) { t().print(p) }

// RaisedPrefix begins the message of each error that translated SQL raises by itself. Other errors of the engine may
// quote values of rows that their reader must not see.
const RaisedPrefix = "savedq: "

func (r raised) print(p *printer) {
	if p.safe {
		p.write("NULL")
		return
	}
	text("error('"+RaisedPrefix+"' || ", r.message, ")").print(p)
}

func (s safe) print(p *printer) { p.printSafe(s.fragment, true) }

func (f failing) print(p *printer) { p.printSafe(f.fragment, false) }

func (p *printer) printSafe(of fragment, safe bool) {
	before := p.safe
	p.safe = safe
	of.print(p)
	p.safe = before
}

func (c converting) print(p *printer) {
	p.write(ifElse(p.safe, "TRY_CAST(", "CAST("))
	start := len(p.out)
	c.fragment.print(p)
	// In a branch, DuckDB also converts the fields of structs for which the branch is not. It does not when it computes
	// another text of the field first.
	if p.inBranch && !p.safe && c.isText && bytes.HasPrefix(p.out[start:], []byte("struct_extract(")) {
		p.write(" || ''")
	}
	p.write(" AS " + c.to + ")")
}

func (b branch) print(p *printer) {
	before := p.inBranch
	p.inBranch = true
	b.fragment.print(p)
	p.inBranch = before
}

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
			joined = append(joined, part.sql)
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

// raise is an error with a constant message.
func raise(message string) fragment { return raised{plain(quoteText(message))} }

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
	return each(values, func(_ int, v value) fragment { return v.sql })
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
