package io.gpushare.simulated.apiserver.response;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.gpushare.simulated.apiserver.store.ApiError;
import io.gpushare.simulated.apiserver.store.ApiResource;
import io.gpushare.simulated.apiserver.store.Documents;
import io.gpushare.simulated.apiserver.store.ObjectKey;
import io.gpushare.simulated.apiserver.store.ObjectStore;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerResponse;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.Iterator;
import org.jspecify.annotations.Nullable;

/**
 * Writes a list object by object at the client's pace, so that a list of any length needs little memory. The pages of a
 * list carry the version of its first page but contain the current objects: a client that watches from that version
 * receives every change that the pages lack. (The real server's pages show the state of the first page, and can
 * expire.)
 */
public final class ListResponse {
    /** The start of the next page, and the version of the list. */
    public record Continue(ObjectKey after, long version) {
        public static @Nullable Continue parse(@Nullable String token) {
            if (token == null || token.isEmpty()) {
                return null;
            }
            try {
                String[] parts = new String(Base64.getUrlDecoder().decode(token), StandardCharsets.UTF_8).split("\n");
                return new Continue(new ObjectKey(parts[1], parts[2]), Long.parseLong(parts[0]));
            } catch (IllegalArgumentException | ArrayIndexOutOfBoundsException _) {
                throw ApiError.badRequest("continue key is not valid: " + token);
            }
        }

        String token() {
            String text = version + "\n" + after.namespace() + "\n" + after.name();
            return Base64.getUrlEncoder().withoutPadding().encodeToString(text.getBytes(StandardCharsets.UTF_8));
        }
    }

    private static final int CHUNK = 64 * 1024;

    private final HttpServerResponse response;
    private final Iterator<ObjectNode> objects;
    private boolean first = true;

    private ListResponse(HttpServerResponse response, Iterator<ObjectNode> objects) {
        this.response = response;
        this.objects = objects;
    }

    /** The list without its items. */
    public static ObjectNode head(ApiResource resource, ObjectStore.Page page, @Nullable Continue begun) {
        ObjectNode head = Documents.empty();
        head.put("kind", resource.kind + "List").put("apiVersion", resource.apiVersion());
        long version = begun == null ? page.version() : begun.version();
        ObjectNode metadata = head.putObject("metadata").put("resourceVersion", Long.toString(version));
        if (page.more()) {
            metadata.put("continue", new Continue(ObjectKey.of(page.objects().getLast()), version).token());
        }
        return head;
    }

    public static void write(
            HttpServerResponse response, ApiResource resource, ObjectStore.Page page, @Nullable Continue begun) {
        String opening = new String(Documents.bytes(head(resource, page, begun)), StandardCharsets.UTF_8);
        response.putHeader("Content-Type", "application/json").setChunked(true);
        response.write(opening.substring(0, opening.length() - 1) + ",\"items\":[");
        new ListResponse(response, page.objects().iterator()).pump();
    }

    private void pump() {
        if (response.ended()) {
            return; // the queue drained once more after the last chunk
        }
        while (objects.hasNext()) {
            if (response.closed()) {
                return;
            }
            if (response.writeQueueFull()) {
                response.drainHandler(_ -> pump());
                return;
            }
            Buffer chunk = Buffer.buffer(CHUNK + 4096);
            while (objects.hasNext() && chunk.length() < CHUNK) {
                if (!first) {
                    chunk.appendByte((byte) ',');
                }
                first = false;
                chunk.appendBytes(Documents.bytes(objects.next()));
            }
            response.write(chunk);
        }
        response.end("]}");
    }
}
