package io.gpushare.kubernetes.wire;

import com.google.gson.JsonParseException;
import com.google.gson.Strictness;
import com.google.gson.stream.JsonReader;
import com.google.gson.stream.JsonToken;
import io.kubernetes.client.openapi.ApiException;
import io.kubernetes.client.util.Watch;
import io.kubernetes.client.util.Watchable;
import java.io.EOFException;
import java.io.IOException;
import java.time.DateTimeException;
import java.util.Iterator;
import okhttp3.Call;
import okhttp3.Response;

/**
 * The responses of the API server, read while they arrive. The client library reads a whole body, and of a watch a whole
 * line, before it parses them: a list of a few hundred pods with long annotations would fill the plugin's heap.
 */
public final class Responses {
    // The body of a failure is a small Status.
    private static final long MOST_OF_A_FAILURE = 64 << 10;

    private Responses() {}

    /** Reads one value of a body. */
    public interface Parser<V> {
        V read(JsonReader in) throws IOException;
    }

    /** A call whose response the client library reads. */
    public interface LibraryCall<V> {
        V make() throws ApiException;
    }

    /** Makes the call. The library throws other exceptions if a body breaks off, or takes longer than the call may. */
    public static <V> V of(LibraryCall<V> call) throws ApiException {
        try {
            return call.make();
        } catch (JsonParseException e) {
            throw new ApiException(e.getCause() == null ? e : e.getCause());
        }
    }

    /** Makes the call, and reads its response. */
    public static <V> V read(Call call, Parser<V> parser) throws ApiException {
        try (Response response = successful(call)) {
            return parser.read(new JsonReader(response.body().charStream()));
        } catch (IOException | JsonParseException | IllegalStateException | DateTimeException e) {
            throw new ApiException(e);
        }
    }

    /** Makes the call, and reads the events of its response as they arrive. */
    public static <O extends ApiObject> Watchable<O> watch(Call call, ObjectReader<O> reader) throws ApiException {
        try {
            return new Events<>(call, successful(call), reader);
        } catch (IOException e) {
            throw new ApiException(e);
        }
    }

    private static Response successful(Call call) throws ApiException, IOException {
        Response response = call.execute();
        if (response.isSuccessful()) {
            return response;
        }
        try (response) {
            throw new ApiException(
                    response.message(),
                    response.code(),
                    response.headers().toMultimap(),
                    response.peekBody(MOST_OF_A_FAILURE).string());
        }
    }

    /** The events of one watch. */
    private static final class Events<O extends ApiObject> implements Watchable<O> {
        // The library's reflector knows a broken connection by these words, and watches again without an error in the
        // log.
        private static final String BROKEN = "IO Exception during hasNext or next: ";

        private final Call call;
        private final Response response;
        private final ObjectReader<O> reader;
        private final JsonReader in;

        Events(Call call, Response response, ObjectReader<O> reader) {
            this.call = call;
            this.response = response;
            this.reader = reader;
            this.in = new JsonReader(response.body().charStream());
            in.setStrictness(Strictness.LENIENT); // one value after another
        }

        @Override
        public boolean hasNext() {
            try {
                return in.peek() != JsonToken.END_DOCUMENT;
            } catch (EOFException e) {
                return false; // the watch ended without an event
            } catch (IOException e) {
                throw new IllegalStateException(BROKEN + e.getMessage(), e);
            }
        }

        @Override
        public Watch.Response<O> next() {
            try {
                return reader.event(in);
            } catch (IOException e) {
                throw new IllegalStateException(BROKEN + e.getMessage(), e);
            }
        }

        @Override
        public Iterator<Watch.Response<O>> iterator() {
            return this;
        }

        @Override
        public void close() {
            call.cancel();
            response.close();
        }
    }
}
