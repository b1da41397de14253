// go run make.go: writes the files beside it with Prometheus 3.16 (github.com/prometheus/prometheus v0.316.0), and what
// its own reader and decoder find in them. In a module that requires that version.
package main

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"log/slog"
	"math"
	"math/rand"
	"os"
	"path/filepath"

	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/model/histogram"
	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/model/value"
	"github.com/prometheus/prometheus/storage"
	"github.com/prometheus/prometheus/tsdb/chunks"
	"github.com/prometheus/prometheus/tsdb/record"
	"github.com/prometheus/prometheus/tsdb/tombstones"
	"github.com/prometheus/prometheus/tsdb/wlog"
	"github.com/prometheus/prometheus/util/compression"
)

const now = 1_700_000_000_000

var (
	random = rand.New(rand.NewSource(7))
	logger = slog.Default()
	encode record.Encoder
)

type row map[string]any

type file struct {
	File    string   `json:"file"`
	Table   string   `json:"table,omitempty"`
	Rows    []row    `json:"rows"`
	Damaged []string `json:"damaged,omitempty"`
	Tail    string   `json:"tail,omitempty"`
}

func must[T any](found T, err error) T {
	if err != nil {
		panic(err)
	}
	return found
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}

func series(first, count, size int) []byte {
	var made []record.RefSeries
	for i := range count {
		text := make([]byte, size)
		for at := range text {
			text[at] = "abcdefghijklmnopqrstuvwxyz"[random.Intn(26)]
		}
		set := labels.FromStrings("__name__", fmt.Sprintf("http_requests_%d", i%3), "job", "ü", "long", string(text))
		made = append(made, record.RefSeries{Ref: chunks.HeadSeriesRef(first + i), Labels: set})
	}
	return encode.Series(made, nil)
}

func samples(first, count int) []byte {
	var made []record.RefSample
	for i := range count {
		number := []float64{0, 1.5, math.Inf(1), math.Float64frombits(value.StaleNaN), -1e300, float64(i)}[i%6]
		ref := chunks.HeadSeriesRef(first + i*7%5)
		made = append(made, record.RefSample{Ref: ref, T: now + int64(random.Intn(60000)) - 30000, V: number})
	}
	return encode.Samples(made, nil)
}

// A record that is worth compressing.
func steady(count int) []byte {
	var made []record.RefSample
	for i := range count {
		made = append(made, record.RefSample{Ref: chunks.HeadSeriesRef(1 + i%3), T: now + int64(i/3)*15000, V: 1})
	}
	return encode.Samples(made, nil)
}

func histograms() [][]byte {
	plain := &histogram.Histogram{
		CounterResetHint: histogram.NotCounterReset, Schema: 3, ZeroThreshold: 1e-128, ZeroCount: 2, Count: 300, Sum: 1.5e6,
		PositiveSpans:   []histogram.Span{{Offset: -4, Length: 2}, {Offset: 300, Length: 1}},
		PositiveBuckets: []int64{7, -3, 1 << 40}, NegativeSpans: []histogram.Span{{Offset: 1, Length: 1}},
		NegativeBuckets: []int64{9},
	}
	custom := &histogram.Histogram{
		Schema: histogram.CustomBucketsSchema, Count: 9, Sum: -1, PositiveSpans: []histogram.Span{{Offset: 0, Length: 2}},
		PositiveBuckets: []int64{4, 1}, CustomValues: []float64{0.5, 10, math.Inf(1)},
	}
	whole := []record.RefHistogramSample{{Ref: 5, T: now, H: plain}, {Ref: 4, T: now - 9, H: &histogram.Histogram{}}, {Ref: 6, T: now + 1, H: custom}}
	var floats []record.RefFloatHistogramSample
	for _, each := range whole {
		floats = append(floats, record.RefFloatHistogramSample{Ref: each.Ref, T: each.T + 1, FH: each.H.ToFloat(nil)})
	}
	first, rest := encode.HistogramSamples(whole, nil)
	second, more := encode.FloatHistogramSamples(floats, nil)
	return [][]byte{first, encode.CustomBucketsHistogramSamples(rest, nil), second, encode.CustomBucketsFloatHistogramSamples(more, nil)}
}

// Records of all types, those that are empty among them.
func kinds() [][]byte {
	exemplar := record.RefExemplar{Ref: 3, T: now, V: 0.25, Labels: labels.FromStrings("trace_id", "7f")}
	return append(histograms(),
		encode.Series(nil, nil), series(1, 3, 5), encode.Samples(nil, nil), samples(1, 9),
		encode.Exemplars([]record.RefExemplar{exemplar, {Ref: 1, T: now - 5000, V: 2, Labels: labels.EmptyLabels()}}, nil),
		encode.Tombstones([]tombstones.Stone{{Ref: storage.SeriesRef(9), Intervals: tombstones.Intervals{{Mint: -5, Maxt: now}, {Mint: now + 2, Maxt: math.MaxInt64}}}}, nil),
		encode.MmapMarkers([]record.RefMmapMarker{{Ref: 2, MmapRef: math.MaxUint64}, {Ref: 1, MmapRef: 8}}, nil),
		encode.Metadata([]record.RefMetadata{
			{Ref: 300, Type: record.GetMetricType(model.MetricTypeCounter), Unit: "seconds", Help: "Time."},
			{Ref: 1, Type: record.GetMetricType(model.MetricTypeUnknown)},
		}, nil),
		encode.MinValidTime(now, nil))
}

// The segments of a log with records.
func log(compress compression.Type, records ...[]byte) [][]byte {
	folder := must(os.MkdirTemp("", ""))
	defer os.RemoveAll(folder)
	made := must(wlog.NewSize(logger, nil, folder, 8*32*1024, compress))
	for _, each := range records {
		check(made.Log(each))
	}
	check(made.Close())
	var found [][]byte
	for _, name := range must(filepath.Glob(filepath.Join(folder, "0*"))) {
		found = append(found, must(os.ReadFile(name)))
	}
	return found
}

// A checkpoint of a log: what of it concerns series that are still there.
func checkpoint(records ...[]byte) []byte {
	folder := must(os.MkdirTemp("", ""))
	defer os.RemoveAll(folder)
	made := must(wlog.NewSize(logger, nil, folder, 32*1024, compression.Snappy))
	for _, each := range records {
		check(made.Log(each))
		must(made.NextSegment())
	}
	keep := func(ref chunks.HeadSeriesRef) bool { return ref%2 == 1 }
	must(wlog.Checkpoint(logger, made, 0, len(records)-1, keep, now-10000, false, true))
	check(made.Close())
	found := must(filepath.Glob(filepath.Join(folder, "checkpoint.*", "0*")))
	return must(os.ReadFile(found[0]))
}

func text(data []byte) string {
	if len(data) <= 1000 {
		return hex.EncodeToString(data)
	}
	return digest(data)
}

func digest(data []byte) string {
	sum := sha256.Sum256(data)
	return "sha256:" + hex.EncodeToString(sum[:])
}

func short(text string) string {
	if len(text) <= 1000 {
		return text
	}
	return digest([]byte(text))
}

func number(v float64) any {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return fmt.Sprint(v)
	}
	return v
}

func numbers(values []float64) []any {
	made := []any{}
	for _, each := range values {
		made = append(made, number(each))
	}
	return made
}

func pairs(set labels.Labels) [][2]string {
	made := [][2]string{}
	set.Range(func(l labels.Label) { made = append(made, [2]string{l.Name, short(l.Value)}) })
	return made
}

func spans(found []histogram.Span) []row {
	made := []row{}
	for _, each := range found {
		made = append(made, row{"offset": each.Offset, "length": each.Length})
	}
	return made
}

func deltas(found []int64) []int64 { return append([]int64{}, found...) }

// What Prometheus reads from a segment, by table. An error at the end is not asked for.
func read(name string) map[string][]row {
	found := map[string][]row{}
	add := func(table string, each row) { found[table] = append(found[table], each) }
	segment := must(os.Open(name))
	defer segment.Close()
	reader := wlog.NewReader(segment)
	decode := record.NewDecoder(labels.NewSymbolTable(), logger)
	for reader.Next() {
		data := reader.Record()
		kind := decode.Type(data)
		add("raw_records", row{"data": text(data)})
		add("records", row{"type": kind.String(), "data": text(data[1:])})
		switch kind {
		case record.Series:
			for _, s := range must(decode.Series(data, nil)) {
				add("series", row{"ref": s.Ref, "labels": pairs(s.Labels)})
			}
		case record.Samples:
			for _, s := range must(decode.Samples(data, nil)) {
				add("samples", row{"ref": s.Ref, "timestamp": s.T, "value": number(s.V)})
			}
		case record.Exemplars:
			for _, e := range must(decode.Exemplars(data, nil)) {
				add("exemplars", row{"ref": e.Ref, "timestamp": e.T, "value": number(e.V), "labels": pairs(e.Labels)})
			}
		case record.Tombstones:
			for _, s := range must(decode.Tombstones(data, nil)) {
				add("tombstones", row{"ref": s.Ref, "mint": s.Intervals[0].Mint, "maxt": s.Intervals[0].Maxt})
			}
		case record.MmapMarkers:
			for _, m := range must(decode.MmapMarkers(data, nil)) {
				add("mmap_markers", row{"ref": m.Ref, "mmap_ref": uint64(m.MmapRef)})
			}
		case record.Metadata:
			for _, m := range must(decode.Metadata(data, nil)) {
				kind := string(record.ToMetricType(m.Type))
				add("metadata", row{"ref": m.Ref, "type": kind, "fields": [][2]string{{"UNIT", m.Unit}, {"HELP", m.Help}}})
			}
		case record.HistogramSamples, record.CustomBucketsHistogramSamples:
			for _, s := range must(decode.HistogramSamples(data, nil)) {
				h := s.H
				each := head(s.Ref, s.T, h.CounterResetHint, h.Schema, h.ZeroThreshold, h.Sum, h.PositiveSpans, h.NegativeSpans)
				each["zero_count"], each["count"] = h.ZeroCount, h.Count
				each["positive_buckets"], each["negative_buckets"] = deltas(h.PositiveBuckets), deltas(h.NegativeBuckets)
				add("histograms", customs(each, h.Schema, h.CustomValues))
			}
		case record.FloatHistogramSamples, record.CustomBucketsFloatHistogramSamples:
			for _, s := range must(decode.FloatHistogramSamples(data, nil)) {
				h := s.FH
				each := head(s.Ref, s.T, h.CounterResetHint, h.Schema, h.ZeroThreshold, h.Sum, h.PositiveSpans, h.NegativeSpans)
				each["zero_count"], each["count"] = h.ZeroCount, h.Count
				each["positive_buckets"], each["negative_buckets"] = numbers(h.PositiveBuckets), numbers(h.NegativeBuckets)
				add("float_histograms", customs(each, h.Schema, h.CustomValues))
			}
		}
	}
	return found
}

func head(ref chunks.HeadSeriesRef, at int64, hint histogram.CounterResetHint, schema int32, zero, sum float64, positive, negative []histogram.Span) row {
	return row{
		"ref": ref, "timestamp": at, "counter_reset_hint": hint, "schema": schema, "zero_threshold": zero, "sum": number(sum),
		"positive_spans": spans(positive), "negative_spans": spans(negative),
	}
}

func customs(each row, schema int32, values []float64) row {
	each["custom_values"] = nil
	if histogram.IsCustomBucketsSchema(schema) {
		each["custom_values"] = numbers(values)
	}
	return each
}

func main() {
	cases := must(os.Create("cases.jsonl"))
	defer cases.Close()
	lines := json.NewEncoder(cases)
	lines.SetEscapeHTML(false)
	write := func(name string, content []byte, tail string, damaged []string, tables ...string) {
		check(os.WriteFile(name, content, 0o644))
		found := read(name)
		for _, table := range tables {
			made := file{File: name, Table: table, Rows: found[table], Damaged: damaged, Tail: tail}
			if len(made.Rows) == 0 {
				panic(name + " has no rows of " + table)
			}
			if table == "samples" {
				made.Table = ""
			}
			check(lines.Encode(made))
		}
	}
	all := []string{
		"samples", "series", "exemplars", "histograms", "float_histograms", "tombstones", "metadata", "mmap_markers", "records",
		"raw_records",
	}
	write("none", log(compression.None, kinds()...)[0], "", nil, all...)
	// A record of more than a page, and one that begins in the last bytes of a page.
	large := [][]byte{series(1, 2, 17000), samples(1, 40), series(3, 1, 31000), samples(3, 3), samples(3, 2), series(4, 1, 900), samples(1, 5)}
	segment := log(compression.None, large...)[0]
	write("large", segment, "", nil, "samples", "series", "records")
	for _, codec := range []compression.Type{compression.Snappy, compression.Zstd} {
		write(string(codec), log(codec, append(kinds(), series(1, 9, 6000), steady(300), samples(2, 40))...)[0], "", nil, "samples", "series", "records")
	}
	write("checkpoint", checkpoint(series(1, 8, 3), samples(1, 30), kinds()[5]), "", nil, "samples", "series")
	// A process that stopped while it wrote, inside of the second record, and between two pieces of one.
	write("torn", log(compression.None, samples(1, 4), samples(2, 40))[0][:400], "truncated", nil, "samples")
	write("torn_page", segment[:2*32*1024], "truncated", nil, "samples", "series")
}
