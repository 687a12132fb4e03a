package sqlq

import "strings"

// ParamUse is a place where a SQL text uses a named parameter: the bytes from Start to End.
type ParamUse struct {
	Name       string
	Start, End int
}

// ParamUses returns every use of a named parameter, in order. Those in strings, quoted
// names and comments are none.
func (d Dialect) ParamUses(sql string) []ParamUse {
	var uses []ParamUse
	for start := 0; start < len(sql); {
		end := start + d.tokenLength(sql[start:])
		if name, ok := strings.CutPrefix(sql[start:end], d.paramPrefix()); ok && isName(name) {
			uses = append(uses, ParamUse{Name: name, Start: start, End: end})
		}
		start = end
	}
	return uses
}
