package logbody

import (
	"slices"
	"strings"

	"savedq/internal/text/jsontext"
)

// vercelFields are the fields of the entries of log drains.
func vercelFields() fields {
	return fields{own: []renaming{
		{"id", []string{"id"}},
		{"project", []string{"project", "projectName", "projectId"}},
		{"event_message", []string{"message"}},
		{"timestamp", []string{"timestamp"}},
	}}
}

// vercelEvent returns an entry of a log drain as savedq's event. One without a message is about a
// request, which becomes the message.
func vercelEvent(object jsontext.Value) []byte {
	event := vercelFields().rewrite(object)
	if proxy := object.Get("proxy"); object.Get("message").Text() == "" && proxy.Is('{') {
		agent := jsontext.Value(nil)
		for agent = range proxy.Get("userAgent").Elements() {
			break
		}
		summary := joined(proxy.Get("method").Text(), proxy.Get("statusCode").Text(), proxy.Get("clientIp").Text(),
			proxy.Get("host").Text()+proxy.Get("path").Text(), agent.Text())
		event = appendMember(event[:len(event)-1], "event_message", appendString(nil, summary))
		event = append(event, '}')
	}
	return event
}

// joined joins the texts that are not empty, as the messages of edge_logs do.
func joined(texts ...string) string {
	return strings.Join(slices.DeleteFunc(texts, func(text string) bool { return text == "" }), " | ")
}
