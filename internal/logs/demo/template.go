package demo

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// part appends its text for a scene to a buffer.
type part func(s *scene, text []byte) []byte

// template is a compiled template of events.yaml. text/template would make a week of
// events take several times as long.
type template []part

func (t template) appendTo(text []byte, s *scene) []byte {
	for _, part := range t {
		text = part(s, text)
	}
	return text
}

// compiler makes the templates of a script.
type compiler struct {
	script  *script
	values  map[string]bool // the names of all streams' values
	pattern *regexp.Regexp
}

func newCompiler(script *script) *compiler {
	c := &compiler{script: script, values: make(map[string]bool), pattern: regexp.MustCompile(`(?s)\$\{(.*?)\}|<<(.*?)>>`)}
	for _, stream := range script.Streams {
		for _, value := range stream.Values {
			c.values[fmt.Sprint(value.Key)] = true
		}
	}
	return c
}

func (c *compiler) compile(text string) (template, error) {
	var compiled template
	end := 0
	for _, match := range c.pattern.FindAllStringSubmatchIndex(text, -1) {
		if literal := text[end:match[0]]; literal != "" {
			compiled = append(compiled, appendLiteral(literal))
		}
		end = match[1]
		var next part
		var err error
		if match[2] >= 0 {
			next, err = c.expression(text[match[2]:match[3]])
		} else {
			next, err = c.optional(text[match[4]:match[5]])
		}
		if err != nil {
			return nil, err
		}
		compiled = append(compiled, next)
	}
	if end < len(text) {
		compiled = append(compiled, appendLiteral(text[end:]))
	}
	return compiled, nil
}

func appendLiteral(literal string) part {
	return func(_ *scene, text []byte) []byte { return append(text, literal...) }
}

// optional returns a part that appends nothing if one of its own parts is empty.
func (c *compiler) optional(section string) (part, error) {
	compiled, err := c.compile(section)
	return func(s *scene, text []byte) []byte {
		start := len(text)
		for _, part := range compiled {
			before := len(text)
			if text = part(s, text); len(text) == before {
				return text[:start]
			}
		}
		return text
	}, err
}

// expression returns the part of what stands in ${…}.
func (c *compiler) expression(expression string) (part, error) {
	if c.values[expression] {
		return func(s *scene, text []byte) []byte { return append(text, s.values[expression]...) }, nil
	}
	name, argument, _ := strings.Cut(expression, " ")
	if table, column, ok := strings.Cut(name, "."); ok {
		return c.column(table, column)
	}
	var first, second float64
	_, _ = fmt.Sscan(argument, &first, &second) // some arguments are no numbers
	parts := map[string]part{
		"between": func(s *scene, text []byte) []byte { return appendNumber(text, s.dice.between(int(first), int(second))) },
		"hex":     func(s *scene, text []byte) []byte { return append(text, s.dice.hex(int(first))...) },
		"uuid":    func(s *scene, text []byte) []byte { return append(text, s.dice.uuid().String()...) },
		"address": func(s *scene, text []byte) []byte { return append(text, s.dice.address()...) },
		"log_normal": func(s *scene, text []byte) []byte {
			return appendNumber(text, int(s.dice.logNormal(first, second)))
		},
		"time":         func(s *scene, text []byte) []byte { return s.time.AppendFormat(text, argument) },
		"microseconds": func(s *scene, text []byte) []byte { return appendNumber(text, int(s.time.UnixMicro())) },
		"status":       func(s *scene, text []byte) []byte { return appendNumber(text, s.outcome.status) },
		"level":        func(s *scene, text []byte) []byte { return append(text, s.outcome.level()...) },
		"milliseconds": func(s *scene, text []byte) []byte {
			return appendNumber(text, max(int(s.outcome.duration.Milliseconds()), 1))
		},
		"duration": func(s *scene, text []byte) []byte { return append(text, s.outcome.duration.String()...) },
		"ok": func(s *scene, text []byte) []byte {
			if s.outcome.failed() {
				return text
			}
			return append(text, argument...)
		},
	}
	if found, ok := parts[name]; ok {
		return found, nil
	}
	return nil, fmt.Errorf("unknown template ${%s}", expression)
}

// column returns the part of a column of the row that was drawn from a table.
func (c *compiler) column(table, column string) (part, error) {
	for _, row := range c.script.Tables[table] {
		if _, found := row.texts[column]; found {
			return func(s *scene, text []byte) []byte { return s.rows[table].cells[column].appendTo(text, s) }, nil
		}
	}
	return nil, fmt.Errorf("no row of the table %q has the column %q", table, column)
}

func appendNumber(text []byte, number int) []byte { return strconv.AppendInt(text, int64(number), 10) }
