package logbody

import (
	"strings"

	"github.com/tidwall/gjson"

	"savedq/internal/logs/logevent"
)

// vercelFields are the fields of the entries of log drains.
func vercelFields() fields {
	return fields{
		id:        []string{"id"},
		timestamp: []string{"timestamp"},
		message:   []string{"message"},
		project:   []string{"project", "projectName", "projectId"},
	}
}

// addVercel adds an entry of a log drain. One without a message is about a request, which
// becomes the message.
func (c *collector) addVercel(raw []byte) {
	object, err := logevent.Object(raw)
	if err != nil {
		c.rejectError(c.options.Source, raw, err)
		return
	}
	event := vercelFields().rewrite(object)
	if proxy := object.Get("proxy"); object.Get("message").String() == "" && proxy.IsObject() {
		summary := joined(proxy.Get("method"), proxy.Get("statusCode"), proxy.Get("clientIp"),
			gjson.Result{Type: gjson.String, Str: proxy.Get("host").String() + proxy.Get("path").String()}, proxy.Get("userAgent.0"))
		event = appendMember(event[:len(event)-1], "event_message", appendString(nil, summary))
		event = append(event, '}')
	}
	c.add(c.options.Source, event, raw)
}

// joined joins the values that are not empty, as the messages of edge_logs do.
func joined(values ...gjson.Result) string {
	texts := make([]string, 0, len(values))
	for _, value := range values {
		if text := value.String(); text != "" {
			texts = append(texts, text)
		}
	}
	return strings.Join(texts, " | ")
}
