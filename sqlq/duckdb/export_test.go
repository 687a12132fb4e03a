package duckdb

// Statements returns how many prepared statements are kept.
func (e *Engine) Statements() int {
	e.statements.mutex.Lock()
	defer e.statements.mutex.Unlock()
	count := 0
	for _, prepared := range e.statements.byQuery {
		prepared.mu.Lock()
		count += len(prepared.byNulls)
		prepared.mu.Unlock()
	}
	return count
}

// PlainDecimal is plainDecimal.
func PlainDecimal(text string) (string, bool) {
	number, ok := plainDecimal([]byte(text))
	return string(number), ok
}
