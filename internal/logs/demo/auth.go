package demo

import (
	"net/http"
	"time"
)

// authLine writes the log lines of the authentication server (auth_logs), which
// repeat themselves as JSON in the message.
func authLine() func(*scene) string {
	type line struct {
		method, path, message string
		// action is what an audit event records; empty where there is none.
		action, provider string
		median           float64
	}
	var lines weighted[line]
	lines.add(8, line{method: "GET", path: "/user", message: "request completed", median: 9})
	lines.add(5, line{method: "POST", path: "/token", message: "request completed", action: "token_refreshed", provider: "email", median: 24})
	lines.add(4, line{method: "POST", path: "/token", message: "request completed", action: "login", provider: "email", median: 110})
	lines.add(2, line{method: "GET", path: "/callback", message: "request completed", action: "login", provider: "github", median: 240})
	lines.add(1, line{method: "POST", path: "/signup", message: "request completed", action: "user_signedup", provider: "email", median: 180})
	lines.add(1, line{method: "POST", path: "/logout", message: "request completed", action: "logout", provider: "email", median: 14})
	lines.add(1, line{method: "POST", path: "/token", message: "invalid refresh token", median: 12})

	return func(s *scene) string {
		line := lines.draw(s.dice)
		clientErrors := 0.02
		if line.message == "invalid refresh token" {
			clientErrors = 1
		}
		status := s.status(http.StatusOK, clientErrors, serverErrors)
		level := "info"
		switch {
		case status >= http.StatusInternalServerError:
			level = "error"
		case status >= http.StatusBadRequest:
			level = "warning"
		}
		address, moment := s.dice.address(), s.at.Format(time.RFC3339)
		microseconds := int64(s.dice.logNormal(line.median*1000, 0.4) * s.slowdown())
		duration := (time.Duration(microseconds) * time.Microsecond).String()
		requestID, userID := s.dice.uuid(), s.dice.uuid()

		fields := &s.metadata
		if line.action != "" && status == http.StatusOK {
			fields.open("auth_event")
			fields.text("action", line.action)
			fields.text("actor_id", userID)
			fields.text("actor_username", "user-"+userID[:4]+"@example.com")
			fields.flag("actor_via_sso", false)
			fields.text("log_type", "account")
			fields.open("traits")
			fields.text("provider", line.provider)
			fields.close()
			fields.close()
		}
		fields.text("component", "api")
		fields.text("duration", duration)
		fields.text("host", s.project.databaseHost)
		fields.text("level", level)
		fields.text("method", line.method)
		fields.text("msg", line.message)
		fields.text("path", line.path)
		fields.text("project", s.project.name)
		fields.text("referer", "https://app.example.com/")
		fields.text("remote_addr", address)
		fields.text("request_id", requestID)
		fields.text("status", decimal(status))
		fields.text("timestamp", moment)

		return `{"component":"api","duration":"` + duration + `","level":"` + level + `","method":"` + line.method +
			`","msg":"` + line.message + `","path":"` + line.path + `","remote_addr":"` + address +
			`","request_id":"` + requestID + `","status":` + decimal(status) + `,"time":"` + moment + `"}`
	}
}
