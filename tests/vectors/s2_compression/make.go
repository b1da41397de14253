// go run make.go: writes cases.jsonl beside it with github.com/klauspost/compress v1.18.2, in a module that requires it.
// Each case is a stream or a block of S2 or Snappy, and the size and SHA-256 of what its own reader finds in it.
package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"math/rand"
	"os"

	"github.com/klauspost/compress/s2"
)

type made struct {
	Name    string `json:"name"`
	Kind    string `json:"kind"` // stream, or block
	Snappy  bool   `json:"snappy"`
	Size    int    `json:"size"`
	Sha256  string `json:"sha256"`
	Content string `json:"base64"`
}

func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}

func contents() map[string][]byte {
	random := rand.New(rand.NewSource(7))
	noise := make([]byte, 700)
	random.Read(noise)
	var text bytes.Buffer
	for number := 0; number < 150; number++ {
		fmt.Fprintf(&text, "%d GET /product/%d HTTP/1.1 user=%d\n", number, random.Intn(3000), number*number%97)
	}
	far := append(append(append([]byte{}, noise...), make([]byte, 70_000)...), noise...)
	return map[string][]byte{
		"empty": {}, "byte": {'a'}, "text": text.Bytes(), "random": noise, "far": far,
		"zeros":   make([]byte, 5_000_000),
		"repeats": bytes.Repeat(noise[:37], 30_000),
		"near":    bytes.Repeat([]byte("abc"), 900),
	}
}

func stream(content []byte, options ...s2.WriterOption) []byte {
	var out bytes.Buffer
	writer := s2.NewWriter(&out, append(options, s2.WriterConcurrency(1), s2.WriterPaddingSrc(bytes.NewReader(make([]byte, 1<<16))))...)
	must(writer.Write(content))
	if err := writer.Close(); err != nil {
		panic(err)
	}
	return out.Bytes()
}

func main() {
	streams := map[string][]s2.WriterOption{
		"fast": {}, "better": {s2.WriterBetterCompression()}, "best": {s2.WriterBestCompression()},
		"uncompressed": {s2.WriterUncompressed()}, "snappy": {s2.WriterSnappyCompat()}, "index": {s2.WriterAddIndex()},
		"padding": {s2.WriterPadding(512)}, "4M": {s2.WriterBlockSize(4 << 20)}, "4K": {s2.WriterBlockSize(4 << 10)},
	}
	blocks := map[string]func(to, from []byte) []byte{
		"fast": s2.Encode, "better": s2.EncodeBetter, "best": s2.EncodeBest, "snappy": s2.EncodeSnappy,
		"snappy best": s2.EncodeSnappyBest,
	}
	file := must(os.Create("cases.jsonl"))
	encoder := json.NewEncoder(file)
	put := func(name, kind string, snappy bool, packed, content []byte) {
		if len(packed) > 6000 {
			return
		}
		var found []byte
		var err error
		if kind == "stream" {
			found, err = io.ReadAll(s2.NewReader(bytes.NewReader(packed)))
		} else {
			found, err = s2.Decode(nil, packed)
		}
		if err != nil || !bytes.Equal(found, content) {
			// An index alone has no stream identifier, which its own reader refuses.
			fmt.Println("left out:", name, err)
			return
		}
		sum := sha256.Sum256(found)
		encoded := base64.StdEncoding.EncodeToString(packed)
		if err := encoder.Encode(made{name, kind, snappy, len(found), hex.EncodeToString(sum[:]), encoded}); err != nil {
			panic(err)
		}
	}
	all := contents()
	for _, name := range []string{"empty", "byte", "text", "random", "far", "zeros", "repeats", "near"} {
		for _, form := range []string{"fast", "better", "best", "uncompressed", "snappy", "index", "padding", "4M", "4K"} {
			put(name+", "+form, "stream", form == "snappy", stream(all[name], streams[form]...), all[name])
		}
		for _, form := range []string{"fast", "better", "best", "snappy", "snappy best"} {
			put(name+", "+form, "block", form[0] == 's', blocks[form](nil, all[name]), all[name])
		}
	}
	two := append(stream(all["text"], s2.WriterAddIndex()), stream(all["near"], s2.WriterSnappyCompat())...)
	put("a stream of S2 and one of Snappy", "stream", false, two, append(append([]byte{}, all["text"]...), all["near"]...))
}
