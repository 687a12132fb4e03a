package demo

import (
	"net/http"
	"time"
)

// longestExecution is where the platform ends a function, in milliseconds.
const longestExecution = 150_000

// functionInvocation writes the calls of functions (function_edge_logs), the
// records of functions.invocation-stats.
func functionInvocation(clients *clientele) func(*scene) string {
	return func(s *scene) string {
		function := s.project.functions.draw(s.dice)
		call := s.call(function)
		agents := &clients.servers
		if function.browser {
			agents = &clients.browsers
		}
		userAgent := agents.draw(s.dice).userAgent
		url := function.url + function.search

		fields := &s.metadata
		fields.text("deployment_id", function.deploymentID)
		fields.number("execution_time_ms", call.milliseconds)
		fields.text("function_id", function.id)
		fields.text("project_ref", s.project.name)
		fields.open("request")
		fields.open("headers")
		fields.text("accept", "*/*")
		fields.text("content_length", decimal(call.requestBytes))
		fields.text("host", function.host)
		fields.text("user_agent", userAgent)
		fields.close()
		fields.text("host", function.host)
		fields.text("method", call.method)
		fields.text("pathname", "/"+function.name)
		fields.text("protocol", "https:")
		if function.search != "" {
			fields.text("search", function.search)
		}
		fields.text("url", url)
		fields.close()
		fields.open("response")
		fields.open("headers")
		fields.text("content_length", decimal(call.responseBytes))
		fields.text("content_type", "application/json")
		fields.text("date", s.at.Format(http.TimeFormat))
		fields.text("server", "functions/eu-central-1")
		fields.close()
		fields.number("status_code", call.status)
		fields.close()
		fields.text("version", function.version)

		return call.method + " | " + decimal(call.status) + " | " + url
	}
}

// call is one invocation of a function.
type call struct {
	method                      string
	status                      int
	milliseconds                int
	requestBytes, responseBytes int
}

func (s *scene) call(function *function) call {
	if function.browser && function.method == http.MethodPost && s.dice.chance(0.1) {
		return call{
			method: http.MethodOptions, status: http.StatusOK,
			milliseconds: s.dice.between(1, 9), responseBytes: len("ok"),
		}
	}
	made := call{
		method:        function.method,
		status:        s.status(http.StatusOK, function.clientErrors, function.serverErrors),
		responseBytes: int(s.dice.logNormal(900, 0.8)),
	}
	if function.method == http.MethodPost {
		made.requestBytes = int(s.dice.logNormal(600, 0.9))
	}
	made.milliseconds = s.executionTime(function, made.status)
	return made
}

// executionTime returns a log-normal time with the heavy tail that waiting for
// others gives, and with the boot of an instance where the call met none.
func (s *scene) executionTime(function *function, status int) int {
	milliseconds := s.dice.logNormal(function.median, function.spread) * s.slowdown()
	if s.dice.chance(0.008) {
		milliseconds *= 3 + 9*s.dice.Float64()
	}
	if s.dice.chance(function.cold) {
		milliseconds += s.dice.logNormal(function.coldStart, 0.3)
	}
	switch {
	case status == http.StatusGatewayTimeout:
		const patience = 10 * time.Second
		milliseconds += float64(patience.Milliseconds())
	case status >= http.StatusBadRequest && status < http.StatusInternalServerError:
		// A call that is refused has done only a part of its work.
		milliseconds *= 0.3
	}
	return min(max(int(milliseconds), 1), longestExecution)
}
