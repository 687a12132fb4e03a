package randomcatalog

import (
	"fmt"
	"strings"
	"time"

	"savedq/sqlq"
)

// param is a random parameter and its declaration.
type param struct {
	sqlq.Param
	yaml string
}

// params returns random parameters, the columns that return their values, and the values for
// the request, which is set in the query.
func (g *generator) params(query *Query) (params []param, columns []sqlq.Column, values []any) {
	for i := range g.IntN(4) {
		of := pick(g, g.options.ParamTypes)
		p := param{Param: sqlq.Param{Name: "p_" + g.name([]string{"_"}, i), Type: of}}
		settings := ""
		next := func() any { return g.scalar(of) }
		if of == sqlq.String {
			allowed := pick(g, [][]string{nil, {"low", "p-95", "by name"}, {"50%", "true"}})
			if allowed != nil {
				settings = ", allowed: ['" + strings.Join(allowed, "', '") + "']"
				next = func() any { return pick(g, allowed) }
			} else {
				next = func() any { return pick(g, []string{"plain", `it's "quoted" \`, "ünïcode 😀", "a&b=c"}) }
			}
		}
		var value any
		switch {
		case g.IntN(3) == 0:
			p.Type = sqlq.ArrayOf(of)
			elements := make([]any, g.IntN(4))
			for j := range elements {
				elements[j] = next()
				query.Params[p.Name] = append(query.Params[p.Name], rawText(of, elements[j]))
			}
			value = elements
		case g.IntN(4) == 0: // absent
		default:
			value = next()
			query.Params[p.Name] = []string{rawText(of, value)}
		}
		if g.IntN(5) == 0 {
			settings += ", deprecated: Use another."
		}
		p.yaml = fmt.Sprintf("  - {name: '%s', type: %s, description: A parameter.%s}\n", p.Name, p.Type, settings)
		params = append(params, p)
		columns = append(columns, sqlq.Column{Name: "echo" + p.Name, Type: p.Type, Nullable: !p.Type.IsArray()})
		values = append(values, value)
	}
	return params, columns, values
}

// rawText returns a value as a caller writes it.
func rawText(of sqlq.Type, value any) string {
	if moment, ok := value.(time.Time); ok && of == sqlq.Timestamp {
		return moment.Format(time.RFC3339Nano)
	}
	return textOf(of, value)
}
