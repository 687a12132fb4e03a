package openapi

import (
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"savedq/internal/api/describe"
	"savedq/internal/api/format"
	"savedq/internal/api/rest"
	"savedq/sqlq"
)

const (
	mediaJSON = "application/json"
	mediaForm = "application/x-www-form-urlencoded"
)

// Components of a saved query have its name, or its name and one of these suffixes. Names
// of saved queries have no capital letters, so a suffix cannot be part of one.
const (
	rowSuffix     = ".Row"
	invalidSuffix = ".InvalidArgument"
	postedSuffix  = ".Posted"
	paramsSuffix  = ".Parameters"
)

// add adds the paths of a saved query, for a caller with bound parameters.
func (d *document) add(query *sqlq.SavedQuery, bound describe.Bound) error {
	recorded, err := findRecorded(query)
	if err != nil {
		return err
	}
	query = bound.Narrow(query)
	if recorded != nil && !allows(bound, query, recorded.values) {
		recorded = nil
	}
	query = query.Paged()
	if query.Sandboxed {
		query = describe.WithSQL(query)
	}
	d.Tags = append(d.Tags, tag{Name: query.Name, Description: query.Description})
	d.Components.Schemas[query.Name+rowSuffix] = describe.Row(query, describe.Microseconds)
	rows := list(component(query.Name+rowSuffix), "")
	rows.MaxItems = query.MaxRows
	d.Components.Schemas[query.Name] = object(required("result", rows)) // D12
	d.Components.Responses[query.Name] = rowsResponse(query, recorded)
	d.Components.Responses[query.Name+invalidSuffix] = invalidResponse(query, recorded, bound)
	d.Components.Responses[query.Name+postedSuffix] = postedResponse(query)
	d.Components.Schemas[query.Name+paramsSuffix] = paramsSchema(query, recorded)
	var accepted []reference
	for i := range query.Params {
		param := &query.Params[i]
		d.Components.Parameters[query.Name+"."+param.Name] = describeParam(param, recorded)
		accepted = append(accepted, refer("parameters", query.Name+"."+param.Name))
	}
	for _, name := range []string{rest.FormatParam, rest.BOMParam} {
		if !query.HasParam(name) {
			accepted = append(accepted, refer("parameters", name))
		}
	}
	if !query.Stream { // whose rows are not kept
		accepted = append(accepted, refer("parameters", cacheControl), refer("parameters", ifNoneMatch))
	}
	description := describe.WithDeprecation(query.Description, query.Deprecated) + "\n\n" + describe.Limits(query) + aliasesOf(query)
	for _, form := range []struct{ path, operation, meaning string }{
		{query.Name, query.Name, "by name"},
		{"query/" + query.ID.String(), query.Name + ".byId", "by id"},
		{"query/" + query.Name, query.Name + ".byQueryName", "by name, below query"},
	} {
		get := operation{
			OperationID: form.operation,
			Summary:     query.Name + ", " + form.meaning,
			Description: description,
			Deprecated:  query.Deprecated != "",
			Tags:        []string{query.Name},
			Parameters:  accepted,
			Responses:   responsesOf(query),
		}
		d.Paths[rest.Path+form.path] = pathItem{Get: &get, Post: new(posted(get, query))}
	}
	return nil
}

// aliasesOf returns a sentence about the aliases of a saved query, if it has any.
func aliasesOf(query *sqlq.SavedQuery) string {
	if len(query.Aliases) == 0 {
		return ""
	}
	return "\n\nAliases, which work like the name and the id: `" + strings.Join(query.Aliases, "`, `") + "`."
}

// responsesOf returns the responses of a saved query's paths, by status.
func responsesOf(query *sqlq.SavedQuery) map[string]reference {
	responses := responsesWith(query.Name, func(f *failure) bool { return !f.ofBody })
	responses[strconv.Itoa(http.StatusBadRequest)] = refer("responses", query.Name+invalidSuffix)
	if !query.Stream {
		responses[strconv.Itoa(http.StatusNotModified)] = refer("responses", notModified)
	}
	return responses
}

// rowsHeaders returns references to the headers of rows, and further ones.
func rowsHeaders(query *sqlq.SavedQuery, further ...string) map[string]reference {
	if query.Stream {
		return headerReferences("X-Cache", "Cache-Control", "X-Truncated", "X-Request-Id")
	}
	if query.Pages != nil {
		further = append(further, "X-Next")
	}
	return headerReferences(append(further, "X-Cache", "Age", "Cache-Control", "X-Truncated", "X-Rows", "X-Bytes", "X-Request-Id")...)
}

func rowsResponse(query *sqlq.SavedQuery, recorded *recordedResponse) response {
	further := []string{"Expires", "ETag"}
	if query.Pages != nil {
		further = append(further, "Link")
	}
	described := response{
		Description: "The rows, in the order stated in the description of the path.",
		Headers:     rowsHeaders(query, further...),
		Content:     otherFormats(),
	}
	rows := mediaType{Schema: component(query.Name)}
	if recorded != nil {
		rows.Examples = map[string]example{"rows": {Summary: requestLine(query, recorded.Query), Value: recorded.Response}}
	}
	delete(described.Content, mediaJSON)
	if !query.Stream {
		described.Content[mediaJSON] = rows
	}
	return described
}

// otherFormats returns the formats of rows other than JSON.
func otherFormats() map[string]mediaType {
	formats := make(map[string]mediaType)
	for _, output := range format.All() {
		if output.MediaType != "" {
			encoded := schema{Type: "string"}
			if output.Binary {
				encoded.Format = "binary"
			}
			formats[output.MediaType] = mediaType{Schema: encoded}
		}
	}
	return formats
}

// negotiatedFormats returns the formats of a path without the parameter format: those that a header can select.
func negotiatedFormats() map[string]mediaType {
	formats := otherFormats()
	maps.DeleteFunc(formats, func(name string, _ mediaType) bool { return strings.Contains(name, ";") })
	return formats
}

// requestLine returns the request of an example.
func requestLine(query *sqlq.SavedQuery, queryString string) string {
	return strings.TrimSuffix(http.MethodGet+" "+rest.Path+query.Name+"?"+queryString, "?")
}

// posted returns the operation of a POST, which takes the parameters of a GET in its body.
func posted(get operation, query *sqlq.SavedQuery) operation {
	post := get
	post.OperationID += ".post"
	post.Summary += ", with parameters in the body"
	post.Parameters = []reference{refer("parameters", cacheControl)}
	params := mediaType{Schema: component(query.Name + paramsSuffix)}
	post.RequestBody = &requestBody{
		Description: "The parameters. Those of the query string count, too; a parameter in both is an error. In JSON, null is the same as an absent value, and an undeclared parameter is ignored.",
		Content:     map[string]mediaType{mediaJSON: params, mediaForm: params},
	}
	post.Responses = maps.Clone(get.Responses)
	delete(post.Responses, strconv.Itoa(http.StatusNotModified))
	maps.Copy(post.Responses, responsesWith(query.Name+postedSuffix, func(f *failure) bool { return f.ofBody }))
	return post
}

// postedResponse returns the response to a POST, which caches must not store.
func postedResponse(query *sqlq.SavedQuery) response {
	described := response{
		Description: "The rows, in the order stated in the description of the path. HTTP caches must not store them.",
		Headers:     rowsHeaders(query),
		Content:     otherFormats(),
	}
	described.Content[mediaJSON] = mediaType{Schema: component(query.Name)}
	return described
}

// paramsSchema returns the schema of a body with parameters.
func paramsSchema(query *sqlq.SavedQuery, recorded *recordedResponse) schema {
	body := schema{Type: "object"}
	for i := range query.Params {
		param := &query.Params[i]
		described := describeParam(param, recorded)
		described.Schema.Description = described.Description
		described.Schema.Deprecated = described.Deprecated
		body.Properties = append(body.Properties, describe.Property{Name: param.Name, Schema: described.Schema})
		if param.Required {
			body.Required = append(body.Required, param.Name)
		}
	}
	return body
}

// allows reports whether the token may use the values of a request. The saved query is the one
// that [describe.Bound.Narrow] returns.
func allows(bound describe.Bound, query *sqlq.SavedQuery, values url.Values) bool {
	return !slices.ContainsFunc(query.Params, func(param sqlq.Param) bool {
		return bound.Limits(&param) && slices.ContainsFunc(values[param.Name], func(value string) bool { return !slices.Contains(param.Allowed, value) })
	})
}

// describeParam describes a parameter of a saved query in a query string.
func describeParam(param *sqlq.Param, recorded *recordedResponse) parameter {
	described := parameter{
		Name:       param.Name,
		In:         "query",
		Required:   param.Required,
		Deprecated: param.Deprecated != "",
		Schema:     describe.Param(param),
	}
	described.Description = described.Schema.Description
	described.Schema.Description, described.Schema.Deprecated = "", false
	if text := exampleText(param, recorded); text != "" {
		described.Example = describe.Value(describe.TypeOf(param), text)
	}
	if param.Type.IsArray() {
		described.Description += " Repeat the parameter for several values."
		if described.Example != nil {
			described.Example = []any{described.Example}
		}
	}
	return described
}

// exampleText returns a value that the parameter accepts, or "" if none is known.
func exampleText(param *sqlq.Param, recorded *recordedResponse) string {
	if text := recorded.value(param.Name); text != "" {
		return text
	}
	switch {
	case len(param.Default) > 0 && !param.HasRelativeDefault():
		return param.Default[0]
	case len(param.Allowed) > 0:
		return param.Allowed[0]
	case param.Min != nil:
		return param.Min.Text
	case param.Type.Element() == sqlq.Timestamp && param.Pattern == "":
		return "2026-11-20T10:00:00Z"
	case param.Type.Element() == sqlq.Date && param.Pattern == "":
		return "2026-11-20"
	}
	return ""
}
