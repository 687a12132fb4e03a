package clickhouse_test

import (
	"log/slog"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/sqlq/clickhouse"
)

// Wrong settings are mistakes before anything is sent, and no message has the password.
func TestConfigMistakes(t *testing.T) {
	t.Parallel()
	for want, config := range map[string]clickhouse.Config{
		"no ClickHouse server is named; give --clickhouse-addr or --clickhouse-dsn-file":                                                     {},
		`"clickhouse" is not a host with a port, such as clickhouse.example.com:8123`:                                                        {Addresses: []string{"clickhouse"}},
		`"http://h:8123" is not a host with a port`:                                                                                          {Addresses: []string{"http://h:8123"}},
		`"h:0" is not a host with a port`:                                                                                                    {Addresses: []string{"h:0"}},
		"h:9000 is the port of ClickHouse's native protocol; savedq speaks HTTP, on port 8123":                                               {Addresses: []string{"h:9000"}},
		"a limit of ClickHouse is negative":                                                                                                  {Addresses: []string{"h:8123"}, MaxBytes: -1},
		"label savedq_endpoint is set by savedq":                                                                                             {Addresses: []string{"h:8123"}, Labels: map[string]string{"savedq_endpoint": "x"}},
		"the file of certificates for ClickHouse has none in PEM":                                                                            {Addresses: []string{"h:8443"}, TLS: true, CA: []byte("x")},
		"the DSN of ClickHouse is not a URL such as https://user:password@host:8443/database":                                                {DSN: "secret"},
		"the DSN of ClickHouse begins with clickhouse://, for the native protocol; savedq speaks HTTP, so begin it with http:// or https://": {DSN: "clickhouse://u:secret@h:9000"},
		"the DSN of ClickHouse: h:9440 is the port of ClickHouse's native protocol; savedq speaks HTTP, on port 8443":                        {DSN: "https://u:secret@h:9440/logs"},
		"the DSN of ClickHouse cannot be read: ":                                                                                             {DSN: "http://u:secret@[h/logs"},
	} {
		config.Clock, config.Logger = time.Now, slog.New(slog.DiscardHandler)
		_, err := clickhouse.New(t.Context(), config)
		require.ErrorContains(t, err, want)
		assert.NotContains(t, err.Error(), "secret")
	}
	options, err := clickhouse.ParseDSN("https://u:p%40@h1:8443,h2:8443/logs?max_threads=4\n")
	require.NoError(t, err)
	assert.Equal(t, []string{"h1:8443", "h2:8443"}, options.Addr)
	assert.Equal(t, "p@", options.Auth.Password)
	assert.Equal(t, "logs", options.Auth.Database)
	assert.NotNil(t, options.TLS)
	assert.False(t, options.TLS.InsecureSkipVerify)
	assert.EqualValues(t, 4, options.Settings["max_threads"])
}
