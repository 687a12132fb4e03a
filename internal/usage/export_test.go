package usage

// OpenBounded opens a ledger whose days have at most so many accounts and rows.
func OpenBounded(config Config, accounts, rows int) (*Ledger, error) {
	return open(config, limits{accounts: accounts, rows: rows})
}

// Flush writes changes, as [Ledger.Maintain] does at intervals.
func (l *Ledger) Flush() { l.flush() }
