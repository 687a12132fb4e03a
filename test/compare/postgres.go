package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"
)

// postgres is a running server of PostgreSQL, with its defaults, that listens on a socket in its directory.
// It has a table for each log source in the layout of the original service's Postgres backend: the whole event
// as JSONB, and a BRIN index on its time.
type postgres struct {
	*pgx.Conn

	directory string
	process   *exec.Cmd
}

// postgresPrograms returns the folder of the programs of PostgreSQL, which distributions keep out of PATH.
func postgresPrograms(ctx context.Context) (string, error) {
	if found, err := filepath.Glob("/usr/lib/postgresql/*/bin/initdb"); err == nil && len(found) > 0 {
		return filepath.Dir(found[len(found)-1]), nil
	}
	output, err := exec.CommandContext(ctx, "pg_config", "--bindir").Output()
	if err != nil {
		return "", fmt.Errorf("PostgreSQL is not installed, or leave out the step %q: %w", stepPostgres, err)
	}
	return strings.TrimSpace(string(output)), nil
}

// startPostgres starts a server with an empty database below directory.
func startPostgres(ctx context.Context, directory string) (*postgres, error) {
	programs, err := postgresPrograms(ctx)
	if err != nil {
		return nil, err
	}
	directory, err = filepath.Abs(directory)
	if err != nil {
		return nil, err
	}
	if directory, err = os.MkdirTemp(directory, "postgres-"); err != nil {
		return nil, err
	}
	attributes := &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	if os.Getuid() == 0 { // PostgreSQL refuses to run as root
		if attributes.Credential, err = unprivileged(directory); err != nil {
			return nil, err
		}
	}
	data := filepath.Join(directory, "data")
	initialize := exec.CommandContext(ctx, filepath.Join(programs, "initdb"), //nolint:gosec // the folder of PostgreSQL
		"-D", data, "-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale=C")
	initialize.Dir, initialize.SysProcAttr = directory, &syscall.SysProcAttr{Credential: attributes.Credential}
	if output, err := initialize.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("initdb: %w\n%s", err, output)
	}
	p := &postgres{directory: directory}
	//nolint:gosec,noctx // stop ends it, as it ends the other servers
	p.process = exec.Command(filepath.Join(programs, "postgres"), "-D", data, "-k", directory, "-c", "listen_addresses=")
	p.process.Dir, p.process.SysProcAttr = directory, attributes
	var log bytes.Buffer
	p.process.Stderr = &log
	if err := p.process.Start(); err != nil {
		return nil, err
	}
	for range 500 {
		if p.Conn, err = pgx.Connect(ctx, "user=postgres database=postgres host="+directory); err == nil {
			return p, nil
		}
		if err := sleep(ctx, 20*time.Millisecond); err != nil {
			break
		}
	}
	p.stop(ctx)
	return nil, fmt.Errorf("PostgreSQL is not ready: %w\n%s", err, log.String())
}

// unprivileged gives the directory, and those around it that root alone can enter, to a user without rights.
func unprivileged(directory string) (*syscall.Credential, error) {
	nobody, err := user.Lookup("nobody")
	if err != nil {
		return nil, err
	}
	uid, err := strconv.ParseUint(nobody.Uid, 10, 32)
	if err != nil {
		return nil, err
	}
	gid, err := strconv.ParseUint(nobody.Gid, 10, 32)
	if err != nil {
		return nil, err
	}
	if err := os.Chown(directory, int(uid), int(gid)); err != nil {
		return nil, err
	}
	//nolint:gosec // The run's own temporary directory; the servers in it have no other users.
	return &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}, os.Chmod(filepath.Dir(directory), 0o711)
}

// stop ends the server. The run removes its data.
func (p *postgres) stop(ctx context.Context) {
	if p.Conn != nil {
		_ = p.Close(context.WithoutCancel(ctx))
	}
	_ = p.process.Process.Signal(syscall.SIGINT)
	_ = p.process.Wait()
}

func (p *postgres) version(ctx context.Context) (string, error) {
	var version string
	err := p.QueryRow(ctx, "SHOW server_version").Scan(&version)
	version, _, _ = strings.Cut(version, " ")
	return "PostgreSQL " + version, err
}

// load creates the tables and copies all events into them, a request at a time.
func (p *postgres) load(ctx context.Context, c *corpus) error {
	for _, source := range sources() {
		for _, sql := range []string{
			"CREATE TABLE %s (id TEXT PRIMARY KEY, body JSONB, event_message TEXT, timestamp TIMESTAMP)",
			"CREATE INDEX ON %s USING brin (timestamp)",
		} {
			if _, err := p.Exec(ctx, fmt.Sprintf(sql, source.name)); err != nil {
				return err
			}
		}
	}
	var body []byte
	for _, request := range c.requests {
		var err error
		if body, err = c.read(request, body); err != nil {
			return err
		}
		rows := make([][]any, 0, request.events)
		for line := range bytes.Lines(body) {
			var event struct {
				ID        string    `json:"id"`
				Timestamp time.Time `json:"timestamp"`
				Message   string    `json:"event_message"`
			}
			if err := json.Unmarshal(line, &event); err != nil {
				return err
			}
			rows = append(rows, []any{event.ID, json.RawMessage(line), event.Message, event.Timestamp})
		}
		columns := []string{"id", "body", "event_message", "timestamp"}
		if _, err := p.CopyFrom(ctx, pgx.Identifier{request.source}, columns, pgx.CopyFromRows(rows)); err != nil {
			return err
		}
	}
	_, err := p.Exec(ctx, "VACUUM ANALYZE")
	return err
}

// size returns the bytes of the tables and their indexes.
func (p *postgres) size(ctx context.Context) (bytes int64, err error) {
	for _, source := range sources() {
		var one int64
		if err := p.QueryRow(ctx, "SELECT pg_total_relation_size($1::text::regclass)", source.name).Scan(&one); err != nil {
			return 0, err
		}
		bytes += one
	}
	return bytes, nil
}
