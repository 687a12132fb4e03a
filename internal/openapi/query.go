package openapi

import (
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"savedq/internal/format"
	"savedq/internal/rest"
	"savedq/sqlq"
	"savedq/sqlq/sandbox"
)

const mediaJSON = "application/json"

// Components of a saved query have its name, or its name and one of these suffixes. Names
// of saved queries have no capital letters, so a suffix cannot be part of one.
const (
	rowSuffix     = ".Row"
	invalidSuffix = ".InvalidArgument"
	postedSuffix  = ".Posted"
	paramsSuffix  = ".Parameters"
)

// add adds the paths of a saved query, for a caller with bound parameters.
func (d *document) add(query *sqlq.SavedQuery, bound rest.Bound) error {
	recorded, err := findRecorded(query)
	if err != nil {
		return err
	}
	query = bound.Narrow(query)
	if recorded != nil && !allows(bound, query, recorded.values) {
		recorded = nil
	}
	if query.Sandboxed {
		withSQL := *query
		param := sandbox.Declare(query)
		param.Description += " The rows have the columns of that SELECT."
		withSQL.Params = append(slices.Clone(query.Params), *param)
		query = &withSQL
	}
	d.Tags = append(d.Tags, tag{Name: query.Name, Description: query.Description})
	d.Components.Schemas[query.Name+rowSuffix] = rowSchema(query)
	d.Components.Schemas[query.Name] = bodySchema(query)
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
	accepted = append(accepted, refer("parameters", cacheControl), refer("parameters", ifNoneMatch))
	description := withDeprecation(query.Description, query.Deprecated) + "\n\n" + limits(query) + aliasesOf(query)
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

// withDeprecation returns a description with the reason of a deprecation.
func withDeprecation(description, reason string) string {
	if reason != "" {
		description += " Deprecated: " + reason
	}
	return strings.TrimSpace(description)
}

// limits describes the maximum number of rows and the caching of a saved query.
func limits(query *sqlq.SavedQuery) string {
	text := fmt.Sprintf("At most %d rows. ", query.MaxRows)
	if query.Stream {
		text += "They are a stream: the format must be one of " + format.Served(true) + ", and an error in the middle ends the connection. "
	}
	if query.Cache == 0 {
		return text + "Responses are not cached."
	}
	text += fmt.Sprintf("Responses are cached for %s", seconds(query.Cache))
	if query.Warm > 0 {
		text += fmt.Sprintf(" and refreshed every %s while in use", seconds(query.Warm))
	}
	return text + "."
}

func seconds(duration time.Duration) string {
	return strconv.FormatFloat(duration.Seconds(), 'f', -1, 64) + " s"
}

// responsesOf returns the responses of a saved query's paths, by status.
func responsesOf(query *sqlq.SavedQuery) map[string]reference {
	responses := map[string]reference{
		strconv.Itoa(http.StatusOK):          refer("responses", query.Name),
		strconv.Itoa(http.StatusNotModified): refer("responses", notModified),
		strconv.Itoa(http.StatusBadRequest):  refer("responses", query.Name+invalidSuffix),
	}
	for _, failure := range failures() {
		if !failure.ofBody {
			responses[strconv.Itoa(failure.status)] = refer("responses", failure.name)
		}
	}
	return responses
}

func rowsResponse(query *sqlq.SavedQuery, recorded *recordedResponse) response {
	described := response{
		Description: "The rows, in the order stated in the description of the path.",
		Headers:     headerReferences("X-Cache", "Age", "Cache-Control", "Expires", "ETag", "X-Truncated", "X-Rows", "X-Bytes", "X-Request-Id"),
		Content:     otherFormats(),
	}
	rows := mediaType{Schema: refer("schemas", query.Name).schema()}
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
			formats[output.MediaType] = mediaType{Schema: encodedSchema(&output)}
		}
	}
	return formats
}

// encodedSchema returns the schema of rows in a format other than JSON.
func encodedSchema(output *format.Format) schema {
	if output.Binary {
		return schema{Type: "string", Format: "binary"}
	}
	return schema{Type: "string"}
}

// requestLine returns the request of an example.
func requestLine(query *sqlq.SavedQuery, queryString string) string {
	return strings.TrimSuffix(http.MethodGet+" "+rest.Path+query.Name+"?"+queryString, "?")
}

// bodySchema returns the schema of the body (D12).
func bodySchema(query *sqlq.SavedQuery) schema {
	return schema{
		Type: "object",
		Properties: properties{{name: "result", schema: schema{
			Type:     "array",
			MaxItems: query.MaxRows,
			Items:    new(refer("schemas", query.Name+rowSuffix).schema()),
		}}},
		Required: []string{"result"},
	}
}

// rowSchema returns the schema of a row. Every column is present (D12).
func rowSchema(query *sqlq.SavedQuery) schema {
	row := schema{Type: "object"}
	row.Properties, row.Required = propertiesOf(query.Columns)
	return row
}

// propertiesOf returns the properties for columns, all of which are present.
func propertiesOf(columns []sqlq.Column) (all properties, required []string) {
	for i := range columns {
		all = append(all, property{name: columns[i].Name, schema: columnSchema(&columns[i])})
		required = append(required, columns[i].Name)
	}
	return all, required
}
