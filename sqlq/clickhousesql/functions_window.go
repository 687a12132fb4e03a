package clickhousesql

import (
	"slices"
	"strconv"
	"strings"
)

// window is what a window function is computed over.
type window struct {
	// call is the function with its arguments.
	call      *value
	partition []*value
	order     []orderValue
	frame     *frame
}

func windowRows() []function {
	rows := []function{
		{name: "row_number", args: "", result: "UInt64", doc: "The number of the row in its partition.", anyCase: true},
		{name: "rank", args: "", result: "UInt64", doc: "The number of the first row with the same values in ORDER BY.", anyCase: true},
		{name: "dense_rank", others: []string{"denseRank"}, args: "", result: "UInt64", doc: "The rank without gaps.", anyCase: true},
		{name: "percent_rank", others: []string{"percentRank"}, args: "", result: "Float64", doc: "The rank from 0 to 1.", anyCase: true},
		{name: "lagInFrame", args: "Any, [const Int], [Any]", result: "like 1", doc: "The value of a row before, which is in the frame; else the third argument, or 0 or an empty text."},
		{name: "leadInFrame", args: "Any, [const Int], [Any]", result: "like 1", doc: "The value of a row behind, which is in the frame; else as above. The frame ends with the current row unless the window says another end."},
		{name: "lag", args: "Any, [const Int], [Any]", result: "like 1", doc: "The value of a row before in the partition. It takes no frame.", anyCase: true},
		{name: "lead", args: "Any, [const Int], [Any]", result: "like 1", doc: "The value of a row behind in the partition. It takes no frame.", anyCase: true},
		{name: "nth_value", args: "Any, const Int", result: "like 1", doc: "The value of a row of the frame by its number.", anyCase: true},
	}
	for i := range rows {
		rows[i].window = true
		rows[i].nulls = rows[i].args == ""
	}
	return rows
}

// windowAggregates are the aggregate functions that can be computed over a window. Arrays for each row could be as many as
// the rows squared.
func windowAggregates() []string {
	return []string{"count", "sum", "avg", "min", "max", "any", "argMin", "argMax", "uniq", "quantile", "median", "stddevPop", "stddevSamp", "varPop", "varSamp"}
}

// window resolves a window function.
func (r *resolver) window(c *call) *value {
	s := c.s
	switch {
	case c.over == nil:
		fail(c.place, "%s needs a window: %[1]s(…) OVER (PARTITION BY … ORDER BY …)", c.name)
	case !c.f.window && !slices.Contains(windowAggregates(), c.f.name) || c.written() == "anyHeavy":
		fail(c.place, "%s cannot be a window function here; use %s", c.name, strings.Join(append(windowNames(), windowAggregates()...), ", "))
	case s.clause != "":
		fail(c.place, "a window function cannot be in %s; compute it in a subquery", s.clause)
	case s.inAggregate != "":
		fail(c.place, "a window function cannot be in the aggregate function %s; compute it in a subquery", s.inAggregate)
	case len(s.variables) > 0:
		fail(c.place, "a window function cannot be in a lambda; compute it in a subquery")
	case c.f.name == "any" && c.suffix != "", c.f.name == "any" && c.distinct:
		fail(c.place, "%s over a window takes no suffix and no DISTINCT", c.name)
	}
	c.values = make([]*value, len(c.args))
	for i, arg := range c.args {
		c.values[i] = r.value(arg, s)
	}
	made := r.checked(c)
	w := &window{call: made}
	written := c.over
	if written.name != "" {
		if written = s.windows[c.over.name]; written == nil {
			fail(c.over.place, "there is no window %s", c.over.name)
		}
	}
	w.frame = written.frame
	for _, x := range written.partition {
		w.partition = append(w.partition, r.plain(r.value(x, s)))
	}
	for _, one := range written.order {
		v := r.plain(r.value(one.x, s))
		if v.typ.kind == mapKind {
			fail(one.place, "a map has no order; order by a value of it")
		}
		if !v.isConstant {
			w.order = append(w.order, orderValue{v, one.descending, one.nullsFirst})
		}
	}
	w.check(c)
	v := &value{place: c.place, kind: windowValue, typ: made.typ, window: w, args: slices.Concat(made.args, w.partition)}
	for _, one := range w.order {
		v.args = append(v.args, one.value)
	}
	for _, arg := range v.args {
		v.hasAggregate = v.hasAggregate || arg.hasAggregate
		if inner := firstWindow(arg); inner != nil {
			fail(inner.place, "a window function cannot be in another one; compute it in a subquery")
		}
	}
	s.rel.windowed = true
	return r.intern(v)
}

// written is the name of the function without its suffix.
func (c *call) written() string { return strings.TrimSuffix(c.name, c.suffix) }

func windowNames() []string {
	var names []string
	for _, f := range windowRows() {
		names = append(names, f.name)
	}
	return names
}

// check fails for arguments and frames that a function does not take.
func (w *window) check(c *call) {
	name := c.f.name
	if (name == "lag" || name == "lead") && w.frame != nil {
		fail(w.frame.place, "%s takes no frame; use %[1]sInFrame", c.name)
	}
	if len(w.call.args) < 2 || !c.f.window {
		return
	}
	if n, err := strconv.Atoi(w.call.args[1].text); err != nil || n < 0 || n > mostFrameRows || n == 0 && name == "nth_value" {
		fail(w.call.args[1].place, "the second argument of %s is a number up to %d", c.name, mostFrameRows)
	}
	if len(w.call.args) > 2 {
		of, otherwise := w.call.args[0], w.call.args[2]
		if common(of.typ, otherwise.typ) == nil || common(of.typ, otherwise.typ).String() != of.typ.String() {
			fail(otherwise.place, "the third argument of %s is a %s, and its first a %s", c.name, otherwise.typ, of.typ)
		}
	}
}

// key distinguishes windows of a function with the same values.
func (w *window) key() string {
	parts := []string{" over", w.call.typ.String(), w.call.written, strconv.Itoa(w.call.id), strconv.Itoa(len(w.partition)), w.frame.sql()}
	for _, one := range w.order {
		parts = append(parts, strconv.FormatBool(one.descending), strconv.FormatBool(one.nullsFirst))
	}
	return strings.Join(parts, " ")
}

// firstWindow finds a window function in a value.
func firstWindow(v *value) *value {
	return firstOf(v, func(v *value) bool { return v.kind == windowValue }, make(map[int]bool))
}

// firstOf finds a part of a value.
func firstOf(v *value, is func(v *value) bool, seen map[int]bool) *value {
	if is(v) {
		return v
	}
	if seen[v.id] {
		return nil
	}
	seen[v.id] = true
	for _, arg := range v.args {
		if found := firstOf(arg, is, seen); found != nil {
			return found
		}
	}
	return nil
}

// checkWindows fails for window functions in clauses that are computed before them.
func (r *resolver) checkWindows(rel *selectRelation) {
	if !rel.windowed {
		return
	}
	refuse := func(clause string, values ...*value) {
		for _, v := range values {
			if v == nil {
				continue
			}
			if found := firstWindow(v); found != nil {
				fail(found.place, "a window function cannot be in %s; compute it in a subquery", clause)
			}
		}
	}
	refuse("WHERE", rel.where)
	refuse("GROUP BY", rel.keys...)
	refuse("HAVING", rel.having)
	refuse("LIMIT BY", rel.limitBy...)
	for _, one := range rel.order {
		if rel.limitBy != nil {
			refuse("ORDER BY with LIMIT BY", one.value)
		}
	}
	for _, joined := range rel.arrays {
		refuse("ARRAY JOIN", joined.of...)
		if strings.HasPrefix(joined.named[0], "arrayJoin(") {
			fail(rel.place, "a window function beside arrayJoin is not supported; use ARRAY JOIN, or compute it in a subquery")
		}
	}
}

// over writes the window of a function in DuckDB's SQL.
func (p *printer) over(w *window, frame string) string {
	var parts []string
	if w.partition != nil {
		parts = append(parts, "PARTITION BY "+p.list(w.partition))
	}
	var keys []string
	for _, one := range w.order {
		keys = append(keys, p.orderKey(one, p.plain(one.value))...)
	}
	if keys != nil {
		parts = append(parts, "ORDER BY "+strings.Join(keys, ", "))
	}
	if frame != "" {
		parts = append(parts, frame)
	}
	return " OVER (" + strings.Join(parts, " ") + ")"
}

// window writes a window function.
func (p *printer) window(v *value) string {
	w, call := v.window, v.window.call
	over := p.over(w, w.frame.sql())
	orZero := func(text string) string {
		if zero := v.typ.zero(); zero != "NULL" {
			return "coalesce(" + text + ", " + zero + ")"
		}
		return text
	}
	switch name := call.function.name; name {
	case "row_number", "rank", "dense_rank":
		return "CAST(" + name + "()" + p.over(w, "") + " AS UBIGINT)"
	case "percent_rank":
		return name + "()" + p.over(w, "")
	case "lagInFrame", "leadInFrame", "lag", "lead":
		return p.shifted(v)
	case "nth_value":
		return orZero("nth_value(" + p.plain(call.args[0]) + ", " + call.args[1].text + ")" + over)
	case "any":
		function := "first_value"
		if call.written == "anyLast" || call.written == "last_value" {
			function = "last_value"
		}
		return orZero(function + "(" + p.plain(call.args[0]) + " IGNORE NULLS)" + over)
	}
	return p.aggregateOver(call, over)
}

// shifted writes the value of a row before or behind, if it is in the frame: DuckDB's functions ignore the frame.
func (p *printer) shifted(v *value) string {
	w, args := v.window, v.window.call.args
	name := strings.TrimSuffix(v.window.call.function.name, "InFrame")
	isInFrame := name != v.window.call.function.name
	n := 1
	if len(args) > 1 {
		n, _ = strconv.Atoi(args[1].text) // it was checked
	}
	step := map[string]int{"lag": -n, "lead": n}[name]
	otherwise := v.typ.zero()
	if len(args) > 2 {
		otherwise = p.as(args[2], v.typ)
	}
	over := p.over(w, "")
	var conditions []string
	if isInFrame {
		frame := w.bounds()
		start, end := !frame.start.unbounded, !frame.end.unbounded
		if frame.rows && (start && step < frame.start.offset || end && step > frame.end.offset) {
			return otherwise
		}
		if start && !frame.rows && step < 0 { // the first row with the same values
			conditions = append(conditions, "row_number()"+over+" + "+strconv.Itoa(step)+" >= rank()"+over)
		}
		if end && !frame.rows && step > 0 { // the last one
			conditions = append(conditions, "row_number()"+over+" + "+strconv.Itoa(step)+" <= count(*)"+p.over(w, "RANGE BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW"))
		}
	}
	text := name + "(" + p.plain(args[0]) + ", " + strconv.Itoa(n) + ", " + otherwise + ")" + over
	if conditions == nil {
		return text
	}
	return "CASE WHEN " + strings.Join(conditions, " AND ") + " THEN " + text + " ELSE " + otherwise + " END"
}

// bounds is the frame, or the one of a window that has none: up to the last row with the same values, or the whole partition.
func (w *window) bounds() *frame {
	if w.frame != nil {
		return w.frame
	}
	return &frame{start: frameBound{unbounded: true, offset: -1}, end: frameBound{unbounded: len(w.order) == 0, offset: 0}}
}

// window writes a window function.
func (p *nativePrinter) window(v *value) string {
	w := v.window
	var parts []string
	if w.partition != nil {
		parts = append(parts, "PARTITION BY "+strings.Join(each(w.partition, p.value), ", "))
	}
	if w.order != nil {
		parts = append(parts, "ORDER BY "+strings.Join(each(w.order, p.orderKey), ", "))
	}
	if w.frame != nil {
		parts = append(parts, w.frame.sql())
	}
	return p.call(w.call) + " OVER (" + strings.Join(parts, " ") + ")"
}
