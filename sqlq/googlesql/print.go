package googlesql

import (
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
	out     strings.Builder
	origins []sqlq.Origin
	// inside holds the splits whose subqueries are being printed. There, a column of the split is printed
	// as the column of its source.
	inside map[*split]bool
	// safe means that the SQL is in TRY, which takes no function that can raise errors: NULL stands for them.
	safe bool
	// inBranch means that the SQL is in a branch.
	inBranch bool
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
	// tried is NULL instead of an error.
	tried struct{ fragment }
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
		at int
	}
)

// mostPrintedBytes limits the SQL of DuckDB, because some templates repeat their arguments.
const mostPrintedBytes = 4 << 20

func (t plain) print(p *printer) {
	if p.out.WriteString(string(t)); p.out.Len() > mostPrintedBytes {
		fail(0, "the SQL is too complex; nest fewer functions")
	}
}

func (t deferred) print(p *printer) { t().print(p) }

func (r raised) print(p *printer) {
	if p.safe {
		p.out.WriteString("NULL")
		return
	}
	text("error(", r.message, ")").print(p)
}

func (t tried) print(p *printer) {
	before := p.safe
	p.safe = true
	defer func() { p.safe = before }()
	probe := &printer{inside: p.inside, safe: true, used: new([]*reference)}
	t.fragment.print(probe)
	if canFail(unquoted(probe.out.String())) {
		text("TRY(", t.fragment, ")").print(p)
		return
	}
	t.fragment.print(p)
}

func (c converting) print(p *printer) {
	// In a branch, DuckDB also converts the fields of structs for which the branch is not. It does not when it computes
	// another text of the field first.
	copied := p.inBranch && !p.safe && c.isText && strings.HasPrefix(printed(c.fragment), "struct_extract(")
	text(ifText(p.safe, "TRY_CAST(", "CAST("), c.fragment, ifText(copied, " || ''", ""), " AS "+c.to+")").print(p)
}

func (b branch) print(p *printer) {
	before := p.inBranch
	p.inBranch = true
	b.fragment.print(p)
	p.inBranch = before
}

// printed returns what a fragment is now. What follows can change it.
func printed(of fragment) string {
	p := &printer{used: new([]*reference)}
	of.print(p)
	return p.out.String()
}

func (t sequence) print(p *printer) {
	for _, part := range t {
		part.print(p)
	}
}

func (t marked) print(p *printer) {
	p.origins = append(p.origins, sqlq.Origin{At: p.out.Len(), From: t.at})
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
	parts := make([]fragment, len(values))
	for i, v := range values {
		parts[i] = v.sql
	}
	return parts
}

func quoteName(name string) string { return `"` + strings.ReplaceAll(name, `"`, `""`) + `"` }

func quoteText(text string) string { return "'" + strings.ReplaceAll(text, "'", "''") + "'" }

func itoa(n int) string { return strconv.Itoa(n) }

func keys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

// didYouMean returns the end of a message about a name that there is not.
func didYouMean(name string, names []string) string {
	if closest := sqlq.ClosestName(name, names); closest != "" {
		return "; did you mean " + closest + "?"
	}
	return ""
}
