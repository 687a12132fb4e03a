package clickhousesql

import "strconv"

// windows reads the windows that a SELECT names.
func (p *parser) windows(q *selectQuery) {
	q.windows = make(map[string]*windowExpr)
	for {
		name := p.name("the name of a window")
		if q.windows[name.text] != nil {
			fail(name.start, "there is a window %s already", name.text)
		}
		at := p.expect("AS").start
		if !p.peek().is("(") {
			fail(p.peek().start, "expected a window in parentheses, found %s", p.peek().describe(p.sql))
		}
		q.windows[name.text] = p.over(at)
		if !p.takes(",") {
			return
		}
	}
}

// over reads the name of a window, or a window in parentheses.
func (p *parser) over(at place) *windowExpr {
	defer p.deeper()()
	if !p.takes("(") {
		name := p.name("a window")
		return &windowExpr{place: name.start, name: name.text}
	}
	window := &windowExpr{place: at}
	if t := p.peek(); t.isName() && !t.is("PARTITION") && !t.is("ORDER") && !t.is("ROWS") && !t.is("RANGE") {
		fail(t.start, "a window that extends another one is not supported; write it whole")
	}
	if p.takes("PARTITION", "BY") {
		window.partition = p.expressions()
	}
	if p.takes("ORDER", "BY") {
		window.order = p.orderBy()
	}
	if t := p.peek(); t.is("ROWS") || t.is("RANGE") || t.is("GROUPS") {
		window.frame = p.frame()
	}
	p.expect(")")
	return window
}

// frame reads the bounds of a frame.
func (p *parser) frame() *frame {
	t := p.next()
	if t.is("GROUPS") {
		fail(t.start, "GROUPS is not supported; use ROWS")
	}
	f := &frame{place: t.start, rows: t.is("ROWS")}
	if p.takes("BETWEEN") {
		f.start = p.bound(f)
		p.expect("AND")
		f.end = p.bound(f)
	} else {
		f.start = p.bound(f)
	}
	switch {
	case f.start.unbounded && f.start.offset > 0:
		fail(t.start, "a frame cannot start with UNBOUNDED FOLLOWING")
	case f.end.unbounded && f.end.offset < 0:
		fail(t.start, "a frame cannot end with UNBOUNDED PRECEDING")
	case !f.start.unbounded && !f.end.unbounded && f.start.offset > f.end.offset:
		fail(t.start, "the start of the frame is behind its end")
	}
	return f
}

// mostFrameRows is how many rows before or behind the current one a window function can read.
const mostFrameRows = 1_000_000

// bound reads a bound of a frame.
func (p *parser) bound(f *frame) frameBound {
	if p.takes("CURRENT", "ROW") {
		return frameBound{}
	}
	t := p.next()
	bound := frameBound{unbounded: t.is("UNBOUNDED"), offset: 1}
	if !bound.unbounded {
		var err error
		bound.offset, err = strconv.Atoi(t.text)
		switch {
		case t.kind != numberToken || err != nil || bound.offset < 0 || bound.offset > mostFrameRows:
			fail(t.start, "a bound of a frame is UNBOUNDED, CURRENT ROW or a number up to %d, found %s", mostFrameRows, t.describe(p.sql))
		case !f.rows:
			fail(t.start, "a number in a RANGE is not supported; use ROWS")
		}
	}
	switch {
	case p.takes("PRECEDING"):
		bound.offset = -bound.offset
	case p.takes("FOLLOWING"):
	default:
		fail(p.peek().start, "expected PRECEDING or FOLLOWING, found %s", p.peek().describe(p.sql))
	}
	return bound
}

// sql writes a frame, as both engines have it; an empty text for none.
func (f *frame) sql() string {
	if f == nil {
		return ""
	}
	unit := map[bool]string{true: "ROWS", false: "RANGE"}[f.rows]
	return unit + " BETWEEN " + f.start.sql() + " AND " + f.end.sql()
}

func (b frameBound) sql() string {
	direction := " FOLLOWING"
	if b.offset < 0 {
		direction = " PRECEDING"
	}
	switch {
	case b.unbounded:
		return "UNBOUNDED" + direction
	case b.offset == 0:
		return "CURRENT ROW"
	}
	return strconv.Itoa(max(b.offset, -b.offset)) + direction
}
