package logbody

import (
	"bytes"
	"strings"

	"savedq/internal/logs/logevent"
	"savedq/internal/text/jsontext"
	"savedq/sqlq"
)

// BulkItem is an action of a body of Elasticsearch's bulk API.
type BulkItem struct {
	// Action is create, index, update or delete.
	Action string
	// Index is the index that the action or the request names, and ID the id of the event or, without one, of the
	// document. Both may be empty.
	Index, ID string
	// Fault is why the document is rejected, or empty.
	Fault BulkFault
	// Reason says more about the fault.
	Reason string
}

// BulkFault is why a document is rejected.
type BulkFault string

// The faults.
const (
	// UnknownIndex means that neither the index nor the request names a source.
	UnknownIndex BulkFault = "unknown index"
	// DeniedIndex means that the caller may not send events of the source.
	DeniedIndex BulkFault = "denied index"
	// UnsupportedAction means that the action is not create or index.
	UnsupportedAction BulkFault = "unsupported action"
	// InvalidDocument means that the document is no event.
	InvalidDocument BulkFault = "invalid document"
)

// bulkFields are the fields of documents that become fields of the event.
func bulkFields() fields {
	return fields{own: []renaming{
		{"id", []string{"id"}},
		{"project", []string{"project"}},
		{"event_message", []string{"event_message", "message", "log", "msg"}},
		{"timestamp", []string{"@timestamp", "timestamp", "time"}},
	}}
}

// readBulk reads the actions of a bulk request and their documents.
func (c *collector) readBulk(body []byte) error {
	origins := make(map[string]*origin)
	for line := 1; len(body) > 0; line++ {
		var action, document []byte
		action, body = cutLine(body)
		if len(bytes.TrimSpace(action)) == 0 {
			continue
		}
		item, err := parseAction(action, line)
		if err != nil {
			return err
		}
		if item.Index == "" {
			item.Index = c.options.Index
		}
		if item.Action != "delete" {
			if len(body) == 0 {
				return sqlq.Errorf(sqlq.InvalidArgument, "the request body is truncated: the document of the action on line %d is missing", line)
			}
			document, body = cutLine(body)
			line++
		}
		from := origins[item.Index]
		if from == nil {
			found := c.originOf("the index", indexSources(item.Index)...)
			from = &found
			origins[item.Index] = from
		}
		if err := c.addBulk(item, from, document); err != nil {
			return err
		}
		if err := c.next(); err != nil {
			return err
		}
	}
	return nil
}

// addBulk adds the document of an action, or rejects it.
func (c *collector) addBulk(item BulkItem, from *origin, document []byte) error {
	events, rejected, denied := len(c.result.Events), len(c.result.Rejected), len(c.result.Denied)
	supported := item.Action == "create" || item.Action == "index"
	if supported {
		object, err := logevent.Object(document)
		if err != nil {
			c.readable++ // its action is
			c.reject(from.sentSource, document, err.Error())
		} else {
			event := bulkFields().rewrite(object)
			event = append(appendTexts(event[:len(event)-1], [][2]string{{"id", item.ID}}), '}')
			if err := c.addFrom(from, event, document); err != nil {
				return err
			}
		}
	} else {
		c.readable++
		c.reject(from.sentSource, document, "action: "+item.Action+" is not supported, because events do not change; use create or index")
	}
	switch {
	case len(c.result.Events) > events:
		item.ID = c.result.Events[events].ID
	case len(c.result.Denied) > denied:
		item.Fault, item.Reason = DeniedIndex, c.result.Denied[denied].Reason
	default:
		item.Fault, item.Reason = InvalidDocument, c.result.Rejected[rejected].Reason
		switch {
		case !supported:
			item.Fault = UnsupportedAction
		case from.rejection == item.Reason:
			item.Fault = UnknownIndex
		}
	}
	c.result.Items = append(c.result.Items, item)
	return nil
}

// cutLine returns the first line, without its end, and what follows.
func cutLine(body []byte) (line, rest []byte) {
	line, rest, _ = bytes.Cut(body, []byte{'\n'})
	return bytes.TrimSuffix(line, []byte{'\r'}), rest
}

// parseAction parses the line of an action, such as {"create":{"_index":"edge_logs","_id":"1"}}.
func parseAction(text []byte, line int) (BulkItem, error) {
	object, err := logevent.Object(text)
	if err != nil {
		return BulkItem{}, sqlq.Errorf(sqlq.InvalidArgument, "line %d of the request body must be an action of the bulk API, but it %s",
			line, strings.TrimPrefix(strings.TrimPrefix(err.Error(), "event: "), "it "))
	}
	var item BulkItem
	for member := range object.Members() {
		known := false
		for _, action := range []string{"create", "index", "update", "delete"} {
			known = known || member.Name == action
		}
		if !known || item.Action != "" || !member.Value.Is('{') {
			return BulkItem{}, badAction(line)
		}
		item = BulkItem{Action: member.Name, Index: textMember(member.Value, "_index"), ID: textMember(member.Value, "_id")}
	}
	if item.Action == "" {
		return BulkItem{}, badAction(line)
	}
	return item, nil
}

func badAction(line int) error {
	return sqlq.Errorf(sqlq.InvalidArgument, `line %d of the request body must be an action of the bulk API, an object with one of create, index, update and delete, such as {"create":{}}`, line)
}

// textMember returns a member as text: what is not a string as its JSON, and null as an empty string.
func textMember(object jsontext.Value, name string) string {
	value := object.Get(name)
	switch {
	case value.IsNull():
		return ""
	case value.Is('"'):
		return value.Text()
	}
	return string(value)
}

// indexSources returns what an index can name as the source: itself, what precedes a date or another part at its end, as
// in edge_logs-2026.11.28, and the dataset of a data stream, as in logs-edge_logs-default.
func indexSources(index string) []string {
	const longest = 255 // as in Elasticsearch
	if len(index) > longest {
		return []string{index}
	}
	names := []string{index}
	if dataset, isStream := strings.CutPrefix(index, "logs-"); isStream {
		names = append(names, dataset)
	}
	for _, name := range names {
		for end := strings.LastIndexByte(name, '-'); end > 0; end = strings.LastIndexByte(name[:end], '-') {
			names = append(names, name[:end])
		}
	}
	return names
}
