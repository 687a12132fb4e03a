package web_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/graph"
	"savedq/resolvers"
	"savedq/sqlq"
)

// tailReader reads the events of a test.
type tailReader struct{ events <-chan []graph.TailedEvent }

// lostEvent is the id of an event before which others were lost.
const lostEvent = "after-loss"

// follow returns a reader, unless the filter is for a project that the server rejects.
func follow(events <-chan []graph.TailedEvent, filter resolvers.TailFilter) (resolvers.TailReader, error) {
	if filter.Project == "forbidden" {
		denied := sqlq.Errorf(sqlq.PermissionDenied, "the token does not allow this project")
		denied.Param = "project"
		return nil, denied
	}
	return &tailReader{events}, nil
}

func (r *tailReader) Next(ctx context.Context, _ int) ([]graph.TailedEvent, int, error) {
	select {
	case events := <-r.events:
		if events[0].EventID == lostEvent {
			return events, 12345, nil
		}
		return events, 0, nil
	case <-ctx.Done():
		return nil, 0, ctx.Err()
	}
}

func (*tailReader) Close() {}

// The Logs page shows the events of all sources as they arrive.
func testLiveLogs(t *testing.T, b browser, site string, tailed chan<- []graph.TailedEvent) {
	t.Helper()
	send := func(events ...graph.TailedEvent) {
		t.Helper()
		select {
		case tailed <- events:
		case <-time.After(patience):
			require.Fail(t, "the page does not follow the logs")
		}
	}
	event := func(source, id, message, metadata string) graph.TailedEvent {
		return graph.TailedEvent{ID: source + ":" + id, EventID: id, Timestamp: time.Now(), Source: source, EventMessage: &message, Metadata: []byte(metadata)}
	}
	p := b.openPage(t, site)
	p.open("/logs?project=default")
	p.wait("document.querySelector('.log-row')")
	p.click(".segmented span", "Live")
	p.waitText(".age", "Connected")
	p.waitText(".list-count", "50 events, newest first") // those that are stored
	assert.Equal(t, "/logs?project=default&range=1d&live=1", p.address())
	p.pictures("live-begun")
	p.click("button", "Clear")
	p.waitText(".empty", "Waiting for events")
	p.picture("live-waiting")
	send(
		event("edge_logs", "1", "GET | 200 | /rest", `[{"request":[{"method":"GET","path":"/rest/v1/orders"}],"response":[{"status_code":200}]}]`),
		event("postgres_logs", "1", "connection authorized: user=app", `[{"parsed":[{"user":"app"}]}]`),
	)
	send(event("auth_logs", "3", "login of a user failed", `[{"level":"error"}]`))
	p.wait("document.querySelectorAll('.log-row').length === 3")
	assert.Equal(t, []string{"auth_logs", "postgres_logs", "edge_logs"}, eval[[]string](p, "[...document.querySelectorAll('.log-source')].map((e) => e.textContent)"), "newest first")
	p.click(".log-row", "")
	p.waitText(".tree", "level")
	send(event("realtime_logs", lostEvent, "joined the channel room:7", `[{"project":"default"}]`))
	p.waitText(".warning", "12,345 events arrived faster")
	p.wait("document.querySelectorAll('.log-row').length === 4 && document.querySelector('.log-details')") // what is open stays open
	p.pictures("live")

	p.click("button", "Pause")
	p.waitText(".age", "Paused")
	send(event("auth_logs", "paused-1", "login", ""), event("auth_logs", "paused-2", "login", ""))
	p.waitText(".new-events", "2 new")
	assert.Equal(t, 4, eval[int](p, "document.querySelectorAll('.log-row').length"), "pausing keeps what is shown")
	p.click("button", "Resume")
	p.waitText(".age", "Connected")
	p.wait("document.querySelectorAll('.log-row').length === 6 && !document.querySelector('.new-events')")

	// The entries being read do not move: scrolling pauses the tail, and new entries are counted.
	var many []graph.TailedEvent
	for i := range 60 {
		many = append(many, event("edge_logs", fmt.Sprintf("before-%d", i), "x", ""))
	}
	send(many...)
	p.waitText(".list-count", "66 events")
	eval[bool](p, "(document.querySelector('.log-scroll').scrollTop = 400, true)")
	p.waitText(".age", "Paused while scrolled")
	send(event("auth_logs", "scrolled", "login", ""))
	p.waitText(".new-events", "1 new")
	p.pictures("live-scrolled")
	p.click(".new-events", "")
	p.waitText(".age", "Connected")
	p.waitText(".list-count", "67 events")
	p.wait("document.querySelector('.log-scroll').scrollTop === 0")
	p.click("button", "Clear")
	p.wait("document.querySelectorAll('.log-row').length === 0")

	// The fields of the search, wherever the metadata has them.
	send(
		event("auth_logs", "fields-1", "login failed", `[{"method":"POST","path":"/token","status":401}]`),
		event("function_edge_logs", "fields-2", "called", `[{"request":[{"pathname":"/heartbeat","search":"?source=web"}]}]`),
		event("edge_logs", "fields-3", "not found", `[{"response":[{"status_code":"404"}]}]`),
	)
	p.wait("document.querySelectorAll('.log-row').length === 3")
	// An event without a status or a level keeps its place, so that texts begin in one line.
	assert.Equal(t, []string{"edge_logs 404 not found", "function_edge_logs  /heartbeat?source=web", "auth_logs 401 POST /token"},
		eval[[]string](p, "[...document.querySelectorAll('.log-row')].map((row) => [...row.children].slice(1).map((e) => e.textContent).join(' '))"))
	p.pictures("live-fields")
	p.click("button", "Clear")
	p.wait("document.querySelectorAll('.log-row').length === 0")

	p.fill(filterBar, "login source:auth_logs -level:debug\r")
	p.wait("location.search.includes('q=login+source%3Aauth_logs+-level%3Adebug')")
	// The first of these can still go to the subscription before, which is about to end.
	for attempt := 0; eval[int](p, "document.querySelectorAll('.log-row mark').length") == 0; attempt++ {
		require.Less(t, attempt, 100, "the events do not arrive")
		send(
			event("auth_logs", fmt.Sprintf("login-%d", attempt), "login of a user", ""),
			event("auth_logs", fmt.Sprintf("debug-%d", attempt), "login of another", `[{"level":"debug"}]`),
		)
		eval[bool](p, "new Promise((done) => setTimeout(() => done(true), 300))") // the page draws four times a second
	}

	assert.False(t, eval[bool](p, "document.body.textContent.includes('login of another')"), "what the filters exclude")

	events := make([]graph.TailedEvent, 0, 600)
	for i := range cap(events) {
		events = append(events, event("auth_logs", fmt.Sprintf("many-%d", i), "login", ""))
	}
	send(events...)
	p.waitText(".list-count", "500 events")

	p.fill(".field input", "forbidden\r")
	p.waitText(".field-problem", "The token does not allow this project")
	p.waitText(".field-failure", "PERMISSION_DENIED")
	p.waitText(".age", "Stopped")
	p.picture("live-forbidden")
	p.click(".segmented span", "Stored")
	p.wait("!location.search.includes('live')")
}
