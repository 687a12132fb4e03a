package eventrow_test

import (
	"bytes"
	"encoding/json"
	"iter"
	"math/rand/v2"
	"strings"

	"savedq/internal/logs/logevent"
	"savedq/sqlq"
)

// events yields random events of all sources, the same in each run. Their metadata has the paths that rows read, and odd
// values.
func events(count int) iter.Seq2[*sqlq.Table, logevent.Event] {
	return func(yield func(*sqlq.Table, logevent.Event) bool) {
		random, sources := &generator{rand.New(rand.NewPCG(1, 2))}, all()
		for range count {
			event := logevent.Event{ID: "1", Timestamp: noon()}
			if random.IntN(4) > 0 {
				event.Project = new(pick(random, "customer-0001", "", "ä", "a\x00b", strings.Repeat("long ", 40)))
			}
			if random.IntN(20) > 0 {
				event.Metadata = random.metadata()
			}
			if !yield(pick(random, sources...), event) {
				return
			}
		}
	}
}

type generator struct{ *rand.Rand }

func pick[T any](random *generator, from ...T) T { return from[random.IntN(len(from))] }

// metadata returns a list of objects, usually of one.
func (g *generator) metadata() json.RawMessage {
	var elements []string
	for range pick(g, 0, 1, 1, 1, 1, 1, 2, 3) {
		elements = append(elements, g.object(0))
	}
	text := []byte("[" + strings.Join(elements, ",") + "]")
	if g.IntN(10) == 0 { // also with white space
		var indented bytes.Buffer
		if json.Indent(&indented, text, " ", "\t") == nil {
			return append([]byte("\n "), indented.Bytes()...)
		}
	}
	return text
}

// object returns an object in a number of others.
func (g *generator) object(depth int) string {
	names := []string{
		"response", "response", "request", "request", "parsed", "status", "method", "path", "pathname", "level", "status_code", "error_severity",
		"project", "project", "project_ref", "project_ref", "shop", "shop", "function_id", "execution_time_ms", "url", "total", "a", "b", "", "other",
	}
	var members []string
	for range g.IntN(12) {
		name := pick(g, names...)
		var value string
		switch nests := name == "response" || name == "request" || name == "parsed" || name == "a" || name == "b"; {
		case nests && g.IntN(5) > 0:
			value = g.list(depth)
		default:
			value = g.value(depth)
		}
		if g.IntN(15) == 0 && name != "" { // the same name, spelled in another way
			name = strings.Replace(name, name[:1], `\u00`+hex(name[0]), 1)
		}
		members = append(members, `"`+name+`":`+value)
	}
	return "{" + strings.Join(members, ",") + "}"
}

func hex(char byte) string {
	const digits = "0123456789aBcDeF"
	return string([]byte{digits[char>>4], digits[char&15]})
}

// list returns a list, usually of one object.
func (g *generator) list(depth int) string {
	var elements []string
	for range pick(g, 0, 1, 1, 1, 1, 1, 2, 3) {
		if depth > 2 || g.IntN(6) == 0 {
			elements = append(elements, g.value(depth+1))
		} else {
			elements = append(elements, g.object(depth+1))
		}
	}
	return "[" + strings.Join(elements, ",") + "]"
}

func (g *generator) value(depth int) string {
	switch g.IntN(10) {
	case 0:
		return pick(g, "true", "false", "null", "null", "[]", "{}", "[[]]", "[null]", `[[{"status_code":200}]]`, `{"method":"no list"}`)
	case 1:
		if depth < 3 {
			return g.list(depth)
		}
	case 2, 3, 4, 5:
		return pick(g, "200", "404", "500", "99", "1000", "99e0", "0", "-0", "-0.0", "0.0", "1e2", "2E+2", "200.0", "404.00", "399.9", "1.50", "5e-324", "1e-400", "-1e-400", "1.5e-6", "1.5e-7",
			"1e20", "1e21", "1e22", "123456789.125", "1e300", "1e999", "-1e999", "9007199254740993", "9223372036854775807", "9223372036854775808", "18446744073709551615", "18446744073709551616",
			"-9223372036854775808", "-9223372036854775809", "123456789012345678901234567890", "123456789012345678901234567890e0", "0.1", "100e-1", "20000e-2", "200.00000000000000001", "-200")
	}
	return pick(g, `"200"`, `"404.0"`, `"404.00"`, `"404."`, `"404.01"`, `"099"`, `"1000"`, `"200\n"`, `" 200"`, `""`, `"null"`, `"GET"`, `"POST"`, `"error"`, `"WARNING"`, `"/rest/v1/todos?a=b"`, `"\/rest\/v1"`,
		`"\u0000"`, `"a\u0000b"`, `"é"`, `"\u00e9\ud83d\ude00"`, `"😀"`, `"a\"b\\c\/\b\f\n\r\t\u001f\u007f"`, `"[]{},:"`, `"\\"`, `"customer-0001"`, `"customer-0002"`, `"customer-0003"`, `"\u0034\u0030\u0034"`,
		`"`+strings.Repeat("x", 300)+`"`, `"<&>\u2028"`)
}
