package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"math"
	"slices"
	"strconv"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"savedq/internal/api/describe"
	"savedq/internal/text/jsontext"
	"savedq/sqlq"
	"savedq/sqlq/runner"
)

// rawJSON is JSON that is written as it is.
type rawJSON = json.RawMessage

// call runs a tool. Its errors are results that the model reads, except for a tool that the caller
// does not have.
func (s *Server) call(ctx context.Context, name string, arguments rawJSON) (*toolResult, *jsonrpc.Error) {
	switch {
	case name == sqlq.DescribeTool:
		result, err := s.describeCall(ctx, arguments)
		if err != nil {
			return s.failure(ctx, err), nil
		}
		return result, nil
	case name == sqlq.ExploreTool && s.config.Caller(ctx).Explore:
		text, structured, err := s.explore(ctx, arguments)
		return s.resultOf(ctx, text, structured, err), nil
	}
	query, found := s.byTool[name]
	if found {
		_, err := s.config.Runner.Find(ctx, query.Name) // it logs that it denies
		found = err == nil
	}
	if !found {
		return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: s.unknownTool(ctx, name)}
	}
	text, structured, err := s.rows(ctx, query, arguments)
	return s.resultOf(ctx, text, structured, err), nil
}

// resultOf returns the result of a call with rows, or with an error.
func (s *Server) resultOf(ctx context.Context, text, structured []byte, err error) *toolResult {
	if err != nil {
		return s.failure(ctx, err)
	}
	return newResult(text, structured, false)
}

// unknownTool returns the message for a tool that the caller does not have, whether or not there
// is one.
func (s *Server) unknownTool(ctx context.Context, name string) string {
	message := "there is no tool " + sqlq.Quote(name)
	for _, query := range s.config.Queries {
		if query.Stream && query.Name == name {
			if _, err := s.config.Runner.Find(ctx, name); err == nil {
				return message + ": " + sqlq.StreamRefused(query).Message
			}
		}
	}
	var names []string
	for _, query := range s.tools(ctx) {
		names = append(names, query.Tool)
	}
	return message + "; " + sqlq.DidYouMean(name, names, "tools/list has the tools of your token")
}

// rows runs a saved query and returns a page of its rows: as the JSON of a string, and as an object.
func (s *Server) rows(ctx context.Context, query *sqlq.SavedQuery, arguments rawJSON) (text, structured []byte, err error) {
	request, args, err := s.read(ctx, query, arguments)
	if err != nil {
		return nil, nil, err
	}
	response, err := s.run(ctx, request)
	if _, paged := request.Params[sqlq.AfterParam]; !paged {
		if err != nil {
			return nil, nil, err
		}
		return page(response, args, pageBytes)
	}
	chosen, known := chooseColumns(query.Columns, args.columns)
	for err == nil && known == nil { // its own cursor follows its last row, so fewer rows are another request
		_, shown := appendRows(nil, response.Result, chosen, 0, pageBytes)
		if shown == len(response.Result.Rows) || !limitTo(&request, shown) {
			return page(response, args, math.MaxInt)
		}
		response, err = s.run(ctx, request)
	}
	return nil, nil, errors.Join(err, known)
}

// run runs a saved query. An error about its own cursor names the argument of the tool.
func (s *Server) run(ctx context.Context, request runner.Request) (*runner.Response, error) {
	response, err := s.config.Runner.Run(ctx, request)
	if failure := new(sqlq.Error); errors.As(err, &failure) && request.Query.Pages != nil && failure.Param == sqlq.AfterParam {
		return nil, sqlq.ParamErrorf(cursorParam, "%s", failure.Message)
	}
	return response, err
}

// pageArguments are the arguments that choose a part of the rows.
type pageArguments struct {
	cursor  string
	columns []string
}

// read reads the arguments of a call. An unknown one is an error, because a model that misspells
// one must know.
func (s *Server) read(ctx context.Context, query *sqlq.SavedQuery, arguments rawJSON) (request runner.Request, args pageArguments, err error) {
	request = runner.Request{Query: query, Params: make(map[string][]string), Faults: make(map[string]string)}
	members, err := membersOf(arguments)
	if err != nil {
		return request, args, err
	}
	known := append(query.ParamNames(), cursorParam, columnsParam)
	if query.Sandboxed {
		known = append(known, sqlq.SQLParam)
	}
	var listed []string
	for _, property := range inputSchema(query, s.config.Caller(ctx)).Properties {
		listed = append(listed, property.Name)
	}
	if err := onlyKnown(members, known, listed); err != nil {
		return request, args, err
	}
	for name, value := range members {
		setTexts(&request, name, value)
	}
	if args, err = takePage(&request); err == nil && query.Sandboxed {
		request.SQL, err = takeText(&request, sqlq.SQLParam)
	}
	if err == nil && request.SQL == "" {
		_, err = chooseColumns(query.Columns, args.columns)
	}
	if err == nil && query.Pages != nil && request.SQL == "" && limitTo(&request, pageRows) {
		request.Params[sqlq.AfterParam], args.cursor = []string{args.cursor}, ""
	}
	return request, args, err
}

// membersOf returns the arguments of a call by their names.
func membersOf(arguments rawJSON) (map[string]json.RawMessage, error) {
	members := make(map[string]json.RawMessage)
	if !jsontext.IsWellFormed(string(arguments)) || len(arguments) > 0 && json.Unmarshal(arguments, &members) != nil {
		return nil, sqlq.Errorf(sqlq.InvalidArgument, "the arguments must be a JSON object in valid UTF-8")
	}
	if len(members) > 0 {
		if _, err := jsontext.DecodeObject(arguments); err != nil {
			return nil, sqlq.Errorf(sqlq.InvalidArgument, "the JSON of the arguments %s", err)
		}
	}
	return members, nil
}

// onlyKnown returns an error if there is an argument that is not known, and may suggest a listed one.
func onlyKnown(members map[string]json.RawMessage, known, listed []string) error {
	for _, name := range slices.Sorted(maps.Keys(members)) {
		if !slices.Contains(known, name) {
			return sqlq.ParamErrorf(name, "is not an argument of this tool; %s", sqlq.DidYouMean(name, listed, "its input schema has them"))
		}
	}
	return nil
}

// setTexts sets a parameter of a request to the texts of a JSON value.
func setTexts(request *runner.Request, name string, value json.RawMessage) {
	texts, fault := jsontext.Texts(value)
	if fault != "" {
		request.Faults[name] = fault
		return
	}
	if texts == nil {
		return
	}
	if request.Query != nil {
		if param := request.Query.Param(name); param != nil {
			for i, text := range texts {
				texts[i] = describe.Text(param, text)
			}
		}
	}
	request.Params[name] = texts
}

// takePage removes the arguments that choose a part of the rows from the parameters of a request.
func takePage(request *runner.Request) (args pageArguments, err error) {
	if fault, faulty := request.Faults[columnsParam]; faulty {
		return args, sqlq.ParamErrorf(columnsParam, "%s", fault)
	}
	args.columns = request.Params[columnsParam]
	delete(request.Params, columnsParam)
	args.cursor, err = takeText(request, cursorParam)
	return args, err
}

// limitTo limits the rows of a request for more of a saved query with pages. It reports whether there can be no more,
// so that they fit into one result and the query's own cursor gets the next ones, also of rows that are not cached.
func limitTo(request *runner.Request, most int) bool {
	limit := *request.Query.Param(request.Query.Pages.Limit)
	alone := sqlq.SavedQuery{Params: []sqlq.Param{limit}}
	asked, err := alone.Bind(request.Params)
	if err != nil || asked[0].Value.(int64) <= int64(most) { // the request fails with the same error
		return true
	}
	lower := map[string][]string{limit.Name: {strconv.Itoa(most)}}
	allowed, err := alone.Bind(lower)
	if err != nil || allowed[0].Value != int64(most) {
		return false
	}
	maps.Copy(request.Params, lower)
	return true
}

// takeText removes a text from the parameters of a request, and returns it.
func takeText(request *runner.Request, name string) (string, error) {
	if fault, faulty := request.Faults[name]; faulty {
		return "", sqlq.ParamErrorf(name, "%s", fault)
	}
	texts := request.Params[name]
	delete(request.Params, name)
	if len(texts) > 1 {
		return "", sqlq.ParamErrorf(name, "is a list; give one text")
	}
	if len(texts) == 0 {
		return "", nil
	}
	return texts[0], nil
}
