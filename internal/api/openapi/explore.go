package openapi

import (
	"fmt"
	"net/http"
	"strconv"

	"savedq/internal/api/explorehttp"
	"savedq/internal/api/format"
	"savedq/sqlq/sandbox"
)

// Names of components of the path of Explore.
const (
	exploreTag      = "Explore"
	exploreRequest  = "ExploreRequest"
	exploreColumn   = "ExploreColumn"
	exploreMembers  = "ExploreMembers"
	exploredRows    = "ExploredRows"
	exploredSchema  = "ExploredSchema"
	exploredParams  = "ExploredParameters"
	exploredCheck   = "ExploredCheck"
	exploredFolder  = "ExploredFolder"
	exploredSaved   = "ExploredSaved"
	invalidExplored = "InvalidExplore"
)

// addExplore adds the paths of SQL over the tables.
func (d *document) addExplore() {
	d.Tags = append(d.Tags, tag{Name: exploreTag, Description: "SQL over the tables, for tokens with explore."})
	columns := component(exploreColumn)
	d.Components.Schemas[exploreColumn] = schemaOf[explorehttp.Column]()
	value := []string{"string", "number", "boolean", "null"}
	params := schema{AnyOf: []schema{{Type: value}, list(schema{Type: value[:3]}, "Elements of an array.")}}
	d.Components.Schemas[exploreRequest] = object(
		required("sql", text("One SELECT, with parameters such as @since, {since:DateTime} in ClickHouse's dialect, or $since in DuckDB's.")),
		optional("dialect", exploreDialect()),
		optional("params", schema{Type: "object", Description: "Values of the parameters, by name.", AdditionalProperties: &params}),
	)
	rows := response{
		Description: fmt.Sprintf("The rows, at most %d. They are not cached.", sandbox.MostExploredRows),
		Headers:     headerReferences("Cache-Control", format.TruncatedHeader, "X-Request-Id"),
		Content:     negotiatedFormats(),
	}
	rows.Content[mediaJSON] = mediaType{Schema: object(
		required("columns", list(columns, "The columns of the rows, in their order.")),
		required("truncated", schema{Type: "boolean", Description: "Whether there were more rows."}),
		required("milliseconds", schema{Type: "number", Format: "double", Description: "How long the SQL ran."}),
		required("result", list(schema{Type: "object"}, "The rows.")),
	)}
	d.Components.Responses[exploredRows] = rows
	d.Components.Responses[invalidExplored] = failureResponse("The body cannot be read, the SQL has a mistake or reads what the token may not read, or a parameter is missing or invalid.", nil, nil)
	request := component(exploreRequest)
	d.Paths[explorehttp.Path] = explorePost("explore", "Run SQL over the tables",
		"Runs one SELECT within the limits of a sandbox. A token with bound parameters reads only rows with its values.", request, exploredRows)
	d.addExploreSchema()
	d.Components.Responses[exploredParams] = uncached("The parameters of the SQL.",
		object(required("parameters", list(schemaOf[explorehttp.Parameter](), "In the order of the SQL."))))
	d.Paths[explorehttp.ParametersPath] = explorePost("exploreParameters", "The parameters of SQL",
		"Compiles the SQL and does not run it.", request, exploredParams)
	d.Components.Responses[exploredCheck] = uncached("The parameters of the SQL, or its mistake.", schemaOf[explorehttp.Checked]())
	d.Paths[explorehttp.CheckPath] = explorePost("exploreCheck", "Find the mistake in SQL",
		"Compiles the SQL and does not run it. A mistake is a result, because SQL that is being typed is usually wrong.", request, exploredCheck)
	folder := uncached("The folder, which the server has not written.", schema{})
	folder.Content = map[string]mediaType{"application/zip": {Schema: schema{Type: "string", Format: "binary"}}}
	d.Components.Responses[exploredFolder] = folder
	name := required("name", text("Name of the saved query."))
	d.Components.Responses[exploredSaved] = uncached("The server has written the folder, and serves the saved query.", object(name))
	save := explorePost("exploreSave", "Make a saved query of SQL",
		"Returns the folder of a new saved query with the SQL, as an archive. A server for development writes it instead.",
		object(name, required("sql", text("Its SELECT.")), optional("dialect", exploreDialect()), optional("description", text("What its rows are.")),
			optional("replace", schema{Type: "boolean", Description: "Whether the SQL of a saved query that exists is replaced, which only a server for development does. Its query.yaml stays as it is."})), exploredFolder)
	save.Post.Responses[strconv.Itoa(http.StatusCreated)] = refer("responses", exploredSaved)
	d.Paths[explorehttp.SavePath] = save
}

// addExploreSchema adds the path that lists what SQL can name.
func (d *document) addExploreSchema() {
	members := component(exploreMembers)
	d.Components.Schemas[exploreMembers] = schema{
		Type: "object", Description: "Members that senders usually set in an object of metadata, by name, with those in them.",
		AdditionalProperties: &members,
	}
	d.Components.Responses[exploredSchema] = uncached("Tables and functions.", schemaOf[explorehttp.Schema]())
	dialect := exploreTag + "." + explorehttp.DialectParam
	d.Components.Parameters[dialect] = parameter{Name: explorehttp.DialectParam, In: "query", Schema: exploreDialect(), Description: "Dialect of the SQL."}
	responses := responsesWith(exploredSchema, isOneOf("Unauthenticated", "PermissionDenied", "ResourceExhausted", "Internal"))
	responses[strconv.Itoa(http.StatusBadRequest)] = refer("responses", invalidExplored)
	d.Paths[explorehttp.SchemaPath] = pathItem{Get: &operation{
		OperationID: "exploreSchema", Summary: "The tables and functions of SQL", Tags: []string{exploreTag},
		Description: "What SQL of the token can name, for the completion of an editor.",
		Parameters:  []reference{refer("parameters", dialect)}, Responses: responses,
	}}
}

// exploreDialect describes the dialect of SQL.
func exploreDialect() schema {
	return schema{
		Type: "string", Enum: []any{explorehttp.GoogleSQL, explorehttp.ClickHouse, explorehttp.DuckDB}, Default: explorehttp.GoogleSQL,
		Description: "Dialect of the SQL. ClickHouse's reads the one table logs, on the embedded engine and on ClickHouse. DuckDB's is for a server for development, and tokens without limits.",
	}
}

// explorePost returns a path that receives SQL.
func explorePost(id, summary, description string, body schema, result string) pathItem {
	responses := responsesWith(result,
		isOneOf("Unauthenticated", "PermissionDenied", "ResourceExhausted", "Cancelled", "Internal", "Unavailable", "DeadlineExceeded"))
	responses[strconv.Itoa(http.StatusBadRequest)] = refer("responses", invalidExplored)
	return pathItem{Post: &operation{
		OperationID: id, Summary: summary, Tags: []string{exploreTag}, Description: description,
		RequestBody: &requestBody{Description: "The SQL.", Content: map[string]mediaType{mediaJSON: {Schema: body}}},
		Responses:   responses,
	}}
}
