package io.gpushare.kubernetes;

import io.gpushare.kubernetes.wire.ApiObject;
import io.gpushare.kubernetes.wire.ObjectList;
import io.gpushare.kubernetes.wire.ObjectReader;
import io.gpushare.kubernetes.wire.Responses;
import io.kubernetes.client.informer.ListerWatcher;
import io.kubernetes.client.informer.ResourceEventHandler;
import io.kubernetes.client.informer.SharedIndexInformer;
import io.kubernetes.client.informer.SharedInformerFactory;
import io.kubernetes.client.openapi.ApiClient;
import io.kubernetes.client.openapi.ApiException;
import io.kubernetes.client.util.CallGeneratorParams;
import io.kubernetes.client.util.Watch;
import io.kubernetes.client.util.Watchable;
import java.io.IOException;
import java.net.HttpURLConnection;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Iterator;
import java.util.function.Function;
import okhttp3.Call;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reports all API objects of one kind and their changes, by one list and a watch. It keeps no more of an object than its
 * identity. Each page of a list has a deadline, and each watch ends; after a failure the list is repeated.
 */
public final class Informer implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Informer.class);
    // The API server ends a watch after the time that the watch asks for.
    private static final Duration AFTER_WATCH = Duration.ofSeconds(30);

    /** Receives every change, from one thread and in order; also each object of the first list and of a relist. */
    public interface Listener<T> {
        void changed(T now);

        void gone(T last);
    }

    /**
     * One kind of object: how it is requested, read and reduced.
     *
     * @param paged whether its lists are requested a page at a time, so that the API server never holds the text of a large
     *     cluster's list; it then reads its storage, not its cache
     */
    record Kind<O extends ApiObject, T>(
            String plural, ObjectReader<O> reader, Request request, boolean paged, Function<O, T> state) {
        /** Makes the call for a list, or for a watch when {@code params.watch}. */
        interface Request {
            Call call(CallGeneratorParams params, Page page) throws ApiException;
        }
    }

    /**
     * A part of a list.
     *
     * @param limit the most objects; null for all
     * @param next the token of the page, from the page before; null for the first
     */
    record Page(@Nullable Integer limit, @Nullable String next) {
        static final Page WHOLE = new Page(null, null);
        static final Page FIRST = new Page(500, null);

        Page after(ObjectList<?> list) {
            return new Page(limit, list.next());
        }
    }

    /**
     * How objects are listed and watched.
     *
     * @param client has no deadline, because a watch has no response that ends
     * @param page the deadline of each page of a list
     */
    record Watches(ApiClient client, Duration page) {}

    private final SharedInformerFactory factory;
    private final SharedIndexInformer<? extends ApiObject> informer;
    private final Source<?> source;

    private Informer(
            SharedInformerFactory factory, SharedIndexInformer<? extends ApiObject> informer, Source<?> source) {
        this.factory = factory;
        this.informer = informer;
        this.source = source;
    }

    static <O extends ApiObject, T> Informer start(
            Watches watches, Kind<O, T> kind, Listener<T> listener, InstantSource clock) {
        SharedInformerFactory factory = new SharedInformerFactory(watches.client());
        Source<O> source = new Source<>(kind, watches.page(), clock);
        SharedIndexInformer<O> informer =
                factory.sharedIndexInformerFor(source, kind.reader().type(), 0);
        informer.addEventHandler(new ResourceEventHandler<O>() {
            @Override
            public void onAdd(O added) {
                listener.changed(kind.state().apply(added));
                added.forget();
            }

            @Override
            public void onUpdate(O before, O now) {
                // Recreated under its name while the watch was interrupted: for the client it is a change of one
                // object.
                if (!before.uid().equals(now.uid())) {
                    listener.gone(kind.state().apply(before));
                }
                listener.changed(kind.state().apply(now));
                now.forget();
            }

            @Override
            public void onDelete(O last, boolean stale) {
                listener.gone(kind.state().apply(last));
            }
        });
        factory.startAllRegisteredInformers();
        return new Informer(factory, informer, source);
    }

    /** Whether the first list was read. It stays true when the API server is unreachable: see {@link #lastHeard}. */
    public boolean synced() {
        return informer.hasSynced();
    }

    /** The time of the API server's last list, event or bookmark. */
    public Instant lastHeard() {
        return source.heard;
    }

    /** The number of objects. */
    public int size() {
        return informer.getIndexer().listKeys().size();
    }

    @Override
    public void close() {
        factory.stopAllRegisteredInformers();
    }

    /** Lists and watches, and records the time of each response. */
    private static final class Source<O extends ApiObject> implements ListerWatcher<O, ObjectList<O>> {
        private final Kind<O, ?> kind;
        private final Duration deadline;
        private final InstantSource clock;
        private volatile Instant heard = Instant.EPOCH;
        private volatile String failure = "";

        Source(Kind<O, ?> kind, Duration deadline, InstantSource clock) {
            this.deadline = deadline;
            this.kind = kind;
            this.clock = clock;
        }

        @Override
        public ObjectList<O> list(CallGeneratorParams params) throws ApiException {
            try {
                // All pages show the state at the time of the first. With a resource version the API server would
                // answer the whole list from its cache.
                return kind.paged()
                        ? pages(new CallGeneratorParams(false, null, params.timeoutSeconds))
                        : page(params, Page.WHOLE);
            } catch (ApiException e) {
                throw logged("listing ", e);
            }
        }

        private ObjectList<O> pages(CallGeneratorParams params) throws ApiException {
            ObjectList<O> all = page(params, Page.FIRST);
            try {
                for (Page next = Page.FIRST.after(all); next.next() != null; next = next.after(all)) {
                    all.add(page(params, next));
                }
                return all;
            } catch (ApiException e) {
                if (e.getCode() != HttpURLConnection.HTTP_GONE) {
                    throw e;
                }
                // The API server has discarded the state of the first page meanwhile. A whole list can't expire.
                return page(params, Page.WHOLE);
            }
        }

        private ObjectList<O> page(CallGeneratorParams params, Page page) throws ApiException {
            Call call = KubernetesApi.within(deadline, kind.request().call(params, page));
            ObjectList<O> list = Responses.read(call, kind.reader()::list);
            heard = clock.instant();
            return list;
        }

        /** The reflector retries every second, so the same failure is logged only once. */
        private ApiException logged(String doing, ApiException e) {
            String now = String.valueOf(
                    KubernetesException.of(doing + kind.plural(), e).getMessage());
            if (!now.equals(failure)) {
                LOG.warn("{}; retrying", now);
            }
            failure = now;
            return e;
        }

        @Override
        public Watchable<O> watch(CallGeneratorParams params) throws ApiException {
            Watchable<O> watch;
            try {
                Call call = kind.request().call(params, Page.WHOLE);
                if (params.timeoutSeconds != null) {
                    KubernetesApi.within(AFTER_WATCH.plusSeconds(params.timeoutSeconds), call);
                }
                watch = Responses.watch(call, kind.reader());
                failure = "";
            } catch (ApiException e) {
                throw logged("watching ", e);
            }
            return new Watchable<>() {
                @Override
                public boolean hasNext() {
                    return watch.hasNext();
                }

                @Override
                public Watch.Response<O> next() {
                    Watch.Response<O> event = watch.next();
                    heard = clock.instant();
                    return event;
                }

                @Override
                public Iterator<Watch.Response<O>> iterator() {
                    return this;
                }

                @Override
                public void close() throws IOException {
                    watch.close();
                }
            };
        }
    }
}
