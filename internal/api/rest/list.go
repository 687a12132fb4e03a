package rest

import (
	"net/http"

	"savedq/internal/api/describe"
	"savedq/internal/http/httpcache"
	"savedq/internal/http/httperror"
	"savedq/sqlq"
)

// Listed is a saved query as the list shows it.
type Listed struct {
	ID          string         `json:"id" doc:"Id, which never changes." format:"uuid"`
	Name        string         `json:"name" doc:"Unique name."`
	Aliases     []string       `json:"aliases" doc:"Further names and ids."`
	Description string         `json:"description" doc:"What the rows are."`
	Deprecated  string         `json:"deprecated,omitempty" doc:"Why the saved query should no longer be used."`
	Parameters  []ListedParam  `json:"parameters" doc:"Parameters, in the order of their declaration."`
	Columns     []ListedColumn `json:"columns" doc:"Columns of the rows, in order."`
	URLs        []string       `json:"urls" doc:"Paths of the saved query."`
}

// ListedParam is a parameter of a saved query.
type ListedParam struct {
	Name        string    `json:"name" doc:"Name of the parameter."`
	Type        sqlq.Type `json:"type" doc:"Type of the value."`
	Description string    `json:"description" doc:"What the parameter does."`
	Deprecated  string    `json:"deprecated,omitempty" doc:"Why the parameter should no longer be used."`
	Required    bool      `json:"required" doc:"Whether an absent or empty value is an error."`
	Default     any       `json:"default,omitempty" doc:"Value if it is absent or empty: a text, or a list of texts for an ARRAY."`
	Allowed     []string  `json:"allowed,omitempty" doc:"Allowed values."`
	Min         string    `json:"min,omitempty" doc:"Least value."`
	Max         string    `json:"max,omitempty" doc:"Greatest value."`
}

// ListedColumn is a column, or a field of a STRUCT.
type ListedColumn struct {
	Name        string         `json:"name" doc:"Name of the column."`
	Type        string         `json:"type" doc:"Type of the values."`
	Nullable    bool           `json:"nullable" doc:"Whether values can be null."`
	Description string         `json:"description" doc:"What the values mean."`
	Deprecated  string         `json:"deprecated,omitempty" doc:"Why the column should no longer be used."`
	Fields      []ListedColumn `json:"fields,omitempty" doc:"Fields of a STRUCT."`
}

// serveList serves the saved queries that the caller may see, by name, as the caller may use
// them. Caches must revalidate the list.
func (h *handler) serveList(w http.ResponseWriter, r *http.Request) error {
	queries := h.runner.Queries(r.Context())
	var bound describe.Bound
	if h.bound != nil {
		bound = h.bound(r.Context())
	}
	list := struct {
		Result []Listed `json:"result"`
	}{make([]Listed, len(queries))}
	for i, query := range queries {
		list.Result[i] = describeQuery(bound.Narrow(query).Paged())
	}
	httpcache.WriteRevalidated(w, r, "application/json; charset=utf-8", httperror.Encode(list))
	return nil
}

func describeQuery(query *sqlq.SavedQuery) Listed {
	description := Listed{
		ID: query.ID.String(), Name: query.Name, Aliases: append([]string{}, query.Aliases...),
		Description: query.Description, Deprecated: query.Deprecated,
		Parameters: make([]ListedParam, len(query.Params)), Columns: describeColumns(query.Columns), URLs: urls(query),
	}
	for i := range query.Params {
		description.Parameters[i] = describeParam(&query.Params[i])
	}
	return description
}

func describeParam(param *sqlq.Param) ListedParam {
	description := ListedParam{
		Name: param.Name, Type: param.Type, Description: param.Description, Deprecated: param.Deprecated,
		Required: param.Required, Allowed: param.Allowed, Min: param.Min.String(), Max: param.Max.String(),
	}
	switch {
	case len(param.Default) == 0:
	case param.Type.IsArray():
		description.Default = param.Default
	default:
		description.Default = param.Default[0]
	}
	return description
}

func describeColumns(columns []sqlq.Column) []ListedColumn {
	descriptions := make([]ListedColumn, len(columns))
	for i, column := range columns {
		descriptions[i] = ListedColumn{
			Name: column.Name, Type: column.TypeName(), Nullable: column.Nullable, Description: column.Description,
			Deprecated: column.Deprecated, Fields: describeColumns(column.Fields),
		}
	}
	return descriptions
}

// urls returns the paths of a saved query, by its name and id, and by its
// aliases.
func urls(query *sqlq.SavedQuery) []string {
	all := []string{Path + query.Name, Path + "query/" + query.ID.String(), Path + "query/" + query.Name}
	for _, alias := range query.Aliases {
		if _, isID := sqlq.ParseID(alias); !isID {
			all = append(all, Path+alias)
		}
		all = append(all, Path+"query/"+alias)
	}
	return all
}
