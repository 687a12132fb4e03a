// Package logflare reads the endpoints in an export of Logflare's API, and what they are in savedq.
package logflare

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"savedq/internal/text/jsontext"
	"savedq/sqlq"
)

// MaxBytes limits an export.
const MaxBytes = 10 << 20

// object is a JSON object whose values are read one by one, so that a mistake in one endpoint does not
// concern the others.
type object map[string]json.RawMessage

// Read returns the endpoints in an export: a JSON list of objects, an object that holds the list under
// "endpoints" or "data", or one endpoint. file is its name for messages.
func Read(file string, data []byte) ([]*Endpoint, error) {
	data = bytes.TrimPrefix(data, []byte("\uFEFF")) // some editors write this mark
	objects, err := readObjects(data)
	if err != nil {
		return nil, located(file, string(data), err)
	}
	if len(objects) == 0 {
		return nil, &sqlq.FileError{File: file, Message: "holds no endpoints"}
	}
	endpoints := make([]*Endpoint, len(objects))
	for i, fields := range objects {
		endpoints[i] = newEndpoint(fields)
		if endpoints[i].WrittenName == "" {
			endpoints[i].WrittenName = fmt.Sprintf("(endpoint %d)", i+1)
		}
	}
	markDuplicates(endpoints)
	return endpoints, nil
}

func readObjects(data []byte) ([]object, error) {
	switch data = bytes.TrimSpace(data); {
	case len(data) == 0:
		return nil, errors.New("is empty; it must be the JSON that Logflare's API returns for your endpoints")
	case len(data) > MaxBytes:
		return nil, fmt.Errorf("is larger than %d MB; split it", MaxBytes>>20)
	case !jsontext.IsWellFormed(string(data)):
		return nil, errors.New("is not valid UTF-8, or escapes half of a character")
	}
	var value any
	if err := json.Unmarshal(data, &value); err != nil {
		return nil, err
	}
	if whole, isObject := value.(map[string]any); isObject {
		var fields object
		if err := json.Unmarshal(data, &fields); err != nil {
			return nil, err
		}
		switch {
		case whole["endpoints"] != nil:
			return readObjects(fields["endpoints"])
		case whole["data"] != nil:
			return readObjects(fields["data"])
		case whole["query"] == nil && whole["name"] == nil:
			return nil, errors.New(`is a JSON object without "name" and "query"; an export is a list of endpoints`)
		}
		return []object{fields}, nil
	}
	elements, isList := value.([]any)
	if !isList {
		return nil, errors.New("is JSON, but not a list of endpoints")
	}
	for i, element := range elements {
		if _, isObject := element.(map[string]any); !isObject {
			return nil, fmt.Errorf("entry %d of the list is not a JSON object; each entry must be an endpoint", i+1)
		}
	}
	var objects []object
	return objects, json.Unmarshal(data, &objects)
}

// located returns an error with its place in the file.
func located(file, text string, err error) error {
	mistake := &sqlq.FileError{File: file, Message: err.Error()}
	var syntax *json.SyntaxError
	if errors.As(err, &syntax) {
		mistake.Message = "is not JSON: " + syntax.Error()
		mistake.Line, mistake.Column = sqlq.LineAndColumn(text, max(0, int(syntax.Offset)-1))
	}
	return mistake
}

// markDuplicates rejects endpoints whose name or id an earlier one has.
func markDuplicates(endpoints []*Endpoint) {
	names, ids := make(map[string]*Endpoint), make(map[string]*Endpoint)
	for _, endpoint := range endpoints {
		if first := names[endpoint.Name]; endpoint.Name != "" && first != nil {
			endpoint.rejectf("an endpoint before it (%s) has the name %s, too; rename one", first.WrittenName, endpoint.Name)
			continue
		}
		if first := ids[endpoint.Token]; endpoint.Token != "" && first != nil {
			endpoint.rejectf("an endpoint before it (%s) has the same token", first.WrittenName)
			continue
		}
		names[endpoint.Name], ids[endpoint.Token] = endpoint, endpoint
	}
}

// ReadAll reads an export from a reader, up to one byte more than it can have.
func ReadAll(r io.Reader) ([]byte, error) { return io.ReadAll(io.LimitReader(r, MaxBytes+1)) }
