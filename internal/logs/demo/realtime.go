package demo

import "strings"

// realtimeLine writes the log lines of the realtime server (realtime_logs).
func realtimeLine() func(*scene) string {
	// In a text, # stands for the name of one of the project's tables.
	type line struct{ level, file, module, function, text string }
	const (
		channel     = "RealtimeWeb.RealtimeChannel"
		channelFile = "lib/realtime_web/channels/realtime_channel.ex"
		stream      = "Extensions.PostgresCdcRls.ReplicationPoller"
		streamFile  = "lib/extensions/postgres_cdc_rls/replication_poller.ex"
	)
	var lines weighted[line]
	lines.add(6, line{"info", channelFile, channel, "join/3", "Starting #, connected cluster: 3"})
	lines.add(5, line{"info", channelFile, channel, "handle_info/2", "Subscribed to PostgreSQL changes of public.#"})
	lines.add(3, line{"info", channelFile, channel, "terminate/2", "Channel realtime:public:# terminated: :normal"})
	lines.add(2, line{"warning", streamFile, stream, "handle_info/2", "Replication slot of # is behind, polling again"})
	lines.add(1, line{"error", channelFile, channel, "handle_info/2", "Subscribing to PostgreSQL failed: {:error, \"Subscription insert failed with 0 rows. " +
		"Check that tables are part of the publication and subscription params are correct: %{\\\"event\\\" => \\\"INSERT\\\", \\\"schema\\\" => \\\"public\\\", \\\"table\\\" => \\\"#\\\"}\"}"})

	return func(s *scene) string {
		line := lines.draw(s.dice)
		if s.trouble && s.dice.chance(0.5) {
			line.level, line.text = "error", "Lost the connection to the database of #: tcp recv: closed"
		}
		function, arity, _ := strings.Cut(line.function, "/")

		fields := &s.metadata
		fields.open("context")
		fields.text("application", "realtime")
		fields.texts("domain", "elixir")
		fields.text("file", line.file)
		fields.text("function", line.function)
		fields.number("line", s.dice.between(40, 420))
		fields.texts("mfa", "Elixir."+line.module, function, arity)
		fields.text("module", "Elixir."+line.module)
		fields.text("pid", "<0."+decimal(s.dice.between(1000, 9999))+"."+decimal(s.dice.between(0, 99))+">")
		fields.number("time", int(s.at.UnixMicro()))
		fields.open("vm")
		fields.text("node", "realtime@2001:db8::"+decimal(s.dice.between(1, 6)))
		fields.close()
		fields.close()
		fields.text("external_id", s.project.name)
		fields.text("level", line.level)
		fields.text("project", s.project.name)

		return strings.ReplaceAll(line.text, "#", pick(s.dice, s.project.tables))
	}
}
