package io.gpushare.simulated.apiserver;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.gpushare.simulated.apiserver.response.ListResponse;
import io.gpushare.simulated.apiserver.store.ApiError;
import io.gpushare.simulated.apiserver.store.ApiResource;
import io.gpushare.simulated.apiserver.store.Documents;
import io.gpushare.simulated.apiserver.store.ObjectKey;
import io.gpushare.simulated.apiserver.store.ObjectStore;
import io.gpushare.simulated.apiserver.store.Selection;
import java.time.Duration;
import java.time.InstantSource;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Requests about objects, whatever carries them: paths, parameters and bodies in, and what answers them out. */
public final class ObjectRequests {
    /**
     * A request about objects.
     *
     * @param parameter the value of a parameter of the query; null if it has none
     * @param body empty for none
     */
    @SuppressWarnings("ArrayRecordComponent") // it is carried, and never compared
    public record Request(
            String method,
            String path,
            Function<String, @Nullable String> parameter,
            @Nullable String contentType,
            byte[] body) {}

    /** What answers a request. */
    public sealed interface Answer {
        /** One object, or a Status. */
        record Document(int code, ApiPath path, ObjectNode document) implements Answer {}

        /**
         * A page of a list.
         *
         * @param begun what the request continues; null for the first page
         */
        record Page(ApiResource resource, ObjectStore.Page page, ListResponse.@Nullable Continue begun)
                implements Answer {}

        /**
         * A watch.
         *
         * @param since the version to start after; 0 for all current objects, then changes
         * @param length null for as long as the server likes
         */
        record Watch(
                ApiResource resource,
                Selection selection,
                long since,
                @Nullable Duration length,
                boolean bookmarks) implements Answer {}
    }

    private final ObjectStore store;
    private final ObjectVerbs verbs;
    private final InstantSource clock;

    public ObjectRequests(ObjectStore store, InstantSource clock) {
        this.store = store;
        this.verbs = new ObjectVerbs(store, clock);
        this.clock = clock;
    }

    /** Reads or changes objects; throws what refuses the request. */
    public Answer answer(Request request) {
        ApiPath path = ApiPath.parse(request.path());
        if (!request.method().equals("GET")) {
            return new Answer.Document(request.method().equals("POST") ? 201 : 200, path, change(request));
        }
        if (path.name().isEmpty()) {
            Selection selection = Selection.parse(
                    path.resource(),
                    path.namespace(),
                    request.parameter().apply("fieldSelector"),
                    request.parameter().apply("labelSelector"));
            return isTrue(request.parameter().apply("watch"))
                    ? watch(request, path.resource(), selection)
                    : list(request, path.resource(), selection);
        }
        if (path.subresource().isEmpty() || path.subresource().equals("status")) {
            return new Answer.Document(200, path, store.get(path.resource(), path.key()));
        }
        if (scale(path)) {
            return new Answer.Document(200, path, Scale.of(store.get(path.resource(), path.key())));
        }
        throw ApiError.methodNotAllowed();
    }

    private static boolean scale(ApiPath path) {
        return path.subresource().equals("scale") && path.resource() == ApiResource.DEPLOYMENTS;
    }

    /** Changes objects, and returns the document that answers. */
    ObjectNode change(Request request) {
        ApiPath path = ApiPath.parse(request.path());
        ObjectNode document = request.body().length == 0 ? Documents.empty() : Documents.parse(request.body());
        boolean collection = path.name().isEmpty();
        boolean whole = path.subresource().isEmpty();
        boolean status = path.subresource().equals("status") && path.resource().hasStatus;
        boolean binding = path.subresource().equals("binding") && path.resource() == ApiResource.PODS;
        String verb = request.method();
        if (verb.equals("POST") && collection) {
            return verbs.create(path, document);
        }
        if (verb.equals("POST") && binding) {
            return verbs.bind(path, document);
        }
        if (verb.equals("POST") && path.subresource().equals("eviction") && path.resource() == ApiResource.PODS) {
            return new PodEviction(store, verbs, clock).evict(path, document);
        }
        if ((verb.equals("PUT") || verb.equals("PATCH")) && scale(path)) {
            return Scale.of(store.update(path.resource(), path.key(), before -> Scale.apply(before, document)));
        }
        if (verb.equals("PUT") && !collection && (whole || status)) {
            return verbs.replace(path, document);
        }
        if (verb.equals("PATCH") && !collection && (whole || status)) {
            return verbs.patch(path, request.contentType(), document);
        }
        if (verb.equals("DELETE") && !collection && whole) {
            return verbs.delete(path, request.parameter().apply("gracePeriodSeconds"), document);
        }
        throw ApiError.methodNotAllowed();
    }

    private Answer.Page list(Request request, ApiResource resource, Selection selection) {
        long limit = number(request.parameter().apply("limit"));
        ListResponse.@Nullable Continue begun =
                ListResponse.Continue.parse(request.parameter().apply("continue"));
        ObjectKey after = begun == null ? new ObjectKey("", "") : begun.after();
        int size = limit <= 0 ? Integer.MAX_VALUE : (int) Math.min(limit, Integer.MAX_VALUE);
        return new Answer.Page(resource, store.list(resource, selection, after, size), begun);
    }

    private static Answer.Watch watch(Request request, ApiResource resource, Selection selection) {
        long seconds = number(request.parameter().apply("timeoutSeconds"));
        return new Answer.Watch(
                resource,
                selection,
                number(request.parameter().apply("resourceVersion")),
                seconds > 0 ? Duration.ofSeconds(seconds) : null,
                isTrue(request.parameter().apply("allowWatchBookmarks")));
    }

    private static boolean isTrue(@Nullable String parameter) {
        return "true".equals(parameter) || "1".equals(parameter);
    }

    private static long number(@Nullable String parameter) {
        try {
            return parameter == null || parameter.isEmpty() ? 0 : Long.parseLong(parameter);
        } catch (NumberFormatException _) {
            throw ApiError.badRequest("not a whole number: " + parameter);
        }
    }
}
