package usage

// OpenBounded opens a ledger with limits on the accounts and rows of a day.
func OpenBounded(config Config, accounts, rows int) (*Ledger, error) {
	return open(config, limits{accounts: accounts, rows: rows})
}

// Flush writes changes, as [Ledger.Maintain] does at intervals.
func (l *Ledger) Flush() { l.flush() }
