package logstore

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"log/slog"
	"sync"
	"sync/atomic"

	"github.com/duckdb/duckdb-go/v2"

	"savedq/sqlq"
)

// connector opens connections to DuckDB. After a fatal error, such as a fault that SQL of a caller has met, an instance
// of DuckDB rejects all further work. The connector then starts a new one when the next connection is needed. The pool
// only sees unusable connections, and prepares its statements again on new ones.
//
// Meanwhile new connections wait. They fail with UNAVAILABLE if that takes too long, and while it fails.
type connector struct {
	config *config
	// restart returns a new instance with what the store has. It is nil where there is none: then an invalid instance is
	// the end.
	restart func(ctx context.Context) (*instance, error)
	// closeIdle closes all connections of the pool that are not in use.
	closeIdle func()
	// restarts counts the instances after the first one.
	restarts atomic.Int64

	mutex   sync.Mutex
	current *instance
	// opening is true while an instance is started.
	opening bool
	// changed is closed when what [connector.acquire] waits for may have changed; nil if nobody waits.
	changed chan struct{}
	// failing is true after an attempt to do so has failed. It changes only while opening is true.
	failing bool
}

// openPool returns a connector to an instance, with its pool, which must be closed.
func openPool(first *instance, config *config) (*connector, *sql.DB) {
	connector := &connector{config: config, current: first}
	db := sql.OpenDB(connector)
	db.SetMaxIdleConns(maxIdleConnections)
	connector.closeIdle = func() {
		db.SetMaxIdleConns(0)
		db.SetMaxIdleConns(maxIdleConnections)
	}
	return connector, db
}

// Driver returns DuckDB's.
func (c *connector) Driver() driver.Driver { return duckdb.Driver{} }

// Connect opens a connection, and starts a new instance where that is due.
func (c *connector) Connect(ctx context.Context) (driver.Conn, error) {
	for {
		instance, err := c.acquire(ctx)
		if err != nil {
			return nil, err
		}
		opened, err := instance.duckdb.Connect(ctx)
		if err == nil {
			return &connection{Conn: opened.(*duckdb.Conn), connector: c, instance: instance}, nil //nolint:forcetypeassert // DuckDB has no other.
		}
		c.release(instance)
		if !isFatal(err) {
			return nil, err
		}
		c.invalidate(ctx, instance, err) // The connection is the first to notice.
	}
}

// acquire returns a working instance and counts a connection to it. Callers must call release when the connection is
// closed. While an instance is started, it waits.
func (c *connector) acquire(ctx context.Context) (*instance, error) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	patience, end := context.WithTimeoutCause(ctx, c.config.patience, unavailable(errReopening))
	defer end()
	for c.current.invalid.Load() {
		if c.opening {
			if err := c.waitForChange(patience); err != nil {
				return nil, err
			}
			continue
		}
		if c.restart == nil || c.failing && !c.config.attempts.Allow() {
			return nil, unavailable(errReopening)
		}
		c.opening = true
		waits := !c.failing && !c.config.attempts.Allow()
		c.mutex.Unlock()
		var next *instance
		var err error
		if waits { // An instance was started a moment ago.
			err = c.config.attempts.Wait(patience)
		}
		if err == nil {
			next, err = c.start(ctx)
		}
		c.mutex.Lock()
		c.opening = false
		c.notify()
		if err != nil {
			return nil, unavailable(err)
		}
		last := c.current
		c.current = next
		c.restarts.Add(1)
		c.closeUnused(last)
	}
	c.current.connections++
	return c.current, nil
}

// waitForChange waits until an attempt to start an instance has ended. The mutex must be held; it is not while the call
// waits.
func (c *connector) waitForChange(ctx context.Context) error {
	if c.changed == nil {
		c.changed = make(chan struct{})
	}
	changed := c.changed
	c.mutex.Unlock()
	defer c.mutex.Lock()
	select {
	case <-changed:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// notify ends the waits for a change. The mutex must be held.
func (c *connector) notify() {
	if c.changed != nil {
		close(c.changed)
		c.changed = nil
	}
}

func (c *connector) release(instance *instance) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	instance.connections--
	c.closeUnused(instance)
}

// closeUnused closes an instance that was replaced, once it has no connections. The mutex must be held.
func (c *connector) closeUnused(instance *instance) {
	if instance != c.current && instance.connections == 0 {
		_ = instance.duckdb.Close() // It never fails.
	}
}

// start starts an instance in the place of an invalid one. There must be one call at a time.
func (c *connector) start(ctx context.Context) (*instance, error) {
	ctx = context.WithoutCancel(ctx) // Others profit from it, too.
	next, err := c.restart(ctx)
	if err != nil {
		if !c.failing {
			c.config.logger.WarnContext(ctx, "the store cannot be reopened, retrying every second", slog.Any("error", err))
		}
		c.failing = true
		return nil, err
	}
	c.failing = false
	c.config.logger.InfoContext(ctx, "the store was reopened")
	return next, nil
}

// invalidate notes that an instance refuses to work.
func (c *connector) invalidate(ctx context.Context, instance *instance, cause error) {
	if instance.invalid.Swap(true) {
		return
	}
	c.config.logger.WarnContext(ctx, "DuckDB has declared the store invalid, reopening it", slog.Any("error", cause))
	c.closeIdle()
}

// replace makes the next connection start a new instance. What runs on the current one ends there.
func (c *connector) replace(instance *instance) {
	instance.invalid.Store(true)
	c.closeIdle()
}

// Close closes the current instance. Earlier ones are closed with their last connections.
func (c *connector) Close() error {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	return c.current.duckdb.Close()
}

// errReopening is the error for work on an instance that refuses it, and for new connections while there is no other one.
var errReopening = errors.New("the store has just been declared invalid")

// unavailable is the error while there is no instance that works.
func unavailable(cause error) error {
	return sqlq.Errorf(sqlq.Unavailable, "the log store is being reopened; try again in a few seconds").WithCause(cause)
}

// isUnavailable reports whether work failed because its instance became invalid. It can be repeated on the next one.
func isUnavailable(err error) bool {
	return err != nil && sqlq.AsError(err).Code == sqlq.Unavailable
}
