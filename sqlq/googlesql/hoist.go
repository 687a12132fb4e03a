package googlesql

import "slices"

// tried returns a fragment that is made of arguments, with NULL for the errors that it raises itself. Errors of its
// arguments stay errors, so they are computed first. DuckDB's TRY takes no subquery, and raises what reading the field of
// a struct raises.
func (r *resolver) tried(args []value, body func(args []value) fragment) fragment {
	return r.hoisted(args, func(args []value) fragment { return text("TRY(", safe{body(args)}, ")") })
}

// inLambda returns a fragment that has arguments in the body of a lambda. What no lambda takes is computed first.
func (c *call) inLambda(body func(args []value) fragment) fragment {
	if slices.ContainsFunc(c.args, func(arg value) bool { return arg.isOpaque }) {
		return c.r.hoisted(c.args, body)
	}
	return body(c.args)
}

// hoisted returns a fragment that is made of arguments. Those that are computed are computed first, and stand for
// themselves as the fields of a struct.
func (r *resolver) hoisted(args []value, body func(args []value) fragment) fragment {
	param := quoteName("#args") // which no name of a query is, and equal calls have the same SQL
	var fields []fragment
	inner := slices.Clone(args)
	for i, arg := range args {
		if arg.isComputed() {
			fields = append(fields, text("a"+itoa(i)+" := ", arg))
			inner[i] = element(arg.typ, text("struct_extract("+param+", 'a"+itoa(i)+"')"), arg.at)
		}
	}
	if fields == nil {
		return body(args)
	}
	return text("list_extract(list_transform([struct_pack(", list(", ", fields), ")], lambda "+param+": ", body(inner), "), 1)")
}

// isComputed reports whether a value is not only read.
func (v value) isComputed() bool {
	_, isColumn := v.sql.(*reference)
	return !isColumn && v.constant == nil && !v.isParam && v.dyn == nil
}
