package demo

// functionLine writes what functions print and how their instances come and go
// (function_logs).
func functionLine() func(*scene) string {
	type line struct{ event, level, text string }
	var healthy, troubled weighted[line]
	healthy.add(12, line{"log", "info", "request handled"})
	healthy.add(5, line{"log", "info", "cache miss, reading from the database"})
	healthy.add(3, line{"log", "debug", "payload validated"})
	healthy.add(2, line{"log", "warning", "retrying after a slow answer"})
	healthy.add(1, line{"log", "error", "TypeError: Cannot read properties of undefined (reading \"id\")"})
	healthy.add(4, line{"boot", "info", "booted"})
	healthy.add(4, line{"shutdown", "info", "shutdown"})
	troubled.add(4, line{"log", "error", "Error: connection to the database timed out"})
	troubled.add(3, line{"log", "warning", "retrying after a slow answer"})
	troubled.add(3, line{"log", "info", "request handled"})

	return func(s *scene) string {
		function := s.project.functions.draw(s.dice)
		lines := &healthy
		if s.trouble {
			lines = &troubled
		}
		line := lines.draw(s.dice)

		fields := &s.metadata
		fields.text("deployment_id", function.deploymentID)
		fields.text("event_type", line.event)
		fields.text("execution_id", s.dice.uuid())
		fields.text("function_id", function.id)
		fields.text("level", line.level)
		fields.text("project_ref", s.project.name)
		fields.text("region", "eu-central-1")
		fields.text("timestamp", s.at.Format("2006-01-02T15:04:05.000000000+00:00"))
		fields.text("version", function.version)

		if line.event == "boot" {
			return "booted (time: " + decimal(int(s.dice.logNormal(function.coldStart, 0.3))) + "ms)"
		}
		return s.dice.hex(10) + " " + line.text + "\n"
	}
}
