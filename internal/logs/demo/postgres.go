package demo

import "strings"

// databaseLine writes the log lines of the database server (postgres_logs).
func databaseLine() func(*scene) string {
	// In a text, # stands for a number that each line makes up.
	type line struct{ severity, state, command, user, text string }
	var healthy, troubled weighted[line]
	healthy.add(6, line{"LOG", "00000", "authentication", "authenticator", "connection authorized: user=authenticator database=postgres application_name=postgrest"})
	healthy.add(4, line{"WARNING", "01000", "SELECT", "pgbouncer", "PgBouncer auth request: postgres"})
	healthy.add(3, line{"LOG", "00000", "", "", "checkpoint complete: wrote # buffers (0.3%); 0 WAL file(s) added, 0 removed, 1 recycled"})
	healthy.add(3, line{"LOG", "00000", "SELECT", "authenticator", "duration: #.218 ms  statement: SELECT * FROM \"public\".\"orders\" ORDER BY created_at DESC LIMIT 50"})
	healthy.add(2, line{"ERROR", "23505", "INSERT", "authenticator", "duplicate key value violates unique constraint \"profiles_username_key\""})
	healthy.add(1, line{"ERROR", "42P01", "SELECT", "postgres", "relation \"public.profile\" does not exist"})
	healthy.add(1, line{"FATAL", "28P01", "authentication", "postgres", "password authentication failed for user \"postgres\""})
	troubled.add(4, line{"FATAL", "53300", "startup", "authenticator", "remaining connection slots are reserved for non-replication superuser connections"})
	troubled.add(5, line{"ERROR", "57014", "SELECT", "authenticator", "canceling statement due to statement timeout"})
	troubled.add(3, line{"LOG", "00000", "UPDATE", "authenticator", "process # still waiting for ShareLock on transaction after 1000.182 ms"})

	return func(s *scene) string {
		lines := &healthy
		if s.trouble {
			lines = &troubled
		}
		line := lines.draw(s.dice)
		started := s.at.Add(-s.upTo(hours))

		fields := &s.metadata
		fields.text("host", s.project.databaseHost)
		fields.open("parsed")
		if line.user == "" {
			fields.text("backend_type", "checkpointer")
		} else {
			fields.text("backend_type", "client backend")
			fields.text("command_tag", line.command)
			fields.text("connection_from", "127.0.0.1:"+decimal(s.dice.between(32768, 60999)))
			fields.text("database_name", "postgres")
		}
		fields.text("error_severity", line.severity)
		fields.number("process_id", s.dice.between(300, 32000))
		fields.number("query_id", 0)
		fields.text("session_id", s.dice.hex(8)+"."+s.dice.hex(4))
		fields.number("session_line_num", s.dice.between(1, 6000))
		fields.text("session_start_time", started.Format("2006-01-02 15:04:05 UTC"))
		fields.text("sql_state_code", line.state)
		fields.text("timestamp", s.at.Format("2006-01-02 15:04:05.000 UTC"))
		fields.number("transaction_id", 0)
		if line.user != "" {
			fields.text("user_name", line.user)
			fields.text("virtual_transaction_id", decimal(s.dice.between(2, 60))+"/"+decimal(s.dice.between(1, 9_999_999)))
		}
		fields.close()

		return strings.Replace(line.text, "#", decimal(s.dice.between(12, 4096)), 1)
	}
}
