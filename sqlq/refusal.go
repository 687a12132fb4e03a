package sqlq

import (
	"maps"
	"slices"
	"strings"
)

// refuse returns an error for parameters that are not declared and ask for other rows than the
// saved query returns (D37). All others that are not declared are ignored (D8).
func (q *SavedQuery) refuse(raw map[string][]string) error {
	for _, name := range slices.Sorted(maps.Keys(raw)) {
		if strings.Join(raw[name], "") == "" {
			continue // nothing is asked for
		}
		switch base, suffix, _ := strings.Cut(name, "["); {
		case q.param(name) != nil:
		case name == "sql" || name == "lql":
			return ParamErrorf(name, "this saved query runs its own SQL only; leave %s out", name)
		case suffix == "" || q.param(base) == nil:
		case q.param(base).Type.IsArray():
			return ParamErrorf(name, "repeat the plain name for each value of a list, as in %s=a&%s=b", base, base)
		default:
			return ParamErrorf(name, "use the plain name, as in %s=a", base)
		}
	}
	return nil
}

// param returns the parameter with a name, or nil.
func (q *SavedQuery) param(name string) *Param {
	for i := range q.Params {
		if q.Params[i].Name == name {
			return &q.Params[i]
		}
	}
	return nil
}
