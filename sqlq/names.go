package sqlq

import "strings"

// Join returns names as a list for messages.
func Join[T ~string](names []T) string {
	texts := make([]string, len(names))
	for i, name := range names {
		texts[i] = string(name)
	}
	return strings.Join(texts, ", ")
}

// ColumnNames returns the names of columns.
func ColumnNames(columns []Column) []string {
	names := make([]string, len(columns))
	for i := range columns {
		names[i] = columns[i].Name
	}
	return names
}

// ParamNames returns the names of the parameters.
func (q *SavedQuery) ParamNames() []string {
	names := make([]string, len(q.Params))
	for i := range q.Params {
		names[i] = q.Params[i].Name
	}
	return names
}

// QueryNames returns the names of saved queries.
func QueryNames(queries []*SavedQuery) []string {
	names := make([]string, len(queries))
	for i, query := range queries {
		names[i] = query.Name
	}
	return names
}
