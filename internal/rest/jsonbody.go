package rest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"unicode/utf8"

	"savedq/internal/jsontext"
)

// jsonExample shows callers what a JSON body looks like.
const jsonExample = `{"project":"acme"}`

// readJSON reads the parameters of a JSON object. Strings, numbers and booleans become
// their text, without loss of digits, and a list the texts of a repeated parameter. A
// parameter that is null is absent. A value that has no text is a fault of its parameter,
// so that it is ignored if the saved query does not declare the parameter (D8).
func readJSON(body []byte) (requestParams, error) {
	if !jsontext.IsWellFormed(string(body)) {
		return requestParams{}, reject(http.StatusBadRequest, "the request body must be valid UTF-8, without escapes of unpaired surrogates")
	}
	var whole json.RawMessage
	if err := json.Unmarshal(body, &whole); err != nil {
		return requestParams{}, rejectSyntax(body, err)
	}
	decoder := json.NewDecoder(bytes.NewReader(body))
	if token, err := decoder.Token(); err != nil || token != json.Delim('{') {
		return requestParams{}, reject(http.StatusBadRequest, "the request body must be a JSON object of parameters, such as %s", jsonExample)
	}
	params := requestParams{values: make(map[string][]string)}
	seen := make(map[string]bool)
	for decoder.More() {
		start := decoder.InputOffset()
		token, err := decoder.Token()
		name, isString := token.(string)
		var value json.RawMessage
		if err != nil || !isString || decoder.Decode(&value) != nil { // cannot happen: the syntax is valid
			return requestParams{}, reject(http.StatusBadRequest, "the request body is not valid JSON")
		}
		if seen[name] {
			return requestParams{}, reject(http.StatusBadRequest, "%s: is given twice in the request body, again at %s; give it once",
				name, position(body, keyOffset(body, int(start))))
		}
		seen[name] = true
		if texts, fault := jsontext.Texts(value); fault != "" {
			params.setFault(name, fault)
		} else if texts != nil {
			params.values[name] = texts
		}
	}
	return params, nil
}

// rejectSyntax rejects text that is not JSON, with the position of the mistake.
func rejectSyntax(body []byte, err error) error {
	syntax := new(json.SyntaxError)
	if !errors.As(err, &syntax) { // cannot happen: any valid JSON fits
		return reject(http.StatusBadRequest, "the request body is not valid JSON; send an object such as %s", jsonExample)
	}
	offset, reason := int(syntax.Offset)-1, syntax.Error()
	if strings.HasPrefix(reason, "unexpected end") {
		offset, reason = len(body), "unexpected end"
	}
	return reject(http.StatusBadRequest, "the request body is not valid JSON at %s: %s; send an object such as %s",
		position(body, offset), reason, jsonExample)
}

// keyOffset returns the offset of the key that follows an offset, after a comma and blanks.
func keyOffset(body []byte, offset int) int {
	return offset + bytes.IndexByte(body[offset:], '"')
}

// position returns the line and the column of an offset, counted from 1, in characters.
func position(body []byte, offset int) string {
	before := body[:min(max(offset, 0), len(body))]
	line := bytes.Count(before, []byte{'\n'}) + 1
	column := utf8.RuneCount(before[bytes.LastIndexByte(before, '\n')+1:]) + 1
	return fmt.Sprintf("line %d, column %d", line, column)
}
