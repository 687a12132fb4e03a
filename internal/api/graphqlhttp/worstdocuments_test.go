package graphqlhttp_test

import (
	"strconv"
	"strings"
)

// introspectionQuery is the query of GraphiQL and code generators.
const introspectionQuery = `query IntrospectionQuery { __schema { description queryType { name kind } mutationType { name kind } subscriptionType { name kind }
  types { ...FullType } directives { name description isRepeatable locations args(includeDeprecated: true) { ...InputValue } } } }
fragment FullType on __Type { kind name description specifiedByURL isOneOf
  fields(includeDeprecated: true) { name description args(includeDeprecated: true) { ...InputValue } type { ...TypeRef } isDeprecated deprecationReason }
  inputFields(includeDeprecated: true) { ...InputValue } interfaces { ...TypeRef }
  enumValues(includeDeprecated: true) { name description isDeprecated deprecationReason } possibleTypes { ...TypeRef } }
fragment InputValue on __InputValue { name description type { ...TypeRef } defaultValue isDeprecated deprecationReason }
fragment TypeRef on __Type { kind name ofType { kind name ofType { kind name ofType { kind name ofType { kind name ofType { kind name ofType { kind name
  ofType { kind name ofType { kind name ofType { kind name } } } } } } } } } }`

// numbered repeats a format with the numbers from 0.
func numbered(count int, form string) string {
	var text strings.Builder
	for i := range count {
		text.WriteString(strings.ReplaceAll(form, "%", strconv.Itoa(i)))
	}
	return text.String()
}

// chained is like numbered, and replaces each ampersand with the next number.
func chained(count int, form string) string {
	var text strings.Builder
	for i := range count {
		text.WriteString(strings.NewReplacer("%", strconv.Itoa(i), "&", strconv.Itoa(i+1)).Replace(form))
	}
	return text.String()
}

// worstDocuments are documents that reach or far exceed the default limits, each in a way
// that makes some part of reading a document slow.
func worstDocuments() map[string]string {
	const kilobytes = 60 << 10
	return map[string]string{
		"introspection":           introspectionQuery,
		"introspection, repeated": "{__schema{types{" + numbered(29, "a%:fields(includeDeprecated:true){type{fields(includeDeprecated:true){name type{name}}}} ") + "}}}",
		"all types of all types":  "{__schema{types{" + "fields(includeDeprecated:true){args{type{kind name}} type{kind name fields{args{name type{kind name}} type{kind name ofType{kind name}}}}} inputFields{type{fields{name}}} interfaces{fields{name}} possibleTypes{fields{name}}}}}",
		"inline fragments within": "{endpoints{" + strings.Repeat("name ...{", 390) + "name" + strings.Repeat("}", 392),
		"fragments within":        "{endpoints{" + numbered(190, "...f% ") + "}}" + numbered(190, "fragment f% on QueryEndpoint{name}"),
		"one field again":         "{endpoints{" + strings.Repeat("name ", 990) + "}}",
		"one object again":        "{" + strings.Repeat("...{__schema{types{name}}} ", 240) + "}",
		"one call again":          "{__schema{types{" + strings.Repeat("fields(includeDeprecated:true){name} ", 220) + "}}}",
		"unknown fields":          "{endpoints{" + numbered(990, "descriptio% ") + "}}",
		"unknown arguments":       "{endpoint(" + numbered(660, "nam%:1 ") + "){name}}",
		"unknown types":           "query(" + numbered(490, "$a%:Strin") + "){endpoints{name}}",
		"unknown fragments":       "{" + numbered(990, "...f% ") + "}",
		"unknown directives":      "{__typename" + numbered(990, "@ski% ") + "}",
		"variables":               "query(" + numbered(280, "$a%:Strin ") + "){endpoint(" + numbered(280, "a%:$a% ") + "){name}}",
		"inline fragments":        "{" + strings.Repeat("__typename ...{", 390) + "__typename" + strings.Repeat("}", 391),
		"fragments":               "{" + numbered(200, "...f% ") + "}" + numbered(200, "fragment f% on Query{__typename}"),
		"fragments in fragments":  "{...f0}" + chained(40, "fragment f% on Query{...f& ...f&}") + "fragment f40 on Query{__typename}",
		"fragments under types":   "{__type(name:\"Time\"){...f0}}" + chained(8, "fragment f% on __Type{ofType{name ...f&} ofType{name ...f&}}") + "fragment f8 on __Type{name}",
		"operations":              numbered(150, "query a%{...f}") + "fragment f on Query{__typename __typename __typename __typename __typename}",
		"long operations":         numbered(150, "query a%{...f}") + "fragment f on Query{" + strings.Repeat("__typename ", 800) + "}",
		"a long name":             "{" + strings.Repeat("a", kilobytes) + "}",
		"a long argument":         "{logs(" + strings.Repeat("a", kilobytes) + ":1){id}}",
		"a long type":             "query($a:" + strings.Repeat("a", kilobytes) + "){endpoints{name}}",
		"a long value":            `{apiCounts(project:"p",interval:` + strings.Repeat("a", kilobytes) + "){timestamp}}",
		"a long string":           `{apiCounts(project:"` + strings.Repeat("é", kilobytes/2) + `",interval:DAILY){timestamp}}`,
		"many lines":              `{apiCounts(project:"""` + strings.Repeat("\n", kilobytes/2) + `""",interval:DAILY){timestamp}}`,
		"comments":                strings.Repeat("#\n", 1900) + "{__typename}",
		"commas":                  strings.Repeat(",", kilobytes) + "{__typename}",
		"lists":                   "{logs(project:" + strings.Repeat("[", 990) + strings.Repeat("]", 990) + "){id}}",
	}
}
