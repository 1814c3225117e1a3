package io.gpushare.plugin.node.metrics;

import io.gpushare.time.Machine;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.util.zip.Deflater;
import java.util.zip.DeflaterOutputStream;
import java.util.zip.InflaterInputStream;

/**
 * All metrics at one moment. Names of pods repeat in it, so it is kept compressed: a page of 5 MB takes less than a
 * tenth of that, however many callers read it, and however slowly.
 */
final class MetricsPage {
    private final byte[] compressed;
    private final long length;
    private final long begun;

    private MetricsPage(byte[] compressed, long length, long begun) {
        this.compressed = compressed;
        this.length = length;
        this.begun = begun;
    }

    /** Writes the values of a page. */
    @FunctionalInterface
    interface Writer {
        void write(OutputStream page) throws IOException;
    }

    static MetricsPage of(Writer writer) {
        long begun = Machine.here().nanos();
        ByteArrayOutputStream bytes = new ByteArrayOutputStream(4096);
        Deflater deflater = new Deflater(Deflater.BEST_SPEED);
        try (DeflaterOutputStream page = new DeflaterOutputStream(bytes, deflater)) {
            writer.write(page);
            page.finish();
            return new MetricsPage(bytes.toByteArray(), deflater.getBytesRead(), begun);
        } catch (IOException e) {
            throw new UncheckedIOException("a write to memory can't fail", e);
        } finally {
            deflater.end();
        }
    }

    /** In bytes. */
    long length() {
        return length;
    }

    /** Whether its first value was read after that time of the steady clock. */
    boolean newerThan(long nanoTime) {
        return begun - nanoTime >= 0;
    }

    void writeTo(OutputStream caller) throws IOException {
        try (InputStream page = new InflaterInputStream(new ByteArrayInputStream(compressed))) {
            page.transferTo(caller);
        }
    }
}
