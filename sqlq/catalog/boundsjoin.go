package catalog

import (
	"strings"

	"savedq/sqlq/sqltext"
)

// reportOtherBuckets reports what makes buckets of joined tables differ although they are equal: functions for
// buckets of another width, and buckets that are shifted in time.
func (b *boundsScan) reportOtherBuckets() {
	first, text := -1, ""
	for i := range b.tokens {
		switch {
		case b.isBucketOfTimestamp(i):
			call := b.callText(i)
			if first < 0 {
				first, text = i, call
			}
			if call != text {
				b.obstacle(b.tokens[i].Use, "this computes other buckets than line %d, and tables are joined on buckets, so their rows can be those of other buckets", b.tokens[first].Line)
			}
		case b.is(i, "+", "-") && b.shiftsTime(i), b.is(i, addFunctions()...) && b.is(i+1, "(") && !b.isParameter(i+2):
			b.obstacle(b.tokens[i].Use, "this shifts times, and tables are joined on buckets, so their rows can be those of other buckets")
		}
	}
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
