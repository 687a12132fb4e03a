package demo

import "net/http"

// The incident's marks: how much slower everything is, and how many requests
// fail beyond the usual ones.
const (
	troubleSlowdown = 5
	troubleErrors   = 0.32
)

// slowdown is the factor on the time that anything takes.
func (s *scene) slowdown() float64 {
	if s.trouble {
		return troubleSlowdown
	}
	return 1
}

// status returns the status code of an answer: usually success, and otherwise a
// client error or a server error at their rates, to which an incident adds.
func (s *scene) status(success int, clientErrors, serverErrors float64) int {
	if s.trouble {
		serverErrors += troubleErrors
	}
	switch throw := s.dice.Float64(); {
	case throw < serverErrors:
		return pick(s.dice, []int{
			http.StatusInternalServerError, http.StatusInternalServerError, http.StatusBadGateway,
			http.StatusServiceUnavailable, http.StatusGatewayTimeout,
		})
	case throw < serverErrors+clientErrors:
		return pick(s.dice, []int{
			http.StatusBadRequest, http.StatusBadRequest, http.StatusUnauthorized, http.StatusForbidden,
			http.StatusNotFound, http.StatusNotFound, http.StatusConflict, http.StatusTooManyRequests,
		})
	default:
		return success
	}
}
