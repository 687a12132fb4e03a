package runner

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"strconv"

	"savedq/sqlq"
)

// Reasons why a field is no part of a key.
const (
	forPeople   = "people read it"
	forMessages = "it is for messages"
	inPrefix    = "the prefix has it"
	inSQL       = "the SQL has it"
	inArguments = "the arguments have what follows from it"
	ofEntries   = "it is about entries, not about their rows"
	ofOthers    = "SQL of callers has a definition of its own"
	ofSenders   = "it is about events that are sent"
	ofNames     = "it is how callers name the saved query, or what interfaces make of it"
)

// unkeyed returns the fields of a definition that cannot change the rows or their meaning, with the reason. All others
// are a part of the key, so that a new field cannot be forgotten (D29).
func unkeyed(definition reflect.Type) map[string]string {
	switch definition {
	case reflect.TypeFor[sqlq.SavedQuery]():
		return map[string]string{
			"ID": inPrefix, "Engine": inPrefix, "Name": ofNames, "Aliases": ofNames, "Tool": ofNames, "Extension": ofNames, "Description": forPeople, "Deprecated": forPeople,
			"Cache": ofEntries, "Warm": ofEntries, "Alerts": ofEntries, "Sandboxed": ofOthers, "CallersReadLogs": ofOthers, "CallersAskServer": ofOthers, "Callers": inSQL, "Translation": inSQL,
			"SQLFile": forMessages, "Place": forMessages, "Marks": forMessages, "Shipped": forMessages,
		}
	case reflect.TypeFor[sqlq.Param]():
		return map[string]string{
			"Description": forPeople, "Deprecated": forPeople, "Required": inArguments, "Default": inArguments, "Allowed": inArguments, "Fallback": inArguments, "Pattern": inArguments,
			"pattern": inArguments, "PatternMessage": forMessages, "Regex": inArguments, "BoundPattern": inArguments, "MaxLength": inArguments, "Min": inArguments, "Max": inArguments,
			"MaxItems": inArguments, "Scope": inArguments, "Extension": ofNames,
		}
	case reflect.TypeFor[sqlq.Column]():
		return map[string]string{"Description": forPeople, "Deprecated": forPeople, "Extension": ofNames, "Place": forMessages}
	case reflect.TypeFor[sqlq.Series]():
		return map[string]string{"Obstacles": forMessages}
	case reflect.TypeFor[sqlq.Table]():
		return map[string]string{"Description": forPeople, "Retention": ofSenders, "Members": inSQL, "Place": forMessages}
	case reflect.TypeFor[sqlq.Field]():
		return map[string]string{"Description": forPeople, "Place": forMessages}
	case reflect.TypeFor[sqlq.Files]():
		return map[string]string{"Place": forMessages}
	}
	return nil
}

// appendDefinition appends a definition to a text, in one way only: everything in it but what [unkeyed] leaves out.
func appendDefinition(text []byte, of reflect.Value) []byte {
	if table, isTable := reflect.TypeAssert[sqlq.Table](of); isTable && table.Shipped { // which is always the same
		return strconv.AppendQuote(append(text, "shipped "...), table.Name)
	}
	switch of.Kind() { //nolint:exhaustive // Definitions have no others, as a test ensures.
	case reflect.Struct:
		left := unkeyed(of.Type())
		text = append(text, '{')
		for i := range of.NumField() {
			field := of.Type().Field(i)
			if _, isLeft := left[field.Name]; !isLeft {
				text = append(appendDefinition(append(append(text, field.Name...), ':'), of.Field(i)), '\n')
			}
		}
		return append(text, '}')
	case reflect.Slice, reflect.Array:
		text = append(text, '[')
		for i := range of.Len() {
			text = append(appendDefinition(text, of.Index(i)), ',')
		}
		return append(text, ']')
	case reflect.Map:
		keys := of.MapKeys()
		slices.SortFunc(keys, func(a, b reflect.Value) int { return cmp.Compare(a.String(), b.String()) })
		text = append(text, '(')
		for _, key := range keys {
			text = append(appendDefinition(append(appendDefinition(text, key), '='), of.MapIndex(key)), ',')
		}
		return append(text, ')')
	case reflect.Pointer:
		if of.IsNil() {
			return append(text, "none"...)
		}
		return appendDefinition(append(text, '&'), of.Elem())
	case reflect.String:
		return strconv.AppendQuote(text, of.String())
	case reflect.Bool:
		return strconv.AppendBool(text, of.Bool())
	case reflect.Int, reflect.Int64:
		return strconv.AppendInt(text, of.Int(), 10)
	}
	panic(fmt.Sprintf("a definition has a %s", of.Type())) // a test finds it
}
