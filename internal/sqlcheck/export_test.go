package sqlcheck

import "time"

// SetTimeout sets how long the check of one saved query may take.
func (c *Checker) SetTimeout(timeout time.Duration) { c.timeout = timeout }
