package resolvers

import (
	"context"

	"savedq/graph"
	"savedq/sqlq"
)

// tailedEvents is how many events one message has at most.
const tailedEvents = 200

// logsTail returns the messages of a subscription. The channel is closed when the context
// ends, which the transport explains to the client.
func (r *Resolver) logsTail(ctx context.Context, filter TailFilter) (<-chan *graph.LogsTailMessage, error) {
	if r.Tail == nil {
		return nil, sqlq.Errorf(sqlq.NotFound, "this server receives no events, so there are no logs to follow")
	}
	reader, err := r.Tail(ctx, filter)
	if err != nil {
		return nil, err
	}
	messages := make(chan *graph.LogsTailMessage)
	go func() {
		defer close(messages)
		defer reader.Close()
		message := &graph.LogsTailMessage{}
		for {
			select {
			case messages <- message:
			case <-ctx.Done():
				return
			}
			events, dropped, err := reader.Next(ctx, tailedEvents)
			if err != nil {
				return
			}
			message = &graph.LogsTailMessage{Events: events, Dropped: int64(dropped)}
		}
	}()
	return messages, nil
}

// valueOf returns the value of an optional argument; empty if it is null or absent.
func valueOf(text *string) string {
	if text == nil {
		return ""
	}
	return *text
}
