package logbody_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/internal/logs/logbody"
)

// Lines as programs send them, which vary RFC 3164: the time, host, program, process and message of each.
func TestOldSyslogOfPrograms(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]string{
		// rsyslog: RSYSLOG_TraditionalForwardFormat, and RSYSLOG_ForwardFormat.
		"<34>Oct 11 22:14:15 vm su[7]: failed: x":                         "2026-10-11T22:14:15Z vm su 7 failed: x",
		"<34>2026-10-11T22:14:15.123456+02:00 vm su[7]: failed":           "2026-10-11T20:14:15.123456Z vm su 7 failed",
		"<46>Oct 11 22:14:15 vm rsyslogd: [origin software=\"rsyslogd\"]": `2026-10-11T22:14:15Z vm rsyslogd - [origin software="rsyslogd"]`,
		"<6>Oct  1 02:04:05 vm kernel: [    0.000000] Linux":              "2026-10-01T02:04:05Z vm kernel - [    0.000000] Linux",
		// syslog-ng: ts-format(iso), frac-digits(3), a year, and an address as the host.
		"<38>2026-10-11T22:14:15.123Z 10.0.0.1 sshd[1234]: Accepted":  "2026-10-11T22:14:15.123Z 10.0.0.1 sshd 1234 Accepted",
		"<38>2026-10-11T22:14:15+0100 vm sshd[1234]: Accepted":        "2026-10-11T21:14:15Z vm sshd 1234 Accepted",
		"<38>2026-10-11T22:14:15 vm sshd: Accepted":                   "2026-10-11T22:14:15Z vm sshd - Accepted",
		"<38>Oct 11 22:14:15.123 vm sshd: Accepted":                   "2026-10-11T22:14:15.123Z vm sshd - Accepted",
		"<38>2025 Oct 11 22:14:15 vm sshd: Accepted":                  "2025-10-11T22:14:15Z vm sshd - Accepted",
		"<38>Oct 11 22:14:15 2025 vm sshd: Accepted":                  "2025-10-11T22:14:15Z vm sshd - Accepted",
		"<38>Oct 11 22:14:15 fe80::1 sshd: Accepted":                  "2026-10-11T22:14:15Z fe80::1 sshd - Accepted",
		"<38>Oct 11 22:14:15 2001:db8:: sshd: Accepted":               "2026-10-11T22:14:15Z 2001:db8:: sshd - Accepted",
		"<38>Oct 11 22:14:15 vm last message repeated 2 times":        "2026-10-11T22:14:15Z vm - - last message repeated 2 times",
		"<13>Oct 11 22:14:15 vm sudo:   root : TTY=pts/0 ; COMMAND=x": "2026-10-11T22:14:15Z vm sudo -   root : TTY=pts/0 ; COMMAND=x",
		// busybox, glibc and Docker: no host.
		"<30>Oct 11 22:14:15 app[1]: x":            "2026-10-11T22:14:15Z - app 1 x",
		"<13>Oct 11 22:14:15 root: busybox logger": "2026-10-11T22:14:15Z - root - busybox logger",
		"<13>Oct  1 22:14:15 syslog.info: started": "2026-10-01T22:14:15Z - syslog.info - started",
		"<30>Oct 11 22:14:15 my-app/web[12]: ":     "2026-10-11T22:14:15Z - my-app/web 12 ",
		// HAProxy and nginx, also with nohostname.
		"<134>Oct 11 22:14:15 haproxy[1234]: 10.0.0.1:4 [11/Oct/2026:22:14:15.1] web": "2026-10-11T22:14:15Z - haproxy 1234 10.0.0.1:4 [11/Oct/2026:22:14:15.1] web",
		`<190>Oct 11 22:14:15 web-1 nginx: 10.0.0.1 - - "GET / HTTP/1.1" 200`:         `2026-10-11T22:14:15Z web-1 nginx - 10.0.0.1 - - "GET / HTTP/1.1" 200`,
		`<190>Oct 11 22:14:15 nginx: 10.0.0.1 - - "GET / HTTP/1.1" 200`:               `2026-10-11T22:14:15Z - nginx - 10.0.0.1 - - "GET / HTTP/1.1" 200`,
		// OpenWrt.
		"<30>Oct 11 22:14:15 OpenWrt dnsmasq-dhcp[1]: DHCPACK(br-lan)": "2026-10-11T22:14:15Z OpenWrt dnsmasq-dhcp 1 DHCPACK(br-lan)",
		// Cisco: IOS, with a number, an inexact clock, a zone and an origin; Nexus; ASA.
		"<189>29: *Oct 11 22:14:15.123: %SYS-5-CONFIG_I: Configured":     "2026-10-11T22:14:15.123Z - %SYS-5-CONFIG_I - Configured",
		"<189>29: .Oct 11 2025 22:14:15.123 UTC: %SYS-5-CONFIG_I: x":     "2025-10-11T22:14:15.123Z - %SYS-5-CONFIG_I - x",
		"<189>29: router1: *Oct 11 22:14:15: %SYS-5-CONFIG_I: x":         "2026-10-11T22:14:15Z router1 %SYS-5-CONFIG_I - x",
		"<189>router1: Oct 11 22:14:15 CET: %SYS-5-CONFIG_I: x":          "2026-10-11T22:14:15Z router1 %SYS-5-CONFIG_I - x",
		"<187>: 2025 Oct 11 22:14:15 UTC: %DAEMON-3-SYSTEM_MSG: x":       "2025-10-11T22:14:15Z - %DAEMON-3-SYSTEM_MSG - x",
		"<166>Oct 11 2025 22:14:15: %ASA-6-302013: Built":                "2025-10-11T22:14:15Z - %ASA-6-302013 - Built",
		"<166>Oct 11 2025 22:14:15 fw-1 : %ASA-6-302013: Built":          "2025-10-11T22:14:15Z fw-1 %ASA-6-302013 - Built",
		"<166>Oct 11 22:14:15 GET: a program in capitals, without stars": "2026-10-11T22:14:15Z - GET - a program in capitals, without stars",
	} {
		with := options()
		with.Now = time.Date(2026, 11, 22, 10, 0, 0, 0, time.UTC)
		result, err := logbody.Read(t.Context(), logbody.Syslog, []byte(line+"\n"), with)
		require.NoError(t, err, line)
		require.Len(t, result.Events, 1, line)
		var metadata []map[string]string
		require.NoError(t, json.Unmarshal(result.Events[0].Metadata, &metadata), line)
		or := func(name string) string {
			if value := metadata[0][name]; value != "" {
				return value
			}
			return "-"
		}
		event := result.Events[0]
		assert.Equal(t, want, strings.Join([]string{event.Timestamp.UTC().Format(time.RFC3339Nano), or("host"), or("program"), or("process_id"), *event.EventMessage}, " "), line)
	}
}
