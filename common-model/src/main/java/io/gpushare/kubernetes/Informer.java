package io.gpushare.kubernetes;

import io.gpushare.kubernetes.wire.ApiObject;
import io.gpushare.kubernetes.wire.ObjectList;
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
import java.lang.reflect.Type;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Collection;
import java.util.function.Consumer;
import java.util.function.Function;
import okhttp3.Call;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A cache of all API objects of one kind, kept up to date by one list and a watch. Each page of a list has a deadline, and
 * each watch ends; after a failure the list is repeated.
 */
public final class Informer<T> implements AutoCloseable {
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
     * @param paged whether its lists are requested a page at a time, so that the text of a large cluster's list is never
     *     in memory as a whole; the API server then reads its storage, not its cache
     */
    record Kind<O extends ApiObject, L extends ObjectList<O>, T>(
            String plural,
            Class<O> type,
            Class<L> listType,
            Type watchType,
            Request request,
            boolean paged,
            Consumer<O> strip,
            Function<O, T> state) {
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
    private final Function<ApiObject, T> state;
    private final Source<?, ?> source;

    private Informer(
            SharedInformerFactory factory,
            SharedIndexInformer<? extends ApiObject> informer,
            Function<ApiObject, T> state,
            Source<?, ?> source) {
        this.factory = factory;
        this.informer = informer;
        this.state = state;
        this.source = source;
    }

    static <O extends ApiObject, L extends ObjectList<O>, T> Informer<T> start(
            Watches watches, Kind<O, L, T> kind, Listener<T> listener, InstantSource clock) {
        SharedInformerFactory factory = new SharedInformerFactory(watches.client());
        Source<O, L> source = new Source<>(watches, kind, clock);
        SharedIndexInformer<O> informer = factory.sharedIndexInformerFor(source, kind.type(), 0);
        Informer<T> watched = new Informer<>(
                factory, informer, object -> kind.state().apply(kind.type().cast(object)), source);
        informer.addEventHandler(new ResourceEventHandler<O>() {
            @Override
            public void onAdd(O added) {
                listener.changed(kind.state().apply(added));
            }

            @Override
            public void onUpdate(O before, O now) {
                listener.changed(kind.state().apply(now));
            }

            @Override
            public void onDelete(O last, boolean stale) {
                listener.gone(kind.state().apply(last));
            }
        });
        factory.startAllRegisteredInformers();
        return watched;
    }

    /** Whether the first list was read. It stays true when the API server is unreachable: see {@link #lastHeard}. */
    public boolean synced() {
        return informer.hasSynced();
    }

    /** The time of the API server's last list, event or bookmark. */
    public Instant lastHeard() {
        return source.heard;
    }

    /** The latest known state of every object. */
    public Collection<T> all() {
        return informer.getIndexer().list().stream().map(state).toList();
    }

    @Override
    public void close() {
        factory.stopAllRegisteredInformers();
    }

    /** Lists and watches. It records the time of each response and strips objects before they are cached. */
    private static final class Source<O extends ApiObject, L extends ObjectList<O>> implements ListerWatcher<O, L> {
        private final ApiClient client;
        private final Duration deadline;
        private final Kind<O, L, ?> kind;
        private final InstantSource clock;
        private volatile Instant heard = Instant.EPOCH;
        private volatile String failure = "";

        Source(Watches watches, Kind<O, L, ?> kind, InstantSource clock) {
            this.client = watches.client();
            this.deadline = watches.page();
            this.kind = kind;
            this.clock = clock;
        }

        @Override
        public L list(CallGeneratorParams params) throws ApiException {
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

        private L pages(CallGeneratorParams params) throws ApiException {
            L all = page(params, Page.FIRST);
            for (Page next = Page.FIRST.after(all); next.next() != null; next = next.after(all)) {
                all.add(page(params, next));
            }
            return all;
        }

        private L page(CallGeneratorParams params, Page page) throws ApiException {
            Call call = KubernetesApi.within(deadline, kind.request().call(params, page));
            L list = client.<L>execute(call, kind.listType()).getData();
            list.getItems().forEach(kind.strip());
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
            Watch<O> watch;
            try {
                Call call = kind.request().call(params, Page.WHOLE);
                if (params.timeoutSeconds != null) {
                    KubernetesApi.within(AFTER_WATCH.plusSeconds(params.timeoutSeconds), call);
                }
                watch = Watch.createWatch(client, call, kind.watchType());
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
                    if (event.object != null) {
                        kind.strip().accept(event.object);
                    }
                    return event;
                }

                @Override
                public java.util.Iterator<Watch.Response<O>> iterator() {
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
