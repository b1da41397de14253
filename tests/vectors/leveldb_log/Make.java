// java -cp rocksdbjni.jar Make.java: writes kinds.log, transactions.log and compressed.log beside it with RocksDB (Maven:
// org.rocksdb:rocksdbjni 9.8.4), and the changes that RocksDB itself reads from them.

import java.io.FileOutputStream;
import java.io.PrintStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Properties;
import java.util.Random;
import org.rocksdb.ColumnFamilyDescriptor;
import org.rocksdb.ColumnFamilyHandle;
import org.rocksdb.DBOptions;
import org.rocksdb.RocksDB;
import org.rocksdb.StringAppendOperator;
import org.rocksdb.Transaction;
import org.rocksdb.TransactionDB;
import org.rocksdb.TransactionDBOptions;
import org.rocksdb.TransactionLogIterator;
import org.rocksdb.TransactionOptions;
import org.rocksdb.WriteBatch;
import org.rocksdb.WriteOptions;

public class Make {
    static final Random RANDOM = new Random(4);
    static PrintStream cases;

    interface Work {
        void on(RocksDB store, ColumnFamilyHandle other) throws Exception;
    }

    public static void main(String[] arguments) throws Exception {
        RocksDB.loadLibrary();
        cases = new PrintStream(new FileOutputStream("cases-java.jsonl"), false, "UTF-8");
        made("kinds.log", false, "kNoCompression", Make::kinds);
        made("transactions.log", true, "kNoCompression", Make::transactions);
        made("compressed.log", false, "kZSTD", Make::compressed);
        cases.close();
    }

    static void kinds(RocksDB store, ColumnFamilyHandle other) throws Exception {
        try (WriteOptions how = new WriteOptions(); WriteBatch batch = new WriteBatch()) {
            store.put(bytes("a"), bytes("1"));
            batch.putLogData(bytes("before"));
            batch.put(bytes("b"), bytes(""));
            batch.put(other, bytes(""), random(300));
            batch.merge(bytes("b"), bytes("2"));
            batch.merge(other, bytes("c"), bytes("3"));
            batch.putLogData(bytes(""));
            batch.singleDelete(bytes("b"));
            batch.singleDelete(other, bytes("c"));
            batch.deleteRange(bytes("d"), bytes("e"));
            batch.deleteRange(other, bytes("f"), bytes("g"));
            batch.delete(bytes("h"));
            batch.delete(other, random(200));
            batch.putLogData(bytes("after"));
            store.write(how, batch);
            store.put(other, bytes("large"), random(40000));
            store.delete(bytes("a"));
        }
    }

    static void transactions(RocksDB store, ColumnFamilyHandle other) throws Exception {
        TransactionDB transactions = (TransactionDB) store;
        try (WriteOptions how = new WriteOptions(); TransactionOptions options = new TransactionOptions()) {
            store.put(bytes("a"), bytes("1"));
            for (int number = 0; number < 3; number++) {
                try (Transaction each = transactions.beginTransaction(how, options)) {
                    each.setName("number" + number);
                    each.put(bytes("b" + number), bytes("2"));
                    each.put(other, bytes("c"), bytes("3"));
                    each.delete(bytes("a"));
                    each.prepare();
                    if (number == 1) {
                        each.rollback();
                    } else {
                        each.commit();
                    }
                }
            }
            try (Transaction each = transactions.beginTransaction(how, options)) {
                each.put(bytes("d"), bytes("4"));
                each.commit();
            }
        }
    }

    static void compressed(RocksDB store, ColumnFamilyHandle other) throws Exception {
        for (int number = 0; number < 30; number++) {
            store.put(other, bytes("key" + number), number == 4 ? random(40000) : "value".repeat(number * 40).getBytes());
        }
        store.delete(bytes("key0"));
    }

    static void made(String name, boolean transactional, String compression, Work work) throws Exception {
        Path folder = Files.createTempDirectory("store");
        Properties given = new Properties();
        given.setProperty("wal_compression", compression);
        try (DBOptions options = DBOptions.getDBOptionsFromProps(given)) {
            options.setCreateIfMissing(true).setCreateMissingColumnFamilies(true);
            List<ColumnFamilyDescriptor> families = new ArrayList<>();
            List<ColumnFamilyHandle> handles = new ArrayList<>();
            for (String family : new String[] {"default", "other"}) {
                families.add(new ColumnFamilyDescriptor(family.getBytes()));
                families.get(families.size() - 1).getOptions().setMergeOperator(new StringAppendOperator(','));
            }
            String path = folder.toString();
            RocksDB store = transactional
                ? TransactionDB.open(options, new TransactionDBOptions(), path, families, handles)
                : RocksDB.open(options, path, families, handles);
            work.on(store, handles.get(1));
            store.flushWal(true);
            Path log;
            try (var found = Files.list(folder)) {
                log = found.filter(each -> each.toString().endsWith(".log")).findFirst().get();
            }
            Files.write(Path.of(name), Files.readAllBytes(log));
            Rows rows = new Rows();
            if (transactional) {
                // RocksDB's iterator stops at the first commit, which has no sequence number of its own.
                records(Files.readAllBytes(log), rows);
            } else {
                updates(store, rows);
            }
            cases.println("{\"file\": \"" + name + "\", \"table\": \"changes\", \"rows\": [" + String.join(", ", rows.made) + "]}");
        }
    }

    static void updates(RocksDB store, Rows rows) throws Exception {
        try (TransactionLogIterator each = store.getUpdatesSince(0)) {
            for (; each.isValid(); each.next()) {
                TransactionLogIterator.BatchResult batch = each.getBatch();
                rows.sequence = batch.sequenceNumber();
                batch.writeBatch().iterate(rows);
            }
        }
    }

    // The batches of a log that is one block, with all records in one piece.
    static void records(byte[] log, Rows rows) throws Exception {
        ByteBuffer left = ByteBuffer.wrap(log).order(ByteOrder.LITTLE_ENDIAN);
        while (left.hasRemaining()) {
            left.getInt();
            byte[] data = new byte[left.getShort()];
            int kind = left.get();
            left.get(data);
            if (kind == 1) {
                rows.sequence = ByteBuffer.wrap(data).order(ByteOrder.LITTLE_ENDIAN).getLong();
                new WriteBatch(data).iterate(rows);
            }
        }
    }

    static class Rows extends WriteBatch.Handler {
        final List<String> made = new ArrayList<>();
        long sequence;

        void add(String type, Integer family, byte[] key, byte[] value, byte[] xid, boolean counted) {
            made.add(String.format("{\"sequence\": %d, \"type\": \"%s\", \"column_family\": %s, \"key\": %s, \"value\": %s, \"xid\": %s}",
                sequence, type, family, text(key), text(value), text(xid)));
            sequence += counted ? 1 : 0;
        }

        public void put(int family, byte[] key, byte[] value) { add("put", family, key, value, null, true); }
        public void put(byte[] key, byte[] value) { add("put", null, key, value, null, true); }
        public void merge(int family, byte[] key, byte[] value) { add("merge", family, key, value, null, true); }
        public void merge(byte[] key, byte[] value) { add("merge", null, key, value, null, true); }
        public void delete(int family, byte[] key) { add("delete", family, key, null, null, true); }
        public void delete(byte[] key) { add("delete", null, key, null, null, true); }
        public void singleDelete(int family, byte[] key) { add("single_delete", family, key, null, null, true); }
        public void singleDelete(byte[] key) { add("single_delete", null, key, null, null, true); }
        public void deleteRange(int family, byte[] begin, byte[] end) { add("delete_range", family, begin, end, null, true); }
        public void deleteRange(byte[] begin, byte[] end) { add("delete_range", null, begin, end, null, true); }
        public void putBlobIndex(int family, byte[] key, byte[] value) { add("blob_index", family, key, value, null, true); }
        public void logData(byte[] blob) { add("log_data", null, null, blob, null, false); }
        public void markBeginPrepare() { add("begin_prepare", null, null, null, null, false); }
        public void markEndPrepare(byte[] xid) { add("end_prepare", null, null, null, xid, false); }
        public void markNoop(boolean empty) { add("noop", null, null, null, null, false); }
        public void markCommit(byte[] xid) { add("commit", null, null, null, xid, false); }
        public void markCommitWithTimestamp(byte[] xid, byte[] at) { add("commit_with_timestamp", null, null, at, xid, false); }
        public void markRollback(byte[] xid) { add("rollback", null, null, null, xid, false); }
    }

    static byte[] bytes(String text) { return text.getBytes(); }

    static byte[] random(int size) {
        byte[] made = new byte[size];
        RANDOM.nextBytes(made);
        return made;
    }

    static String text(byte[] data) {
        if (data == null) {
            return "null";
        }
        try {
            String digest = HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(data));
            return "\"" + (data.length <= 1000 ? HexFormat.of().formatHex(data) : "sha256:" + digest) + "\"";
        } catch (java.security.NoSuchAlgorithmException error) {
            throw new IllegalStateException(error);
        }
    }
}
