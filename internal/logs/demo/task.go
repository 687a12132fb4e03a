package demo

import (
	"net/http"
	"time"
)

const (
	// During an incident everything takes troubleSlowdown times as long, and
	// troubleErrors of all tasks fail beyond the usual ones.
	troubleSlowdown = 5
	troubleErrors   = 0.32
	// longestTask is the platform's time limit for a task, in milliseconds.
	longestTask = 150_000
	// gatewayTimeout is the gateway's timeout, in milliseconds.
	gatewayTimeout = 10_000
)

// task describes how often a row's task fails and how long it takes. events.yaml explains
// the fields. Success is 0 for a row that is no task.
type task struct {
	Success        int
	ClientErrors   float64 `yaml:"client_errors"`
	ServerErrors   float64 `yaml:"server_errors"`
	Median, Spread float64
	Cold           float64
	ColdStart      float64 `yaml:"cold_start"`
}

// outcome is how one execution of a task ended.
type outcome struct {
	status   int
	duration time.Duration
}

func (o outcome) failed() bool { return o.status >= http.StatusBadRequest }

func (o outcome) level() string {
	switch {
	case o.status >= http.StatusInternalServerError:
		return "error"
	case o.failed():
		return "warning"
	}
	return "info"
}

// execute draws an outcome: a log-normal time with the heavy tail of tasks that wait for
// others, and with the start of a cold instance.
func (t *task) execute(dice *dice, trouble bool) outcome {
	serverErrors, slowdown := t.ServerErrors, 1.0
	if trouble {
		serverErrors, slowdown = serverErrors+troubleErrors, troubleSlowdown
	}
	status := t.Success
	switch throw := dice.Float64(); {
	case throw < serverErrors:
		status = pick(dice, []int{500, 500, 502, 503, http.StatusGatewayTimeout})
	case throw < serverErrors+t.ClientErrors:
		status = pick(dice, []int{400, 400, 401, 403, 404, 404, 409, 429})
	}
	milliseconds := dice.logNormal(t.Median, t.Spread) * slowdown
	if dice.chance(0.008) {
		milliseconds *= 3 + 9*dice.Float64()
	}
	if dice.chance(t.Cold) {
		milliseconds += dice.logNormal(t.ColdStart, 0.3)
	}
	switch {
	case status == http.StatusGatewayTimeout:
		milliseconds += gatewayTimeout
	case status >= http.StatusBadRequest && status < http.StatusInternalServerError:
		milliseconds *= 0.3 // a rejected task has done only a part of its work
	}
	return outcome{status: status, duration: time.Duration(min(milliseconds, longestTask)*1000) * time.Microsecond}
}
