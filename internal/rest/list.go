package rest

import (
	"bytes"
	"encoding/json"
	"net/http"

	"savedq/internal/describe"
	"savedq/internal/http/httpcache"
	"savedq/sqlq"
)

// listed is a saved query as the list shows it.
type listed struct {
	ID          string        `json:"id"`
	Name        string        `json:"name"`
	Aliases     []string      `json:"aliases"`
	Description string        `json:"description"`
	Deprecated  string        `json:"deprecated,omitempty"`
	Parameters  []listedParam `json:"parameters"`
	Columns     []listedField `json:"columns"`
	// URLs are the paths of the saved query, relative to the server.
	URLs []string `json:"urls"`
}

type listedParam struct {
	Name        string    `json:"name"`
	Type        sqlq.Type `json:"type"`
	Description string    `json:"description"`
	Deprecated  string    `json:"deprecated,omitempty"`
	Required    bool      `json:"required"`
	// Default is a text, or a list of texts for an array.
	Default any      `json:"default,omitempty"`
	Allowed []string `json:"allowed,omitempty"`
	Min     string   `json:"min,omitempty"`
	Max     string   `json:"max,omitempty"`
}

type listedField struct {
	Name        string        `json:"name"`
	Type        string        `json:"type"`
	Nullable    bool          `json:"nullable"`
	Description string        `json:"description"`
	Deprecated  string        `json:"deprecated,omitempty"`
	Fields      []listedField `json:"fields,omitempty"`
}

// serveList serves the saved queries that the caller may see, by name, as the caller may use
// them. Caches must revalidate the list.
func (h *handler) serveList(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		h.errors.WriteMethodNotAllowed(w, r, http.MethodGet, http.MethodHead)
		return
	}
	queries := h.runner.Queries(r.Context())
	var bound describe.Bound
	if h.bound != nil {
		bound = h.bound(r.Context())
	}
	list := struct {
		Result []listed `json:"result"`
	}{make([]listed, len(queries))}
	for i, query := range queries {
		list.Result[i] = describeQuery(bound.Narrow(query).Paged())
	}
	var body bytes.Buffer
	encoder := json.NewEncoder(&body)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(list); err != nil {
		h.errors.Write(w, r, err)
		return
	}
	httpcache.WriteRevalidated(w, r, "application/json; charset=utf-8", bytes.TrimSuffix(body.Bytes(), []byte("\n")))
}

func describeQuery(query *sqlq.SavedQuery) listed {
	description := listed{
		ID: query.ID.String(), Name: query.Name, Aliases: append([]string{}, query.Aliases...),
		Description: query.Description, Deprecated: query.Deprecated,
		Parameters: make([]listedParam, len(query.Params)), Columns: describeColumns(query.Columns), URLs: urls(query),
	}
	for i := range query.Params {
		description.Parameters[i] = describeParam(&query.Params[i])
	}
	return description
}

func describeParam(param *sqlq.Param) listedParam {
	description := listedParam{
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

func describeColumns(columns []sqlq.Column) []listedField {
	descriptions := make([]listedField, len(columns))
	for i, column := range columns {
		descriptions[i] = listedField{
			Name: column.Name, Type: column.TypeName(), Nullable: column.Nullable, Description: column.Description,
			Deprecated: column.Deprecated, Fields: describeColumns(column.Fields),
		}
	}
	return descriptions
}

// urls returns the paths of a saved query: those of its name and id, and those of its
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
