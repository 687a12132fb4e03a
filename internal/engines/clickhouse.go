package engines

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"strings"

	"savedq/internal/authoring/querytest"
	"savedq/internal/files/secretfile"
	"savedq/sqlq"
	"savedq/sqlq/clickhouse"
)

// ClickHouse is the engine on ClickHouse. It uses the clock and the logger of the environment.
type ClickHouse struct {
	clickhouse.Config

	// PasswordFile and DSNFile are files with the password and with the DSN; CAFile has certificates. Empty means none.
	PasswordFile, DSNFile, CAFile string
	// Ingest means that events which a server receives are added to tables of ClickHouse.
	Ingest bool
}

var (
	_ Engine        = ClickHouse{}
	_ ColumnChecker = (*clickhouse.Engine)(nil)
)

// Dialect implements [Engine].
func (c ClickHouse) Dialect() sqlq.Dialect { return clickhouse.Dialect{OTelLogs: c.OTelLogs} }

// KnowsChanges implements [Engine].
func (ClickHouse) KnowsChanges() bool { return false }

// Declare implements [Engine].
func (ClickHouse) Declare(column sqlq.PlannedColumn) sqlq.Column { return clickhouse.Declare(column) }

// OfflineChecker implements [Engine].
func (ClickHouse) OfflineChecker() Checker { return nil }

// Checker implements [Engine].
func (c ClickHouse) Checker(ctx context.Context, environment Environment) (Checker, error) {
	return c.connect(ctx, environment)
}

// TestBackend implements [Engine]. Cases run on the server, on their own rows.
func (c ClickHouse) TestBackend(ctx context.Context, environment Environment) (TestBackend, error) {
	engine, err := c.connect(ctx, environment)
	if err != nil {
		return nil, err
	}
	return querytest.NewClickHouse(engine), nil
}

// Open implements [Engine]. It checks that the saved queries can run.
func (c ClickHouse) Open(ctx context.Context, opening Opening) (*Opened, error) {
	engine, err := c.connect(ctx, opening.Environment)
	if err != nil {
		return nil, err
	}
	check := func(ctx context.Context, queries []*sqlq.SavedQuery) (sqlq.FileErrors, error) {
		if err := engine.CheckServer(ctx); err != nil {
			return nil, err
		}
		return Check(ctx, engine, queries)
	}
	found, err := check(ctx, opening.Queries)
	if err == nil {
		err = Unusable(found)
	}
	if err != nil {
		return nil, errors.Join(err, engine.Close())
	}
	opened := &Opened{Engine: engine, Ping: engine.Ping, CheckQueries: check, Close: engine.Close}
	if c.Ingest && opening.Serving {
		if err := opened.takeEvents(ctx, engine, opening); err != nil {
			return nil, errors.Join(err, engine.Close())
		}
	}
	return opened, nil
}

// passwordVariable has the password, as for ClickHouse's own client.
const passwordVariable = "CLICKHOUSE_PASSWORD"

// connect returns an engine on ClickHouse.
func (c ClickHouse) connect(ctx context.Context, environment Environment) (*clickhouse.Engine, error) {
	c.Clock, c.Logger = environment.Clock, environment.Logger
	c.Password = environment.Getenv(passwordVariable)
	if c.PasswordFile != "" {
		password, err := readSecret(c.PasswordFile, "clickhouse-password-file", environment.Logger)
		if err != nil {
			return nil, err
		}
		c.Password = password
	}
	if c.DSNFile != "" {
		dsn, err := readSecret(c.DSNFile, "clickhouse-dsn-file", environment.Logger)
		if err != nil {
			return nil, err
		}
		c.DSN = dsn
	}
	if c.CAFile != "" {
		certificates, err := os.ReadFile(c.CAFile)
		if err != nil {
			return nil, fmt.Errorf("--clickhouse-ca-file: %w", err)
		}
		c.CA = certificates
	}
	return clickhouse.New(ctx, c.Config)
}

// readSecret returns the first line of a file. It returns an error if others can change the file, and warns if they can read it.
func readSecret(path, flag string, logger *slog.Logger) (string, error) {
	content, readable, err := secretfile.Read(path)
	if err != nil {
		return "", fmt.Errorf("--%s: %s cannot be used: %w", flag, path, err)
	}
	secret, _, _ := strings.Cut(string(content), "\n")
	if secret = strings.TrimRight(secret, "\r"); secret == "" {
		return "", fmt.Errorf("--%s: %s is empty", flag, path)
	}
	if readable {
		logger.Warn("every user of this machine can read the secrets of ClickHouse", slog.String("file", path), slog.String("run", "chmod o-r "+path))
	}
	return secret, nil
}
