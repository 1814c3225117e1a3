package io.gpushare.simulated.apiserver.store;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * One change of an object: the previous document (absent for a creation), the current one (for a removal the last one,
 * with the version of the removal), and the version of the change. The documents are never modified.
 */
public final class Change {
    final long version;
    final @Nullable ObjectNode before;
    final ObjectNode object;
    final boolean removed;
    private volatile byte @Nullable [] encoded;

    Change(long version, @Nullable ObjectNode before, ObjectNode object, boolean removed) {
        this.version = version;
        this.before = before;
        this.object = object;
        this.removed = removed;
    }

    /** The version of the change. */
    public long version() {
        return version;
    }

    /** The object as it is now, or was last. */
    public ObjectNode object() {
        return object;
    }

    /** Whether the object is gone. */
    public boolean removed() {
        return removed;
    }

    /** A creation of an object that was there before a watch began. */
    public static Change present(long version, ObjectNode object) {
        return new Change(version, null, object, false);
    }

    /**
     * The watch event for a watcher with this selection, as one JSON line; empty if the object is outside of the
     * selection before and after. An object that enters or leaves the selection leads to ADDED or DELETED.
     */
    public Optional<byte[]> seenBy(Selection selection) {
        boolean was = before != null && selection.matches(before);
        boolean is = !removed && selection.matches(object);
        if (!was && !is) {
            return Optional.empty();
        }
        return Optional.of(line(was ? is ? "MODIFIED" : "DELETED" : "ADDED", json()));
    }

    public static byte[] line(String type, byte[] object) {
        byte[] head = ("{\"type\":\"" + type + "\",\"object\":").getBytes(StandardCharsets.UTF_8);
        byte[] line = new byte[head.length + object.length + 2];
        System.arraycopy(head, 0, line, 0, head.length);
        System.arraycopy(object, 0, line, head.length, object.length);
        line[line.length - 2] = '}';
        line[line.length - 1] = '\n';
        return line;
    }

    private byte[] json() {
        byte[] bytes = encoded;
        if (bytes == null) {
            bytes = Documents.bytes(object);
            encoded = bytes;
        }
        return bytes;
    }
}
