package openapi

import (
	"maps"
	"net/http"
	"strconv"

	"savedq/internal/describe"
	"savedq/sqlq"
)

const mediaForm = "application/x-www-form-urlencoded"

// posted returns the operation of a POST, which takes the parameters of a GET in its body.
func posted(get operation, query *sqlq.SavedQuery) operation {
	post := get
	post.OperationID += ".post"
	post.Summary += ", with parameters in the body"
	post.Parameters = []reference{refer("parameters", cacheControl)}
	params := mediaType{Schema: refer("schemas", query.Name+paramsSuffix).schema()}
	post.RequestBody = &requestBody{
		Description: "The parameters. Those of the query string count, too; a parameter in both is an error. In JSON, null is the same as an absent value, and an undeclared parameter is ignored.",
		Content:     map[string]mediaType{mediaJSON: params, mediaForm: params},
	}
	post.Responses = maps.Clone(get.Responses)
	delete(post.Responses, strconv.Itoa(http.StatusNotModified))
	post.Responses[strconv.Itoa(http.StatusOK)] = refer("responses", query.Name+postedSuffix)
	for _, failure := range failures() {
		if failure.ofBody {
			post.Responses[strconv.Itoa(failure.status)] = refer("responses", failure.name)
		}
	}
	return post
}

// postedResponse returns the response to a POST, which caches must not store.
func postedResponse(query *sqlq.SavedQuery) response {
	described := response{
		Description: "The rows, in the order stated in the description of the path. HTTP caches must not store them.",
		Headers:     rowsHeaders(query),
		Content:     otherFormats(),
	}
	described.Content[mediaJSON] = mediaType{Schema: refer("schemas", query.Name).schema()}
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
