package logstore

import (
	"context"
	"database/sql/driver"
	"errors"
	"log/slog"
	"sync"
	"sync/atomic"

	"github.com/duckdb/duckdb-go/v2"

	"savedq/sqlq"
)

// connector opens connections to the store. After a fatal error, such as a failed
// checkpoint on a full disk, an instance of DuckDB rejects all further work. The connector
// then opens the store as a new instance when the next connection is needed. The pool only
// sees unusable connections, and prepares its statements again on new ones.
//
// A process must not have the file open twice, so the new instance must wait until all
// connections of the old one are closed. Until then, and while opening fails, new
// connections fail with UNAVAILABLE.
type connector struct {
	config config
	// closeIdle closes all connections of the pool that are not in use.
	closeIdle func()
	// reopened is called when the store was opened again.
	reopened func()
	// statements are the running queries.
	statements *statements

	mutex   sync.Mutex
	current *instance
	// opening is true while the store is opened again.
	opening bool
	// changed is closed when what [connector.acquire] waits for may have changed; nil if nobody waits.
	changed chan struct{}
	// raises is how often the memory of DuckDB is doubled in the next instance; see [connector.raiseMemory].
	raises atomic.Int32
	// failing is true after an attempt to do so has failed. It changes only while opening is true.
	failing bool
}

func newConnector(opened *duckdb.Connector, config config) *connector {
	return &connector{config: config, closeIdle: func() {}, reopened: func() {}, statements: newStatements(), current: &instance{duckdb: opened}}
}

// Driver returns DuckDB's.
func (c *connector) Driver() driver.Driver { return duckdb.Driver{} }

// Connect opens a connection, and the store itself again where that is due.
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
		if failure, ok := errors.AsType[*duckdb.Error](err); !ok || failure.Type != duckdb.ErrorTypeFatal {
			return nil, err
		}
		c.invalidate(ctx, instance, err) // The connection is the first to notice.
	}
}

// acquire returns a working instance and counts a connection to it. Callers must call
// release when the connection is closed. While the store is opened again, it waits.
func (c *connector) acquire(ctx context.Context) (*instance, error) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	patience, end := context.WithTimeoutCause(ctx, c.config.patience, unavailable(errReopening))
	defer end()
	for c.current.invalid.Load() {
		if c.opening || c.current.connections > 0 { // the file must not be open twice
			if err := c.waitForChange(patience); err != nil {
				return nil, err
			}
			continue
		}
		if c.failing && !c.config.attempts.Allow() {
			return nil, unavailable(errReopening)
		}
		c.opening = true
		invalid, waits := c.current, !c.failing
		c.mutex.Unlock()
		var reopened *instance
		var err error
		if waits { // after it was opened a moment ago
			err = c.config.attempts.Wait(patience)
		}
		if err == nil {
			reopened, err = c.reopen(ctx, invalid)
		}
		c.mutex.Lock()
		c.opening = false
		c.notify()
		if err != nil {
			return nil, unavailable(err)
		}
		c.current = reopened
		c.reopened()
	}
	c.current.connections++
	return c.current, nil
}

// waitForChange waits until a connection was closed, or an attempt to open the store has ended. The mutex must be
// held; it is not while the call waits.
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
	c.notify()
}

// reopen opens the store in the place of an instance that has no connections. There
// must be one call at a time.
func (c *connector) reopen(ctx context.Context, invalid *instance) (*instance, error) {
	ctx = context.WithoutCancel(ctx) // Others profit from it, too.
	_ = invalid.duckdb.Close()       // It never fails.
	next := c.config.afterInvalid()
	c.withMemory(ctx, next)
	opened, recovery, err := next.openInstance(ctx)
	if err != nil {
		if !c.failing {
			c.config.logger.WarnContext(ctx, "the store cannot be reopened, retrying every second", slog.Any("error", err))
		}
		c.failing = true
		return nil, err
	}
	c.failing = false
	c.config.logger.InfoContext(ctx, "the store was reopened")
	for _, note := range recovery.Notes() {
		c.config.logger.WarnContext(ctx, "the store was repaired or upgraded when it was opened", slog.String("what", note))
	}
	return &instance{duckdb: opened}, nil
}

// invalidate notes that an instance refuses to work. It reports false if that is known.
func (c *connector) invalidate(ctx context.Context, instance *instance, cause error) bool {
	if instance.invalid.Swap(true) {
		return false
	}
	c.config.logger.WarnContext(ctx, "DuckDB has declared the store invalid, reopening it", slog.Any("error", cause))
	c.closeIdle()
	return true
}

// Close closes the store, once the last connection is closed.
func (c *connector) Close() error {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	return c.current.duckdb.Close()
}

// errReopening is the error for new connections while the store is being reopened.
var errReopening = errors.New("the store has just been declared invalid")

// unavailable is the error while there is no instance that works.
func unavailable(cause error) error {
	return sqlq.Errorf(sqlq.Unavailable, "the log store is being reopened; try again in a few seconds").WithCause(cause)
}
