package catalog

import (
	"slices"
	"strings"

	"savedq/sqlq/sqltext"
)

// reportOtherBuckets reports what makes buckets of rows that meet differ although they are equal: functions for
// buckets of another width, and buckets that are shifted in time. Buckets of shifted times are always others.
func (b *boundsScan) reportOtherBuckets() {
	first, text, within := -1, "", 0
	for i := range b.tokens {
		switch {
		case b.isBucketOfTimestamp(i):
			call := b.callText(i)
			if first < 0 {
				first, text = i, call
			}
			within = b.next(i + 1)
			if b.joined && call != text {
				b.obstacle(b.tokens[i].Use, "this computes other buckets than line %d, and tables are joined on buckets, so their rows can be those of other buckets", b.tokens[first].Line)
			}
		case b.isBucketFunction(i) && b.nameOf(i) == b.bucket && !b.isOfBounds(i):
			b.obstacle(b.tokens[i].Use, "this computes %s from something else than timestamp, so rows can be those of other buckets", b.bucket)
		case !b.relates && i >= within: // Only the rows of a bucket itself can be shifted out of it, which is noticed.
		case b.is(i, "at") && b.is(i+1, "time") && i < within:
			b.obstacle(b.tokens[i].Use, "this computes buckets of local time; those of a series are counted in UTC")
		case b.is(i, "+", "-") && b.shiftsTime(i), b.is(i, addFunctions()...) && b.is(i+1, "(") && !b.isParameter(i+2):
			b.obstacle(b.tokens[i].Use, "this shifts times, so rows can be those of other buckets")
		}
	}
}

// reportWindows reports windows and limits of rows that can be those of other buckets.
func (b *boundsScan) reportWindows() {
	for i := range b.tokens {
		switch {
		case b.is(i, "limit") && !slices.Contains(b.constant, i):
			b.obstacle(b.tokens[i].Use, "LIMIT cuts off rows, and which ones depends on other buckets")
		case b.is(i, "over"):
			b.joined, b.relates = true, true
			if !b.isPartitioned(i + 1) {
				b.obstacle(b.tokens[i].Use, "OVER computes over rows of other buckets, unless it says PARTITION BY %s in its brackets", b.bucket)
			}
		}
	}
}

// isPartitioned reports whether the window in the brackets at an index has no rows of other buckets.
func (b *boundsScan) isPartitioned(open int) bool {
	if !b.is(open, "(") || !b.is(open+1, "partition") {
		return false
	}
	start := open + 3 // after PARTITION BY
	for i := start; i <= b.closing[open]; i = b.next(i) {
		if !b.is(i, ",", ")", "order", "rows", "range", "groups") {
			continue
		}
		_, column, end := b.column(start)
		if end == i && b.isBucket(column) || b.isBucketOfTimestamp(start) && b.next(start+1) == i {
			return true
		}
		if start = i + 1; !b.is(i, ",") {
			break
		}
	}
	return false
}

// isOfBounds reports whether the arguments of a call have a bound or a bucket.
func (b *boundsScan) isOfBounds(call int) bool {
	for in := b.inside(call + 1); in.first < min(in.end, len(b.tokens)); in.first++ {
		if b.isBound(in.first) || b.isBucket(b.nameAt(in.first)) {
			return true
		}
	}
	return false
}

// addFunctions are the functions that shift times.
func addFunctions() []string {
	return []string{"date_add", "date_sub", "datetime_add", "datetime_sub", "timestamp_add", "timestamp_sub"}
}

// isParameter reports whether there is a parameter at an index.
func (b *boundsScan) isParameter(i int) bool {
	return i >= 0 && i < len(b.tokens) && b.tokens[i].Kind == sqltext.Parameter
}

// callText returns a call without the qualifiers of its columns.
func (b *boundsScan) callText(i int) string {
	var text strings.Builder
	for end := b.next(i + 1); i < end && i < len(b.tokens); i++ {
		if b.isName(i) && b.is(i+1, ".") || b.is(i, ".") {
			continue
		}
		text.WriteString(b.tokens[i].Name)
		text.WriteByte(' ')
	}
	return text.String()
}

// shiftsTime reports whether the operator at an index adds to a time, or subtracts from it. The bounds may be shifted,
// as they are for lists of buckets.
func (b *boundsScan) shiftsTime(i int) bool {
	left := span{i - 1, i}
	for b.is(left.first-1, ":") && b.is(left.first-2, ":") { // a cast
		left.first -= 3
	}
	if left.first < 0 || b.isParameter(left.first) {
		return false
	}
	if closing := left.first; b.is(closing, ")") {
		for left.first > 0 && (left.first == closing || b.closing[left.first] != closing) {
			left.first--
		}
		left.first = max(left.first-1, 0) // the function
	}
	right := span{i + 1, i + 1}
	for right.end < len(b.tokens) && (right.end == right.first || b.is(right.end, ".", "(") || b.is(right.end-1, ".")) {
		right.end = b.next(right.end)
	}
	return b.hasTime(left) || b.hasTime(right)
}

// hasTime reports whether there is a time or an interval in an expression, as far as that is known by names.
func (b *boundsScan) hasTime(in span) bool {
	for i := in.first; i < min(in.end, len(b.tokens)); i++ {
		if name := b.nameAt(i); name != "" && (name == b.bucket || name == "timestamp" || name == "interval" || b.isBucketFunction(i)) {
			return true
		}
	}
	return false
}
