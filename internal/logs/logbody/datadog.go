package logbody

import (
	"strings"

	"savedq/internal/logs/logevent"
	"savedq/internal/text/jsontext"
)

// datadogFields are the fields of Datadog's log entries.
func datadogFields() fields {
	return fields{own: []renaming{
		{"id", []string{"id"}},
		{"project", []string{"project"}},
		{"event_message", []string{"message", "event_message", "msg"}},
		{"timestamp", []string{"timestamp", "@timestamp", "date"}},
	}}
}

// addDatadog adds a log entry. An empty object is what the agent sends to test the address.
func (c *collector) addDatadog(raw []byte) error {
	object, err := logevent.Object(raw)
	switch {
	case err != nil:
		c.rejectError(c.requestSource(), raw, err)
		return nil
	case isEmpty(object):
		c.tests++
		return nil
	}
	object = c.withMembers(object)
	tags := object.Get("ddtags")
	from := c.originOf("the tag source, service or ddsource", tagOf(tags, sourceAttribute), object.Get("service").Text(), object.Get("ddsource").Text())
	event := datadogFields().rewrite(object)
	if project := tagOf(tags, projectAttribute); project != "" && object.Get(projectAttribute).IsNull() {
		event = append(appendTexts(event[:len(event)-1], [][2]string{{projectAttribute, project}}), '}')
	}
	return c.addFrom(&from, event, raw)
}

// withMembers returns an entry to which the [Options.Members] that it lacks are added.
func (c *collector) withMembers(object jsontext.Value) jsontext.Value {
	if len(c.options.Members) == 0 {
		return object
	}
	extended := append(make([]byte, 0, 2*len(object)), object[:len(object)-1]...)
	for _, member := range c.options.Members {
		if object.Get(member[0]).IsNull() {
			extended = append(extended, ',') // the object is not empty
			extended = append(appendString(extended, member[0]), ':')
			extended = appendString(extended, member[1])
		}
	}
	return append(extended, '}')
}

// tagOf returns the value of the first tag with a name in a text such as "env:prod,project:acme", or in a list of such texts.
func tagOf(tags jsontext.Value, name string) string {
	if tags.Is('[') {
		for element := range tags.Elements() {
			if element.Is('"') {
				if value := tagOf(element, name); value != "" {
					return value
				}
			}
		}
		return ""
	}
	for tag := range strings.SplitSeq(tags.Text(), ",") {
		if value, found := strings.CutPrefix(strings.TrimSpace(tag), name+":"); found {
			return value
		}
	}
	return ""
}
