package sqlcheck

import "time"

// SetTimeout sets the time limit of the check of one saved query.
func (c *Checker) SetTimeout(timeout time.Duration) { c.timeout = timeout }
