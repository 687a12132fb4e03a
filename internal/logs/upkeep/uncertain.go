package upkeep

// UncertainError is an error after which a part of the work, or all of it, may have been done.
type UncertainError struct{ Err error }

// Error implements error.
func (e *UncertainError) Error() string { return e.Err.Error() }

// Unwrap returns the error itself.
func (e *UncertainError) Unwrap() error { return e.Err }
