package graphqlhttp_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// injections are strings that break naive concatenation, and some that are not valid UTF-8.
func injections() map[string]string {
	return map[string]string{
		"empty":               "",
		"a quote":             `'`,
		"a double quote":      `"`,
		"backslashes":         `\\' \" \`,
		"a backtick":          "`",
		"a condition":         `' OR '1'='1`,
		"a comment":           `x' -- `,
		"a block comment":     `x'/*`,
		"a statement":         `x'; DROP TABLE edge_logs; --`,
		"a parameter":         `@project`,
		"another parameter":   `$project`,
		"a placeholder":       `? :project {project} %s %(project)s`,
		"a GraphQL end":       `") { id } } #`,
		"a block string":      `"""`,
		"a variable":          `$v`,
		"JSON":                `{"a":[null]}`,
		"a template":          `${7*7}{{7*7}}<%= 7*7 %>`,
		"HTML":                `<script>alert(1)</script>&amp;`,
		"NUL":                 "a\x00b",
		"control characters":  "\a\b\t\n\v\f\r\x1b\x7f",
		"line separators":     "\u2028\u2029\u0085",
		"a byte order mark":   "\ufeffp",
		"the other direction": "\u202eabc",
		"an emoji":            "👩‍👩‍👧",
		"a combined letter":   "e\u0301",
		"a replacement":       "\ufffd",
		"the last character":  "\U0010ffff",
		"percent":             `%00%27%2527`,
		"a line end":          "a\r\nX-Injected: b",
		"huge":                strings.Repeat("x'", 10_000),
		"no UTF-8":            "a\xff",
		"half a character":    "a\xc3",
		"a coded surrogate":   "\xed\xa0\xbd",
		"overlong":            "\xc0\xaf",
	}
}

// Every string reaches the saved query unchanged, however it is sent, or is rejected. So no
// string can become a part of the SQL or the document.
func TestInjection(t *testing.T) {
	t.Parallel()
	arguments := map[string]struct{ call, parameter string }{
		"project of invocationStats": {`invocationStats(project: %)`, "project"},
		"functionId":                 {`invocationStats(project: "p", functionId: %)`, "function_id"},
		"project of apiCounts":       {`apiCounts(project: %, interval: DAILY)`, "project"},
		"project of logs":            {`logs(project: %)`, "project"},
		"isoTimestampStart":          {`logs(project: "p", isoTimestampStart: %)`, "iso_timestamp_start"},
		"isoTimestampEnd":            {`logs(project: "p", isoTimestampEnd: %)`, "iso_timestamp_end"},
	}
	for argument, test := range arguments {
		for way, post := range waysToSend() {
			t.Run(argument+"/"+way, func(t *testing.T) {
				t.Parallel()
				runner, calls := recording(t)
				handler := newHandler(t, runner, silent())
				for name, text := range injections() {
					*calls = nil
					response := post(t, handler, test.call+" { timestamp }", typeOf(argument), text)
					if strings.ToValidUTF8(text, "") != text {
						assert.Equal(t, http.StatusBadRequest, response.Code, name)
						assert.Equal(t, "INVALID_ARGUMENT", errorsIn(t, response)[0].Extensions.Code, name)
						assert.Empty(t, *calls, name)
						continue
					}
					require.Equal(t, http.StatusOK, response.Code, "%s: %s", name, response.Body)
					require.Len(t, *calls, 1, name)
					assert.Equal(t, []string{text}, (*calls)[0].raw[test.parameter], name)
					assert.Empty(t, response.Header().Get("X-Injected"), name)
				}
			})
		}
	}
}

func typeOf(argument string) string {
	if strings.HasPrefix(argument, "iso") {
		return "Time"
	}
	return "String!"
}

// waysToSend send a selection with a string in place of its percent sign.
func waysToSend() map[string]func(t *testing.T, handler http.Handler, selection, typeName, text string) *httptest.ResponseRecorder {
	return map[string]func(t *testing.T, handler http.Handler, selection, typeName, text string) *httptest.ResponseRecorder{
		"as a literal": func(t *testing.T, handler http.Handler, selection, _, text string) *httptest.ResponseRecorder {
			t.Helper()
			return sendBody(t, handler, "{"+strings.Replace(selection, "%", quoted(text), 1)+"}", "{}")
		},
		"as a variable": func(t *testing.T, handler http.Handler, selection, typeName, text string) *httptest.ResponseRecorder {
			t.Helper()
			return sendBody(t, handler, "query($v: "+typeName+"){"+strings.Replace(selection, "%", "$v", 1)+"}", `{"v":`+quoted(text)+`}`)
		},
		"as a variable of GET": func(t *testing.T, handler http.Handler, selection, typeName, text string) *httptest.ResponseRecorder {
			t.Helper()
			query := url.Values{"query": {"query($v: " + typeName + "){" + strings.Replace(selection, "%", "$v", 1) + "}"}, "variables": {`{"v":` + quoted(text) + `}`}}
			return send(t, handler, http.MethodGet, "/graphql?"+query.Encode(), "")
		},
		"as a literal of GET": func(t *testing.T, handler http.Handler, selection, _, text string) *httptest.ResponseRecorder {
			t.Helper()
			query := url.Values{"query": {"{" + strings.Replace(selection, "%", quoted(text), 1) + "}"}}
			return send(t, handler, http.MethodGet, "/graphql?"+query.Encode(), "")
		},
	}
}

// quoted returns a string as a JSON string, which is a GraphQL string too. Bytes that are
// not UTF-8 are unchanged.
func quoted(text string) string {
	var out strings.Builder
	out.WriteByte('"')
	for i := range len(text) {
		switch b := text[i]; {
		case b == '"' || b == '\\':
			out.WriteString(`\` + string(b))
		case b < ' ':
			out.WriteString(`\u00` + string("0123456789abcdef"[b>>4]) + string("0123456789abcdef"[b&15]))
		default:
			out.WriteByte(b)
		}
	}
	return out.String() + `"`
}

// sendBody posts a body with a document, unchanged even if it is not UTF-8.
func sendBody(t *testing.T, handler http.Handler, document, variables string) *httptest.ResponseRecorder {
	t.Helper()
	return send(t, handler, http.MethodPost, "/graphql", `{"query":`+quoted(document)+`,"variables":`+variables+`}`, "Content-Type", "application/json")
}

// Escapes are decoded to their characters, or rejected.
func TestEscapes(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		body, want string
	}{
		"a surrogate pair in a variable":     {`{"query":"query($v:String!){logs(project:$v){id}}","variables":{"v":"\ud83d\ude00"}}`, "😀"},
		"escaped backslashes":                {`{"query":"query($v:String!){logs(project:$v){id}}","variables":{"v":"\\ud83d"}}`, `\ud83d`},
		"an unpaired high surrogate":         {`{"query":"query($v:String!){logs(project:$v){id}}","variables":{"v":"\ud83d"}}`, ""},
		"an unpaired low surrogate":          {`{"query":"query($v:String!){logs(project:$v){id}}","variables":{"v":"\ude00"}}`, ""},
		"surrogates in wrong order":          {`{"query":"query($v:String!){logs(project:$v){id}}","variables":{"v":"\ude00\ud83d"}}`, ""},
		"an unpaired surrogate at the end":   {`{"query":"query($v:String!){logs(project:$v){id}}","variables":{"v":"\ud83dx"}}`, ""},
		"a letter in a literal":              {`{"query":"{logs(project:\"\\u00e9\"){id}}"}`, "é"},
		"a surrogate pair in a literal":      {`{"query":"{logs(project:\"\\ud83d\\ude00\"){id}}"}`, "😀"},
		"braces in a literal":                {`{"query":"{logs(project:\"\\u{61}\"){id}}"}`, "a"},
		"an unpaired surrogate in braces":    {`{"query":"{logs(project:\"\\u{d83d}\"){id}}"}`, ""},
		"an unpaired surrogate in a comment": {`{"query":"{logs(project:\"a\"){id}} # \"\\ud83d"}`, "a"},
		"an unpaired surrogate in a block":   {`{"query":"{logs(project:\"\"\"\\ud83d\"\"\"){id}}"}`, `\ud83d`},
		"an unpaired surrogate in a literal": {`{"query":"{logs(project:\"\\ud83d\"){id}}"}`, ""},
		"backslashes in a literal":           {`{"query":"{logs(project:\"\\\\ud83d\"){id}}"}`, `\ud83d`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			runner, calls := recording(t)
			response := send(t, newHandler(t, runner, silent()), http.MethodPost, "/graphql", test.body, "Content-Type", "application/json")
			if test.want == "" {
				require.Len(t, errorsIn(t, response), 1)
				assert.Equal(t, "INVALID_ARGUMENT", errorsIn(t, response)[0].Extensions.Code)
				assert.Empty(t, *calls)
				return
			}
			require.Len(t, *calls, 1, response.Body)
			assert.Equal(t, []string{test.want}, (*calls)[0].raw["project"])
		})
	}
}

// A string is never a value of an enum, and is not repeated in the error.
func TestInjectionIntoEnums(t *testing.T) {
	t.Parallel()
	for argument, test := range map[string]struct{ call, typeName string }{
		"interval of invocationStats": {`invocationStats(project: "p", interval: %)`, "InvocationInterval"},
		"interval of apiCounts":       {`apiCounts(project: "p", interval: %)`, "ApiCountInterval!"},
		"projectTier":                 {`logs(project: "p", projectTier: %)`, "ProjectTier"},
	} {
		for way, post := range waysToSend() {
			t.Run(argument+"/"+way, func(t *testing.T) {
				t.Parallel()
				runner, calls := recording(t)
				handler := newHandler(t, runner, silent())
				for name, text := range injections() {
					response := post(t, handler, test.call+" { timestamp }", test.typeName, text)
					found := errorsIn(t, response)
					require.NotEmpty(t, found, name)
					assert.Equal(t, "INVALID_ARGUMENT", found[0].Extensions.Code, name)
					assert.Empty(t, *calls, name)
					if len(text) > len(`") { id } } #`) {
						encoded, err := json.Marshal(text)
						require.NoError(t, err)
						assert.NotContains(t, response.Body.String(), strings.Trim(string(encoded), `"`), name)
					}
				}
			})
		}
	}
}
