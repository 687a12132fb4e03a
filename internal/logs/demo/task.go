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
// the fields.
type task struct {
	success                    int
	clientErrors, serverErrors float64
	median, spread             float64
	cold, coldStart            float64
}

// newTask returns the task that a row's cells describe, or nil if they describe none.
func newTask(cells map[string]string) *task {
	if cells["success"] == "" {
		return nil
	}
	return &task{
		success:      int(number(cells, "success", http.StatusOK)),
		clientErrors: number(cells, "client_errors", 0),
		serverErrors: number(cells, "server_errors", 0.004),
		median:       number(cells, "median", 0),
		spread:       number(cells, "spread", 0.5),
		cold:         number(cells, "cold", 0),
		coldStart:    number(cells, "cold_start", 0),
	}
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
	serverErrors, slowdown := t.serverErrors, 1.0
	if trouble {
		serverErrors, slowdown = serverErrors+troubleErrors, troubleSlowdown
	}
	status := t.success
	switch throw := dice.Float64(); {
	case throw < serverErrors:
		status = pick(dice, []int{500, 500, 502, 503, http.StatusGatewayTimeout})
	case throw < serverErrors+t.clientErrors:
		status = pick(dice, []int{400, 400, 401, 403, 404, 404, 409, 429})
	}
	milliseconds := dice.logNormal(t.median, t.spread) * slowdown
	if dice.chance(0.008) {
		milliseconds *= 3 + 9*dice.Float64()
	}
	if dice.chance(t.cold) {
		milliseconds += dice.logNormal(t.coldStart, 0.3)
	}
	switch {
	case status == http.StatusGatewayTimeout:
		milliseconds += gatewayTimeout
	case status >= http.StatusBadRequest && status < http.StatusInternalServerError:
		milliseconds *= 0.3 // a rejected task has done only a part of its work
	}
	return outcome{status: status, duration: time.Duration(min(milliseconds, longestTask)*1000) * time.Microsecond}
}
