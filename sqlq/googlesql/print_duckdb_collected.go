package googlesql

import "slices"

// correlated is printed in a subquery of the SELECT whose rows it reads.
type correlated struct{ fragment }

func (s correlated) print(p *printer) {
	defer p.enter(nil)()
	s.fragment.print(p)
}

// collected is a subquery's FROM with a row for each row that an aggregate has. Each is the struct "#e" of some values. DuckDB takes
// no subquery in them.
func (c *call) collected(fields fragment, more ...any) fragment {
	for _, v := range append(slices.Clone(c.args), c.other, c.where) {
		if v.isOpaque || v.mayBeOpaque {
			fail(v.at, "%s does not take a subquery here; compute its value in a subquery of FROM", c.name)
		}
	}
	return text(append(append([]any{"(SELECT unnest(list(struct_pack(", fields, "))", c.rows(), `) AS "#e"`}, more...), ")")...)
}

// collectedField reads a value of a row.
func collectedField(v value, name string) value {
	return inside(v.typ, written{extracting{plain(`"#e"`), name}}, v.at)
}

// ofExtremes is an aggregate of the rows that have the greatest or the least value of HAVING.
func (p *printer) ofExtremes(c *call) fragment {
	bare := *c.written
	bare.having = ""
	of := *c
	of.written, of.where, of.other, of.args = &bare, value{}, value{}, nil
	fields := []fragment{text("k := ", c.other)}
	for i, arg := range c.args {
		if arg.constant == nil && !arg.isParam {
			name := "a" + itoa(i)
			fields = append(fields, text(name+" := ", arg))
			arg = collectedField(arg, name)
		}
		of.args = append(of.args, arg)
	}
	extreme := &call{function: newFunctionTable()[c.written.having][0], r: c.r, at: c.at, args: []value{c.other}, typ: c.other.typ, where: c.where}
	rows := c.collected(list(", ", fields), ", ", p.formed(extreme), ` AS "#k"`)
	return correlated{text("(SELECT ", p.formed(&of), " FROM ", rows, ` WHERE struct_extract("#e", 'k') = "#k")`)}
}

// topSum returns the values with the greatest sums of weights, with these.
func topSum(_ *printer, c *call) fragment {
	x, weight := c.args[0], c.args[1]
	isBad := text(weight, " < 0")
	if weight.typ.is(float64Kind) {
		isBad = text(isBad, " OR isnan(", weight, ")")
	}
	checked := text("CASE WHEN ", isBad, " THEN ", raise("A weight of APPROX_TOP_SUM must not be negative or NaN"), " ELSE ", weight, " END")
	rows := c.collected(text("v := ", x, ", w := ", checked))
	sums := text(`(SELECT struct_extract("#e", 'v') AS v, CAST(sum(struct_extract("#e", 'w')) AS `+weight.typ.duck()+") AS s FROM ", rows, " GROUP BY 1)")
	return correlated{text(`(SELECT list(struct_pack("value" := v, "sum" := s) ORDER BY s DESC NULLS LAST)[1:`, c.args[2], "] FROM ", sums, ")")}
}
