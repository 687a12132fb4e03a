// Chdbtest serves ClickHouse, from a library, over the HTTP interface of ClickHouse. Its tests put the engine on
// ClickHouse through the conformance suite. It is a module of its own, because a build of savedq does not need it.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log"
	"net"
	"net/http"
	"os"
	"os/signal"
	"syscall"
	"time"
)

func main() {
	address := flag.String("addr", "127.0.0.1:8124", "address to listen on")
	directory := flag.String("path", "", "directory of the database; empty for one that is removed at the end")
	user := flag.String("user", "default", "user of all requests")
	password := flag.String("password", "", "password of the user")
	flag.Parse()
	if err := run(*address, *directory, *user, *password); err != nil {
		log.Fatal(err)
	}
}

// run serves until the program is interrupted.
func run(address, directory, user, password string) error {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", address)
	if err != nil {
		return err
	}
	if _, err := fmt.Fprintln(os.Stdout, "http://"+listener.Addr().String()); err != nil {
		return err
	}
	return serve(ctx, listener, directory, user, password)
}

// serve serves a database until the context ends.
func serve(ctx context.Context, listener net.Listener, directory, user, password string) error {
	path, err := libraryPath()
	if err != nil {
		return err
	}
	loaded, err := loadLibrary(path)
	if err != nil {
		return err
	}
	if directory == "" {
		if directory, err = os.MkdirTemp("", "chdbtest"); err != nil {
			return err
		}
		defer func() { _ = os.RemoveAll(directory) }()
	}
	// The database stays open while a connection is.
	first, err := loaded.open(directory)
	if err != nil {
		return err
	}
	defer first.close()
	serving := &http.Server{
		Handler:           &server{library: loaded, directory: directory, user: user, password: password},
		ReadHeaderTimeout: time.Minute,
	}
	go func() {
		<-ctx.Done()
		_ = serving.Close()
	}()
	if err := serving.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// libraryPath returns where the library is.
func libraryPath() (string, error) {
	if path := os.Getenv("CHDB_LIB_PATH"); path != "" {
		return path, nil
	}
	const installed = "node_modules/@chdb/lib-linux-x64-gnu/libchdb.so"
	if _, err := os.Stat(installed); err != nil {
		return "", errNoLibrary
	}
	return installed, nil
}
