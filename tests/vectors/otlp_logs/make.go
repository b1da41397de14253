// Command make writes collector.bin beside it and in ../otlp_spans with the file exporter of OpenTelemetry's collector:
//
//	go mod init make && go get github.com/open-telemetry/opentelemetry-collector-contrib/exporter/fileexporter@v0.120.0
//	go mod tidy && go run make.go
package main

import (
	"context"
	"fmt"
	"os"

	"github.com/open-telemetry/opentelemetry-collector-contrib/exporter/fileexporter"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/exporter/exportertest"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

func check(err error) {
	if err != nil {
		panic(err)
	}
}

// attributes fills in a value of each kind.
func attributes(to pcommon.Map, number int) {
	to.PutStr("service.name", fmt.Sprintf("shop-%d", number))
	to.PutInt("attempt", int64(number))
	to.PutBool("sampled", number%2 == 0)
	to.PutDouble("share", float64(number)/3)
	to.PutEmptyBytes("digest").FromRaw([]byte{0, 1, byte(number)})
	list := to.PutEmptySlice("list")
	list.AppendEmpty().SetStr("a")
	list.AppendEmpty().SetInt(-1)
	list.AppendEmpty()
	to.PutEmptyMap("map").PutEmptySlice("inner").AppendEmpty().SetDouble(0.1)
}

func logs(number int) plog.Logs {
	made := plog.NewLogs()
	for i := 0; i < number; i++ {
		resource := made.ResourceLogs().AppendEmpty()
		attributes(resource.Resource().Attributes(), number)
		scope := resource.ScopeLogs().AppendEmpty()
		scope.Scope().SetName("scope")
		for j := 0; j <= i; j++ {
			record := scope.LogRecords().AppendEmpty()
			record.SetTimestamp(pcommon.Timestamp(1700000000000000000 + j))
			record.SetObservedTimestamp(pcommon.Timestamp(1700000000000000009))
			record.SetSeverityNumber(plog.SeverityNumberWarn)
			record.SetSeverityText("WARN")
			record.SetTraceID(pcommon.TraceID([16]byte{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, byte(j)}))
			record.SetSpanID(pcommon.SpanID([8]byte{8, 7, 6, 5, 4, 3, 2, byte(j)}))
			attributes(record.Attributes(), j)
			if j%2 == 0 {
				record.Body().SetStr("order <received> \"x\"")
			} else {
				attributes(record.Body().SetEmptyMap(), j)
			}
		}
	}
	return made
}

func traces(number int) ptrace.Traces {
	made := ptrace.NewTraces()
	for i := 0; i < number; i++ {
		resource := made.ResourceSpans().AppendEmpty()
		attributes(resource.Resource().Attributes(), number)
		scope := resource.ScopeSpans().AppendEmpty()
		scope.Scope().SetName("scope")
		for j := 0; j <= i; j++ {
			span := scope.Spans().AppendEmpty()
			span.SetName("GET /")
			span.SetKind(ptrace.SpanKindServer)
			span.SetTraceID(pcommon.TraceID([16]byte{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, byte(j)}))
			span.SetSpanID(pcommon.SpanID([8]byte{8, 7, 6, 5, 4, 3, 2, byte(j)}))
			if j > 0 {
				span.SetParentSpanID(pcommon.SpanID([8]byte{8, 7, 6, 5, 4, 3, 2, byte(j - 1)}))
			}
			span.SetStartTimestamp(pcommon.Timestamp(1700000000000000000 + j))
			span.SetEndTimestamp(pcommon.Timestamp(1700000001000000000 + j))
			attributes(span.Attributes(), j)
			event := span.Events().AppendEmpty()
			event.SetName("exception")
			attributes(event.Attributes(), j)
			span.Links().AppendEmpty().SetTraceID(pcommon.TraceID([16]byte{15}))
			span.Status().SetCode(ptrace.StatusCodeError)
			span.Status().SetMessage("timeout")
		}
	}
	return made
}

func main() {
	ctx, host := context.Background(), componenttest.NewNopHost()
	factory := fileexporter.NewFactory()
	settings := exportertest.NewNopSettingsWithType(factory.Type())
	for _, path := range []string{"collector.bin", "../otlp_spans/collector.bin"} {
		_ = os.Remove(path)
		config := factory.CreateDefaultConfig().(*fileexporter.Config)
		config.Path, config.FormatType = path, "proto"
		if path == "collector.bin" {
			exporter, err := factory.CreateLogs(ctx, settings, config)
			check(err)
			check(exporter.Start(ctx, host))
			for number := 0; number < 4; number++ {
				check(exporter.ConsumeLogs(ctx, logs(number)))
			}
			check(exporter.Shutdown(ctx))
		} else {
			exporter, err := factory.CreateTraces(ctx, settings, config)
			check(err)
			check(exporter.Start(ctx, host))
			for number := 0; number < 4; number++ {
				check(exporter.ConsumeTraces(ctx, traces(number)))
			}
			check(exporter.Shutdown(ctx))
		}
	}
}
