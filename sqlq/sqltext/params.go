package sqltext

import "savedq/sqlq"

// Param is a use of a named parameter: the bytes of a SQL text from Start to End.
type Param struct {
	Name       string
	Start, End int
}

// Params returns every use of a named parameter, in order. Strings, quoted names and
// comments use none.
func Params(dialect sqlq.Dialect, sql string) []Param {
	var params []Param
	for at, token := range tokens(dialect, sql) {
		if name, ok := paramName(dialect, token); ok {
			params = append(params, Param{Name: name, Start: at.offset, End: at.offset + len(token)})
		}
	}
	return params
}
