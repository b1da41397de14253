// java -cp 'FOLDER/*' Make.java: writes the files beside it with kafka-clients 3.9 (Maven: org.apache.kafka:kafka-clients),
// and what FileRecords reads from them.

import java.io.File;
import java.io.PrintWriter;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.internals.RecordHeader;
import org.apache.kafka.common.record.ControlRecordType;
import org.apache.kafka.common.record.DefaultRecordBatch;
import org.apache.kafka.common.record.EndTransactionMarker;
import org.apache.kafka.common.record.FileLogInputStream;
import org.apache.kafka.common.record.FileRecords;
import org.apache.kafka.common.record.MemoryRecords;
import org.apache.kafka.common.record.MemoryRecordsBuilder;
import org.apache.kafka.common.record.Record;
import org.apache.kafka.common.record.RecordBatch;
import org.apache.kafka.common.record.TimestampType;

public class Make {
    static final long NOW = 1_700_000_000_000L;
    static final Random RANDOM = new Random(1);

    public static void main(String[] arguments) throws Exception {
        try (PrintWriter cases = new PrintWriter("cases.jsonl", "UTF-8")) {
            write(cases, "none.log", batch(Compression.NONE, 0, 20), batch(Compression.NONE, 20, 1), batch(Compression.NONE, 90, 5));
            write(cases, "gzip.log", batch(Compression.gzip().build(), 7, 30), batch(Compression.gzip().build(), 40, 3));
            write(cases, "snappy.log", batch(Compression.snappy().build(), 0, 30), batch(Compression.snappy().build(), 30, 3));
            write(cases, "lz4.log", batch(Compression.lz4().build(), 1L << 40, 30), batch(Compression.lz4().build(), 1L << 41, 3));
            write(cases, "zstd.log", batch(Compression.zstd().build(), 0, 30), batch(Compression.zstd().build(), 30, 3));
            write(cases, "mixed.log", batch(Compression.zstd().build(), 0, 4), appended(4), empty(9), batch(Compression.NONE, 12, 4),
                transaction(16), marker(20, ControlRecordType.COMMIT), transaction(21), marker(25, ControlRecordType.ABORT));
        }
        // Messages of older versions; cases of their own, since the ones above are as they were.
        try (PrintWriter cases = new PrintWriter("cases_messages.jsonl", "UTF-8")) {
            for (byte magic = 0; magic < 2; magic++) {
                write(cases, "v" + magic + ".log", messages(magic, Compression.NONE, 5, 6),
                    messages(magic, Compression.gzip().build(), 20, 9), messages(magic, Compression.snappy().build(), 40, 7),
                    messages(magic, Compression.lz4().build(), 60, 5), messages(magic, Compression.NONE, 70, 1),
                    compacted(magic, 80));
            }
            write(cases, "upgraded.log", messages((byte) 0, Compression.gzip().build(), 0, 3),
                messages((byte) 1, Compression.NONE, 3, 2), appendedMessages(5, Compression.snappy().build()),
                appendedMessages(9, Compression.NONE), messages((byte) 1, Compression.lz4().build(), 20, 4),
                batch(Compression.NONE, 24, 3), messages((byte) 0, Compression.NONE, 27, 2), batch(Compression.zstd().build(), 29, 4));
        }
    }

    static ByteBuffer messages(byte magic, Compression compression, long offset, int count) {
        MemoryRecordsBuilder builder = MemoryRecords.builder(ByteBuffer.allocate(1 << 16), magic, compression,
            TimestampType.CREATE_TIME, offset);
        for (int i = 0; i < count; i++) {
            builder.appendWithOffset(offset + i, magic == 0 ? RecordBatch.NO_TIMESTAMP : NOW + RANDOM.nextInt(2000) - 1000,
                i % 5 == 0 ? null : bytes(i % 7), i % 6 == 1 ? null : bytes(i % 4 * 20));
        }
        return builder.build().buffer();
    }

    // The first and some others are compacted away: offsets of messages in version 1 count from another one.
    static ByteBuffer compacted(byte magic, long offset) {
        MemoryRecordsBuilder builder = MemoryRecords.builder(ByteBuffer.allocate(1 << 12), magic, Compression.gzip().build(),
            TimestampType.CREATE_TIME, offset);
        for (int i : new int[] {2, 3, 7}) {
            builder.appendWithOffset(offset + i, magic == 0 ? RecordBatch.NO_TIMESTAMP : NOW + i, bytes(3), bytes(9));
        }
        return builder.build().buffer();
    }

    // All timestamps are the broker's.
    static ByteBuffer appendedMessages(long offset, Compression compression) {
        MemoryRecordsBuilder builder = MemoryRecords.builder(ByteBuffer.allocate(1 << 12), (byte) 1, compression,
            TimestampType.LOG_APPEND_TIME, offset, NOW + 5);
        builder.appendWithOffset(offset + 1, NOW, bytes(3), bytes(9));
        builder.appendWithOffset(offset + 3, NOW, bytes(0), bytes(0));
        return builder.build().buffer();
    }

    static ByteBuffer batch(Compression compression, long offset, int count) {
        MemoryRecordsBuilder builder = MemoryRecords.builder(ByteBuffer.allocate(1 << 16), (byte) 2, compression,
            TimestampType.CREATE_TIME, offset);
        for (int i = 0; i < count; i++) {
            builder.appendWithOffset(offset + i, NOW + RANDOM.nextInt(2000) - 1000, i % 5 == 0 ? null : bytes(i % 7),
                i % 6 == 1 ? null : bytes(i % 4 * 20), headers(i % 4));
        }
        return builder.build().buffer();
    }

    // Compacted away in part: offsets have gaps. All timestamps are the broker's.
    static ByteBuffer appended(long offset) {
        MemoryRecordsBuilder builder = MemoryRecords.builder(ByteBuffer.allocate(1 << 12), (byte) 2, Compression.NONE,
            TimestampType.LOG_APPEND_TIME, offset, NOW + 5);
        builder.appendWithOffset(offset + 1, NOW, bytes(3), bytes(9));
        builder.appendWithOffset(offset + 4, NOW, bytes(0), bytes(0));
        return builder.build().buffer();
    }

    static ByteBuffer empty(long offset) {
        ByteBuffer buffer = ByteBuffer.allocate(DefaultRecordBatch.RECORD_BATCH_OVERHEAD);
        DefaultRecordBatch.writeEmptyHeader(buffer, (byte) 2, 11, (short) 1, 3, offset, offset + 2, 6,
            TimestampType.CREATE_TIME, NOW, false, false);
        buffer.flip();
        return buffer;
    }

    static ByteBuffer transaction(long offset) {
        MemoryRecordsBuilder builder = MemoryRecords.builder(ByteBuffer.allocate(1 << 12), (byte) 2, Compression.NONE,
            TimestampType.CREATE_TIME, offset, RecordBatch.NO_TIMESTAMP, 4711, (short) 3, 17, true, false, 12);
        for (int i = 0; i < 4; i++) {
            builder.appendWithOffset(offset + i, NOW + i, bytes(2), bytes(10));
        }
        return builder.build().buffer();
    }

    static ByteBuffer marker(long offset, ControlRecordType type) {
        return MemoryRecords.withEndTransactionMarker(offset, NOW, 12, 4711, (short) 3, new EndTransactionMarker(type, 5)).buffer();
    }

    static byte[] bytes(int size) {
        byte[] made = new byte[size];
        RANDOM.nextBytes(made);
        return made;
    }

    static Header[] headers(int count) {
        Header[] made = new Header[count];
        for (int i = 0; i < count; i++) {
            made[i] = new RecordHeader(i == 2 ? "" : "h\u00e9" + i, i == 1 ? null : bytes(i + 1));
        }
        return made;
    }

    static void write(PrintWriter cases, String name, ByteBuffer... batches) throws Exception {
        Path path = Path.of(name);
        Files.deleteIfExists(path);
        try (FileRecords file = FileRecords.open(new File(name), true)) {
            for (ByteBuffer each : batches) {
                file.append(MemoryRecords.readableRecords(each));
            }
            file.flush();
            List<String> records = new ArrayList<>();
            List<String> found = new ArrayList<>();
            for (FileLogInputStream.FileChannelRecordBatch batch : file.batches()) {
                batch.ensureValid();
                found.add(String.format("{\"base_offset\": %d, \"last_offset\": %d, \"leader_epoch\": %d, \"codec\": \"%s\", "
                    + "\"timestamp_type\": %s, \"is_transactional\": %s, \"is_control\": %s, \"max_timestamp\": %s, "
                    + "\"producer_id\": %d, \"producer_epoch\": %d, \"base_sequence\": %d, \"count\": %d}",
                    batch.baseOffset(), batch.lastOffset(), batch.partitionLeaderEpoch(), batch.compressionType().name,
                    type(batch), batch.isTransactional(), batch.isControlBatch(), time(batch, batch.maxTimestamp()),
                    batch.producerId(), batch.producerEpoch(), batch.baseSequence(), batch.countOrNull()));
                for (Record record : batch) {
                    List<String> headers = new ArrayList<>();
                    for (Header each : record.headers()) {
                        headers.add(String.format("{\"key\": \"%s\", \"value\": %s}", each.key(), hex(each.value() == null ? null : ByteBuffer.wrap(each.value()))));
                    }
                    records.add(String.format("{\"offset\": %d, \"timestamp\": %s, \"timestamp_type\": %s, \"key\": %s, \"value\": %s, \"headers\": [%s], \"is_control\": %s}",
                        record.offset(), time(batch, record.timestamp()), type(batch), hex(record.key()), hex(record.value()), String.join(", ", headers), batch.isControlBatch()));
                }
            }
            cases.printf("{\"file\": \"%s\", \"rows\": [%s]}%n", name, String.join(", ", records));
            cases.printf("{\"file\": \"%s\", \"table\": \"batches\", \"rows\": [%s]}%n", name, String.join(", ", found));
        }
    }

    // Version 0 has no timestamps.
    static String type(RecordBatch batch) {
        return batch.magic() == 0 ? "null" : batch.timestampType() == TimestampType.CREATE_TIME ? "\"create_time\"" : "\"log_append_time\"";
    }

    static String time(RecordBatch batch, long timestamp) {
        return batch.magic() == 0 ? "null" : Long.toString(timestamp);
    }

    static String hex(ByteBuffer value) {
        if (value == null) {
            return "null";
        }
        byte[] made = new byte[value.remaining()];
        value.duplicate().get(made);
        return "\"" + HexFormat.of().formatHex(made) + "\"";
    }
}
