package catalog

import (
	"slices"
	"strings"

	"savedq/sqlq"
	"savedq/sqlq/sqltext"
)

// condition scans a condition that leaves out rows of the sources from an index on. It reports whether it requires
// that buckets are equal.
func (b *boundsScan) condition(in span, current *selection, first int, visible names) (onBucket bool) {
	for _, term := range b.terms(in) {
		bound, ok := b.boundOf(term)
		switch want := operatorOf(bound.param.Name); {
		case !ok:
			onBucket = b.comparesBuckets(term, current, first) || onBucket
			b.value(term, current, visible)
		case bound.operator != want && bound.column == "timestamp":
			b.wrongOperator(bound.param)
		case bound.operator == want && bound.column == "timestamp":
			current.bind(bound, first)
		case bound.operator != want || !current.isApart(bound.qualifier):
			b.wrongOperand(bound.param)
		}
	}
	return onBucket
}

// comparesBuckets reports whether a term requires that the buckets of two sources are equal: as columns, or as they are
// computed from timestamp.
func (b *boundsScan) comparesBuckets(term span, current *selection, limited int) bool {
	if b.isBucketOfTimestamp(term.first) {
		right := b.next(term.first+1) + 1
		return b.is(right-1, "=") && b.isBucketOfTimestamp(right) && b.next(right+1) == term.end
	}
	left, leftColumn, next := b.column(term.first)
	operator, next := b.operator(next)
	right, rightColumn, next := b.column(next)
	if operator != "=" || next != term.end || left == right || !b.isBucket(leftColumn) || !b.isBucket(rightColumn) {
		return false
	}
	current.join(left, right, limited)
	return true
}

// join notes that the later one of two sources is joined to the earlier one on the bucket, if a condition limits it.
func (s *selection) join(left, right string, limited int) {
	index := func(name string) int {
		return slices.IndexFunc(s.sources, func(source *source) bool { return source.name == name })
	}
	if first, last := min(index(left), index(right)), max(index(left), index(right)); first >= 0 && last >= limited {
		s.sources[last].onBucket = true
	}
}

// bound is the comparison of a column with a bound of the series, as if the column were on the left.
type bound struct {
	qualifier, column, operator string
	param                       sqltext.Use
}

// operatorOf returns the operator between the timestamp and a bound.
func operatorOf(param string) string {
	if param == sqlq.FromParam {
		return ">="
	}
	return "<"
}

func (b *boundsScan) wrongOperator(param sqltext.Use) {
	b.obstacle(param, "compare timestamp %s %s%s, because a bucket includes its start and not its end", operatorOf(param.Name), b.prefix, param.Name)
}

func (b *boundsScan) wrongOperand(param sqltext.Use) {
	b.obstacle(param, "compare %[1]s%[2]s with the column timestamp itself, in a condition of its own: timestamp %[3]s %[1]s%[2]s", b.prefix, param.Name, operatorOf(param.Name))
}

// bind notes a bound of one of the sources from an index on. Without a qualifier it is that of the only source
// with tables, because the timestamps of two would be ambiguous.
func (s *selection) bind(bound bound, first int) {
	at := -1
	for i, source := range s.sources {
		switch {
		case bound.qualifier == "" && len(source.unbounded) == 0, bound.qualifier != "" && source.name != bound.qualifier:
		case at >= 0:
			return
		default:
			at = i
		}
	}
	switch {
	case at < first:
	case bound.param.Name == sqlq.FromParam:
		s.sources[at].lower = true
	default:
		s.sources[at].upper = true
	}
}

// isApart reports whether columns with a qualifier are those of a source without tables, such as a list
// of buckets. It may be limited to the bounds, too.
func (s *selection) isApart(qualifier string) bool {
	return !slices.ContainsFunc(s.sources, func(source *source) bool {
		return len(source.unbounded) > 0 && (qualifier == "" || qualifier == source.name)
	}) && (qualifier == "" || slices.ContainsFunc(s.sources, func(source *source) bool { return source.name == qualifier }))
}

// terms returns the conditions that must all be true for a condition to be true. It knows AND only.
func (b *boundsScan) terms(in span) []span {
	for in.first < in.end && b.is(in.first, "(") && b.closing[in.first] == in.end-1 && !b.isQuery(in.first+1) {
		in = b.inside(in.first)
	}
	var found []span
	start, isBetween := in.first, false
	for i := in.first; i < in.end; i = b.next(i) {
		switch {
		case b.is(i, "or"):
			return []span{in}
		case b.is(i, "-") && b.is(i+1, ">"): // of DuckDB
			b.obstacle(b.tokens[i].Use, "-> binds less tightly than AND; write it in brackets, as in (metadata->>'a') = 'b'")
			return []span{in}
		case b.is(i, "between"):
			isBetween = true
		case b.is(i, "and") && isBetween:
			isBetween = false
		case b.is(i, "and"):
			found = append(found, b.terms(span{start, i})...)
			start = i + 1
		}
	}
	if start == in.first {
		return []span{in}
	}
	return append(found, b.terms(span{start, in.end})...)
}

// boundOf returns the bound that a term is. It reports false if it is something else.
func (b *boundsScan) boundOf(term span) (found bound, ok bool) {
	found, next, ok := b.comparison(term.first)
	return found, ok && next == term.end
}

// comparison returns the comparison of a column with a bound at an index, and the index of what follows it. It
// reports false if there is none.
func (b *boundsScan) comparison(i int) (found bound, next int, ok bool) {
	if found.param, next, ok = b.parameter(i); ok {
		found.operator, next = b.operator(next)
		found.operator = strings.NewReplacer("<", ">", ">", "<").Replace(found.operator)
		found.qualifier, found.column, next = b.column(next)
	} else {
		found.qualifier, found.column, next = b.column(i)
		found.operator, next = b.operator(next)
		found.param, next, ok = b.parameter(next)
	}
	return found, next, ok && found.column != "" && found.operator != ""
}

// operator returns the comparison operator at an index, or "", and the index of what follows it.
func (b *boundsScan) operator(i int) (operator string, next int) {
	var text strings.Builder
	for ; b.is(i, comparisons()...); i++ {
		text.WriteString(b.tokens[i].Name)
	}
	return text.String(), i
}

// column returns the column at an index with its qualifier, and the index of what follows it. The column is
// empty if there is none.
func (b *boundsScan) column(i int) (qualifier, column string, next int) {
	if b.is(i, "(") {
		qualifier, column, next = b.column(i + 1)
		if column == "" || next != b.closing[i] {
			return "", "", i
		}
		return qualifier, column, next + 1
	}
	column = b.nameAt(i)
	for i++; column != "" && b.is(i, "."); i += 2 {
		qualifier, column = column, b.nameAt(i+1)
	}
	return qualifier, column, i
}

// parameter returns the bound at an index, which can be cast to a timestamp, and the index of what follows
// it. It reports false if there is none.
func (b *boundsScan) parameter(i int) (param sqltext.Use, next int, ok bool) {
	switch {
	case b.isBound(i):
		param, next = b.tokens[i].Use, i+1
	case b.is(i, "("), b.is(i, "timestamp") && b.is(i+1, "("):
		open := i
		if !b.is(i, "(") {
			open++
		}
		if param, next, ok = b.parameter(open + 1); !ok || next != b.closing[open] {
			return param, i, false
		}
		next++
	case b.is(i, "cast", "try_cast", "safe_cast") && b.is(i+1, "("):
		param, next, ok = b.parameter(i + 2)
		if !ok || !b.is(next, "as") {
			return param, i, false
		}
		if next, ok = b.timestampType(next + 1); !ok || next != b.closing[i+1] {
			return param, i, false
		}
		next++
	default:
		return param, i, false
	}
	for b.is(next, ":") && b.is(next+1, ":") {
		if next, ok = b.timestampType(next + 2); !ok {
			return param, i, false
		}
	}
	return param, next, true
}

// timestampType returns the index of what follows the type at an index. It reports false if that is not a
// type for timestamps.
func (b *boundsScan) timestampType(i int) (next int, ok bool) {
	if !b.is(i, "timestamp", "timestamptz", "datetime") {
		return i, false
	}
	const zone = 4 // WITH TIME ZONE
	if b.is(i+1, "with", "without") && b.is(i+2, "time") && b.is(i+3, "zone") {
		return i + zone, true
	}
	return i + 1, true
}

// isBound reports whether there is a bound of the series at an index.
func (b *boundsScan) isBound(i int) bool {
	if i < 0 || i >= len(b.tokens) {
		return false
	}
	token := &b.tokens[i]
	return token.Kind == sqltext.Parameter && (token.Name == sqlq.FromParam || token.Name == sqlq.ToParam)
}

// skipBound returns the index of what follows the bound at an index, or i if there is none. It reports a bound
// that is used for something else than to limit the timestamp or to make a list of buckets: rows would depend on the
// bounds.
func (b *boundsScan) skipBound(i int) (next int) {
	found, next, ok := b.comparison(i)
	isPart := b.is(i-1, calculation()...) || b.is(next, calculation()...)
	if ok && !isPart && found.column == "timestamp" && found.operator == operatorOf(found.param.Name) {
		return next
	}
	param, next, ok := b.parameter(i)
	switch {
	case !ok && !b.isBound(i):
		return i
	case !ok: // it is cast to something else
		param, next = b.tokens[i].Use, i+1
	}
	switch {
	case b.is(i-1, "between"), b.is(i-1, "and") && b.is(i-3, "between"):
		b.wrongOperator(param)
	case b.is(i-1, comparisons()...), b.is(next, comparisons()...):
		b.wrongOperand(param)
	case b.lists == 0:
		b.obstacle(param, "%s%s is neither a bound of timestamp nor in a list of buckets, so rows can depend on where the window begins or ends", b.prefix, param.Name)
	}
	return next
}

// comparisons are the characters of operators that compare, and calculation those of what binds closer.
func comparisons() []string { return []string{"<", ">", "=", "!"} }
func calculation() []string { return []string{"+", "-", "*", "/", "%", "|", "&", ":", "."} }
