// Writes the files beside it with etcd's own packages, and what their decoder reads from them.
//
// In a folder of its own: go mod init vectors; go get go.etcd.io/etcd/server/v3@v3.6.5; go run make.go FOLDER
package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"math/rand"
	"os"
	"path/filepath"
	"sort"

	"go.etcd.io/etcd/client/pkg/v3/fileutil"
	"go.etcd.io/etcd/server/v3/storage/wal"
	"go.etcd.io/etcd/server/v3/storage/wal/walpb"
	"go.etcd.io/raft/v3/raftpb"
	"go.uber.org/zap"
)

type row map[string]any

type peerCase struct {
	File  string `json:"file"`
	Table string `json:"table,omitempty"`
	Rows  []row  `json:"rows"`
	Tail  string `json:"tail,omitempty"`
}

var tables = []string{"entries", "records", "states", "snapshots", "metadata"}

func check(err error) {
	if err != nil {
		panic(err)
	}
}

func shown(data []byte) string {
	if len(data) <= 1000 {
		return hex.EncodeToString(data)
	}
	sum := sha256.Sum256(data)
	return "sha256:" + hex.EncodeToString(sum[:])
}

func random(source *rand.Rand, size int) []byte {
	data := make([]byte, size)
	source.Read(data)
	return data
}

// write makes a log and returns the contents of its segments.
func write(segment int64, metadata []byte, fill func(log *wal.WAL)) [][]byte {
	folder, err := os.MkdirTemp("", "wal")
	check(err)
	defer os.RemoveAll(folder)
	wal.SegmentSizeBytes = segment
	log, err := wal.Create(zap.NewNop(), filepath.Join(folder, "log"), metadata)
	check(err)
	fill(log)
	check(log.Close())
	names, err := filepath.Glob(filepath.Join(folder, "log", "*.wal"))
	check(err)
	sort.Strings(names)
	var found [][]byte
	for _, name := range names {
		content, err := os.ReadFile(name)
		check(err)
		found = append(found, content)
	}
	return found
}

// rows gives what etcd's decoder finds, by table, and its error.
func rows(content []byte) (map[string][]row, error) {
	file, err := os.CreateTemp("", "segment")
	check(err)
	defer os.Remove(file.Name())
	_, err = file.Write(content)
	check(err)
	_, err = file.Seek(0, io.SeekStart)
	check(err)
	decoder := wal.NewDecoder(fileutil.NewFileReader(file))
	found := map[string][]row{}
	for {
		offset := decoder.LastOffset()
		var record walpb.Record
		if err := decoder.Decode(&record); err != nil {
			return found, err
		}
		add := func(table string, each row) {
			each["_offset"] = offset
			found[table] = append(found[table], each)
		}
		add("records", row{"type": record.Type, "crc": record.Crc, "data": shown(record.Data)})
		switch record.Type {
		case wal.MetadataType:
			add("metadata", row{"data": shown(record.Data)})
		case wal.EntryType:
			entry := wal.MustUnmarshalEntry(record.Data)
			add("entries", row{"term": entry.Term, "index": entry.Index, "type": entry.Type, "data": shown(entry.Data)})
		case wal.StateType:
			state := wal.MustUnmarshalState(record.Data)
			add("states", row{"term": state.Term, "vote": state.Vote, "commit": state.Commit})
		case wal.CrcType:
			decoder.UpdateCRC(record.Crc)
		case wal.SnapshotType:
			var snapshot walpb.Snapshot
			check(snapshot.Unmarshal(record.Data))
			add("snapshots", row{"index": snapshot.Index, "term": snapshot.Term})
		}
	}
}

func entries(source *rand.Rand, term, from uint64, sizes ...int) []raftpb.Entry {
	var made []raftpb.Entry
	for number, size := range sizes {
		entry := raftpb.Entry{Term: term, Index: from + uint64(number)}
		if size > 0 {
			entry.Data = random(source, size)
		}
		made = append(made, entry)
	}
	return made
}

func changes(from uint64) []raftpb.Entry {
	one := raftpb.ConfChange{ID: 1, Type: raftpb.ConfChangeAddNode, NodeID: 1 << 63, Context: []byte("http://node")}
	two := raftpb.ConfChangeV2{
		Transition: raftpb.ConfChangeTransitionJointExplicit,
		Changes:    []raftpb.ConfChangeSingle{{Type: raftpb.ConfChangeAddLearnerNode, NodeID: 7}},
	}
	first, err := one.Marshal()
	check(err)
	second, err := two.Marshal()
	check(err)
	return []raftpb.Entry{
		{Term: 3, Index: from, Type: raftpb.EntryConfChange, Data: first},
		{Term: 3, Index: from + 1, Type: raftpb.EntryConfChangeV2, Data: second},
	}
}

func main() {
	output := os.Args[1]
	source := rand.New(rand.NewSource(7))
	var cases []peerCase
	add := func(file string, content []byte, tail string) {
		check(os.WriteFile(filepath.Join(output, file), content, 0o644))
		found, err := rows(content)
		if tail == "truncated" != errors.Is(err, io.ErrUnexpectedEOF) || (tail == "" && err != io.EOF) {
			panic(err)
		}
		for _, table := range tables {
			list := found[table]
			if list == nil {
				list = []row{}
			}
			if table == "entries" {
				table = "" // the default one
			}
			cases = append(cases, peerCase{file, table, list, tail})
		}
	}

	// Every kind of record, with what raft and its members write; an entry that takes the place of others.
	every := write(8192, []byte("member 1"), func(log *wal.WAL) {
		check(log.Save(raftpb.HardState{Term: 1}, nil))
		check(log.Save(raftpb.HardState{Term: 2, Vote: 1 << 63, Commit: 1}, entries(source, 2, 1, 0, 1, 7, 8, 9, 300, 0)))
		check(log.Save(raftpb.HardState{}, nil))
		check(log.Save(raftpb.HardState{Term: 3, Vote: 2, Commit: 4}, entries(source, 3, 5, 64, 63)))
		check(log.Save(raftpb.HardState{Term: 3, Vote: 2, Commit: 6}, changes(7)))
		state := raftpb.ConfState{Voters: []uint64{1, 2, 1 << 40}, Learners: []uint64{4}, AutoLeave: true}
		check(log.SaveSnapshot(walpb.Snapshot{Index: 6, Term: 3, ConfState: &state}))
		check(log.Save(raftpb.HardState{Term: 1<<64 - 1, Vote: 2, Commit: 1<<64 - 1}, entries(source, 1<<64-1, 1<<64-9, 5)))
	})[0]
	add("every.wal", every, "")
	add("unused.wal", write(2048, nil, func(*wal.WAL) {})[0], "")
	add("large.wal", write(4096, []byte{}, func(log *wal.WAL) {
		check(log.Save(raftpb.HardState{Term: 1, Vote: 1}, entries(source, 1, 1, 20000, 3, 1020)))
	})[0], "")

	// Segments that continue each other.
	segments := write(2048, []byte("member 2"), func(log *wal.WAL) {
		for number := uint64(1); number < 40; number++ {
			state := raftpb.HardState{Term: 1 + number/20, Vote: 3, Commit: number}
			check(log.Save(state, entries(source, 1+number/20, number, int(number)*3)))
		}
	})
	add("segment1.wal", segments[0], "")
	add("segment2.wal", segments[1], "")
	add("segment3.wal", segments[len(segments)-1], "")

	// A last record of which sectors have not been written; it begins inside of one.
	whole := write(16384, []byte("member 3"), func(log *wal.WAL) {
		check(log.Save(raftpb.HardState{Term: 1, Vote: 1}, entries(source, 1, 1, 100, 2000)))
		check(log.Save(raftpb.HardState{}, entries(source, 1, 3, 3000)))
	})[0]
	found, err := rows(whole)
	if err != io.EOF {
		panic(err)
	}
	last := found["entries"][2]["_offset"].(int64)
	first := (last/512 + 1) * 512
	clear := func(from, to int64) []byte {
		torn := bytes.Clone(whole)
		copy(torn[from:to], make([]byte, to-from))
		return torn
	}
	add("torn_end.wal", clear(first+1024, last+4000), "truncated")
	add("torn_middle.wal", clear(first+512, first+1024), "truncated")
	add("torn_begin.wal", clear(last+8, first), "truncated")
	add("cut.wal", whole[:last+777], "truncated")

	file, err := os.Create(filepath.Join(output, "cases.jsonl"))
	check(err)
	encoder := json.NewEncoder(file)
	for _, each := range cases {
		check(encoder.Encode(each))
	}
	check(file.Close())
}
