package catalog

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"savedq/sqlq/sqltext"
)

const notUnderstood = "what is read here is not understood; name a table"

// from scans a FROM clause.
func (b *boundsScan) from(in span, current *selection, visible names) {
	limited, wantSource, comma := 0, true, false // limited is the first source that the condition of the last join limits
	first := len(current.sources)
	var related *sqltext.Use // the table on the right of the last join, until its bucket is compared
	for i := in.first; i < in.end; {
		switch {
		case b.is(i, "lateral"):
			i++
		case b.is(i, "join", ","):
			b.reportRelated(related)
			related = nil
			limited = b.limitedByJoin(i, len(current.sources))
			wantSource, comma = true, b.is(i, ",")
			i++
		case wantSource:
			left := current.sources[first:]
			start := i
			i = b.source(span{i, in.end}, current, visible)
			right := current.sources[first+len(left):]
			if tableOf(left) != nil {
				related = tableOf(right)
			}
			b.relates = b.relates || len(left) > 0 && (tableOf(right) != nil || !b.isConstant(span{start, i}, visible))
			if comma && len(right) == 1 {
				right[0].related, related = related, nil // WHERE can compare the buckets
			}
			wantSource = false
		case b.is(i, "on"):
			end := b.endOfCondition(i+1, in.end)
			if b.condition(span{i + 1, end}, current, limited, visible) {
				b.noteJoin(&related)
			}
			limited = noSource // a further condition is that of an earlier join
			i = end
		case b.is(i, "using") && b.is(i+1, "("):
			for column := i + 2; column < b.closing[i+1]; column++ {
				if b.isBucket(b.nameAt(column)) {
					b.noteJoin(&related)
				}
			}
			i = b.next(i + 1)
		case b.is(i, "|"): // a pipe, which is reported
			return
		case b.is(i, ":"): // DuckDB has alias: table
			b.obstacle(b.tokens[i].Use, notUnderstood)
			i++
		case b.is(i, "pivot", "unpivot") && len(current.sources) > 0: // what is read has other columns then
			last := current.sources[len(current.sources)-1]
			b.report(last.unbounded)
			last.unbounded = nil
			i++
		default:
			b.value(span{i, b.next(i)}, current, visible)
			i = b.next(i)
		}
	}
	b.reportRelated(related)
}

// noteJoin notes that the related table, if there is one, is joined on the bucket.
func (b *boundsScan) noteJoin(related **sqltext.Use) {
	b.joined = b.joined || *related != nil
	*related = nil
}

// isConstant reports whether neither bounds nor common table expressions are in a range.
func (b *boundsScan) isConstant(in span, visible names) bool {
	for i := in.first; i < in.end; i++ {
		if _, isCommon := visible[b.nameAt(i)]; isCommon || b.isBound(i) {
			return false
		}
	}
	return true
}

// reportRelated reports a table whose join with another one is not understood as one on the bucket.
func (b *boundsScan) reportRelated(table *sqltext.Use) {
	if table != nil {
		b.obstacle(*table, "it is not clear that %s is joined on the bucket, so its rows can be those of other buckets; join what is grouped by bucket, as in USING (%s)", table.Name, b.bucket)
	}
}

// isBucket reports whether a column has the bucket of its row, by its name: that of the series, timestamp, or one that
// is given to the value of a function for buckets.
func (b *boundsScan) isBucket(column string) bool {
	if column == b.bucket || column == "timestamp" {
		return true
	}
	for i := range b.tokens {
		if column != "" && b.isBucketOfTimestamp(i) && b.nameOf(i) == column {
			return true
		}
	}
	return false
}

// nameOf returns the name that is given to the value of a call, or to what it is cast to.
func (b *boundsScan) nameOf(call int) string {
	name := b.next(call + 1)
	for b.is(name, ":") && b.is(name+1, ":") {
		name += 3
	}
	if b.is(name, "as") && b.is(call-2, "cast", "try_cast", "safe_cast") && b.is(call-1, "(") {
		name = b.next(call - 1)
	}
	if b.is(name, "as") {
		name++
	}
	return b.nameAt(name)
}

// noSource is the index of a source that there is not.
const noSource = math.MaxInt

// limitedByJoin returns the first source whose rows the condition of a join limits, given the one on its right. A
// left join keeps the rows on its left, and others keep those on their right.
func (b *boundsScan) limitedByJoin(i, right int) int {
	first := 0
	for i--; b.is(i, joinWords()...); i-- {
		switch {
		case b.is(i, "right", "full"):
			return noSource
		case b.is(i, "left", "semi", "anti"):
			first = right
		}
	}
	return first
}

// joinWords are the words before JOIN.
func joinWords() []string {
	return []string{"inner", "cross", "natural", "left", "right", "full", "outer", "semi", "anti", "asof", "positional"}
}

// endOfCondition returns where the condition of a join ends.
func (b *boundsScan) endOfCondition(i, end int) int {
	for ; i < end; i = b.next(i) {
		isJoin := b.is(i, "join", "on") || b.is(i, joinWords()...)
		if isJoin && !b.is(i+1, "(", ".") && !b.is(i-1, ".") || b.is(i, ",") {
			return i
		}
	}
	return min(i, end)
}

// source scans what is read: a table, a query or a join in brackets, or a function. It returns the index of what
// follows its alias.
func (b *boundsScan) source(in span, current *selection, visible names) int {
	i := in.first
	switch {
	case b.is(i, "(") && b.isQuery(i+1):
		read := &source{reading: b.query(b.inside(i), current, visible)}
		current.sources = append(current.sources, read)
		return b.alias(b.next(i), in.end, read)
	case b.is(i, "("):
		before := len(current.sources)
		b.from(b.inside(i), current, visible)
		return b.alias(b.next(i), in.end, current.sources[before:]...)
	}
	last := i // of the path
	for b.is(last+1, ".") {
		last += 2
	}
	name := b.tokens[min(last, len(b.tokens)-1)].Name
	name = name[strings.LastIndexByte(name, '.')+1:] // a quoted name can be a path
	read := &source{name: name}
	current.sources = append(current.sources, read)
	common, isCommon := visible[name]
	switch {
	case b.is(last+1, "("):
		if !b.isName(last) || !slices.Contains(functionsWithoutTables(), name) {
			b.obstacle(b.tokens[i].Use, "%s can read tables", strings.ToUpper(name))
		}
		read.table = b.arguments(last+1, current, visible)
		return b.alias(b.next(last+1), in.end, read)
	case !b.isName(last): // a string can go on in another line
		b.obstacle(b.tokens[i].Use, notUnderstood)
	case last == i && isCommon:
		read.table = common
	case last > i && b.isArray(i, current):
	default:
		table := b.tokens[i].Use
		table.Name = cmp.Or(name, table.Name)
		read.reading = reading{[]sqltext.Use{table}, &table}
	}
	return b.alias(last+1, in.end, read)
}

// functionsWithoutTables are the functions that can be read and read no tables.
func functionsWithoutTables() []string {
	return []string{"unnest", "generate_series", "range", "json_each", "json_tree", "regexp_split_to_table", "repeat_row"}
}

// isBucketFunction reports whether a function that computes buckets is called at an index.
func (b *boundsScan) isBucketFunction(i int) bool {
	return b.is(i, "time_bucket", "date_trunc", "timestamp_trunc", "timestamp_bucket", "datetime_trunc") && b.is(i+1, "(")
}

// isBucketOfTimestamp reports whether the bucket of a timestamp is computed at an index.
func (b *boundsScan) isBucketOfTimestamp(i int) bool {
	if !b.isBucketFunction(i) {
		return false
	}
	for in := b.inside(i + 1); in.first < in.end; in.first++ {
		if b.nameAt(in.first) == "timestamp" {
			return true
		}
	}
	return false
}

// isArray reports whether the path at an index is that of an array in something that is read, which only
// GoogleSQL has: FROM edge_logs AS t, t.metadata.
func (b *boundsScan) isArray(i int, current *selection) bool {
	const googleSQL = "@"
	if b.prefix != googleSQL {
		return false
	}
	name := b.nameAt(i)
	for around := current; around != nil; around = around.outer {
		if slices.ContainsFunc(around.sources, func(s *source) bool { return s.name == name }) {
			return true
		}
	}
	return false
}

// alias gives a source the alias that is at an index, if there is one, and returns the index of what follows it.
// Several sources of a join in brackets keep their names.
func (b *boundsScan) alias(i, end int, sources ...*source) int {
	if b.is(i, "as") {
		i++
	} else if b.is(i, joinWords()...) || b.is(i, "join", "on", "using", "with", "for", "at", "tablesample", "pivot", "unpivot", "match_recognize", "lateral") {
		return i
	}
	if i >= end || !b.isName(i) {
		return i
	}
	if len(sources) == 1 {
		sources[0].name = b.tokens[i].Name
	}
	if i++; i >= end || !b.is(i, "(") {
		return i
	}
	if slices.ContainsFunc(sources, func(s *source) bool { return len(s.unbounded) > 0 }) {
		b.obstacle(b.tokens[i].Use, "columns get other names here, so timestamp is not understood; name no columns after the table")
	}
	return b.next(i)
}
