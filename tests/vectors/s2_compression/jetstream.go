// go run jetstream.go: writes jetstream.blk beside it, the first whole block of messages of a stream that NATS JetStream
// keeps in S2 (github.com/nats-io/nats-server/v2 v2.12.2, nats.go v1.49.0). In a module that requires them.
package main

import (
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
)

func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}

func main() {
	folder := must(os.MkdirTemp("", "jetstream"))
	defer os.RemoveAll(folder)
	options := server.Options{Host: "127.0.0.1", Port: -1, JetStream: true, StoreDir: folder, NoLog: true}
	running := must(server.NewServer(&options))
	go running.Start()
	if !running.ReadyForConnections(10 * time.Second) {
		panic("the server does not start")
	}
	connection := must(nats.Connect(running.ClientURL()))
	stream := must(connection.JetStream())
	// The first of several small blocks are removed, and the last one is not compressed yet.
	must(stream.AddStream(&nats.StreamConfig{
		Name: "LOG", Subjects: []string{"log.>"}, Compression: nats.S2Compression, MaxBytes: 120_000,
	}))
	for number := 0; number < 2200; number++ {
		text := fmt.Sprintf("message %d of user %d: GET /product/%d HTTP/1.1", number, number*number%97, number%100)
		must(stream.Publish(fmt.Sprintf("log.%d", number%7), []byte(text)))
	}
	connection.Close()
	running.Shutdown()
	running.WaitForShutdown()
	blocks := must(filepath.Glob(filepath.Join(folder, "jetstream", "*", "streams", "LOG", "msgs", "*.blk")))
	content := must(os.ReadFile(blocks[0]))
	if err := os.WriteFile("jetstream.blk", content, 0o644); err != nil {
		panic(err)
	}
}
