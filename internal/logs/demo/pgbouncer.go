package demo

// poolerLine writes the log lines of the connection pooler (pgbouncer_logs).
func poolerLine() func(*scene) string {
	return func(s *scene) string {
		s.metadata.text("host", s.project.databaseHost)
		peer := "postgres/" + pick(s.dice, []string{"postgres", "authenticator", "reports"}) + "@127.0.0.1:"
		client := decimal(s.dice.between(32768, 60999))
		if s.trouble && s.dice.chance(0.5) {
			return "C-0x" + s.dice.hex(12) + ": " + peer + client + " closing because: query_wait_timeout (age=120s)"
		}
		switch s.dice.IntN(5) {
		case 0, 1:
			return "S-0x" + s.dice.hex(12) + ": " + peer + "5432 new connection to server (from 127.0.0.1:" + client + ")"
		case 2, 3:
			age := decimal(int(s.upTo(hours).Seconds()))
			return "C-0x" + s.dice.hex(12) + ": " + peer + client + " closing because: client close request (age=" + age + "s)"
		default:
			return "stats: " + decimal(s.dice.between(1, 40)) + " xacts/s, " + decimal(s.dice.between(2, 120)) + " queries/s, in " +
				decimal(s.dice.between(400, 90_000)) + " B/s, out " + decimal(s.dice.between(900, 400_000)) + " B/s, xact " +
				decimal(s.dice.between(300, 9000)) + " us, query " + decimal(s.dice.between(200, 5000)) + " us, wait 3 us"
		}
	}
}
