package io.gpushare.histories.world;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.gpushare.histories.machine.SimulatedMachine;
import io.gpushare.histories.machine.Turns;
import io.gpushare.kubernetes.ApiTransport;
import io.gpushare.simulated.apiserver.AccessAnswers;
import io.gpushare.simulated.apiserver.ObjectRequests;
import io.gpushare.simulated.apiserver.response.Discovery;
import io.gpushare.simulated.apiserver.response.ListResponse;
import io.gpushare.simulated.apiserver.store.ApiError;
import io.gpushare.simulated.apiserver.store.ApiResource;
import io.gpushare.simulated.apiserver.store.ClusterObjects;
import io.gpushare.simulated.apiserver.store.Documents;
import io.gpushare.simulated.apiserver.store.ObjectStore;
import io.gpushare.simulated.apiserver.store.Selection;
import io.gpushare.simulated.client.ApiWire;
import io.gpushare.time.Machines;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.ConnectException;
import java.net.SocketTimeoutException;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The API servers of the cluster, in memory. A request takes effect when it arrives, whatever becomes of its caller;
 * its response may be lost. Lists of any version, and watches, come from one of several caches.
 */
public final class LocalApi {
    private static final Logger LOG = LoggerFactory.getLogger(LocalApi.class);
    private static final int REPLICAS = 2;
    private static final int MEMORY = 1_000_000;
    private static final Duration USUAL_DEADLINE = Duration.ofSeconds(10);
    private static final Duration CLIENT_DEADLINE = Duration.ofSeconds(30);
    private static final Duration PINGS = Duration.ofSeconds(20);
    private static final Duration WATCH = Duration.ofMinutes(8);

    private final Turns turns;
    private final Network network;
    private final SimulatedMachine machine;
    private final ObjectStore store;
    private final ObjectRequests requests;
    private final List<ApiReplica> replicas = new ArrayList<>();
    private final AccessAnswers access = new AccessAnswers();
    private Runnable bound = () -> {};
    private @Nullable Duration bindsAfter;
    /** What happens when that machine next writes a Lease. */
    private final Map<String, Runnable> atLease = new HashMap<>();

    private boolean down;

    /** A request as it is sent. */
    @SuppressWarnings("ArrayRecordComponent") // it is carried, and never compared
    private record Sent(String method, String path, Map<String, String> query, String contentType, byte[] body) {
        boolean watches() {
            return query.getOrDefault("watch", "").equals("true");
        }

        boolean binds() {
            return path.endsWith("/binding");
        }

        /** Whether it is a list that an old state may answer. */
        boolean anyVersion() {
            return method.equals("GET") && !watches() && query.containsKey("resourceVersion");
        }
    }

    /** What comes back. */
    private record Received(int status, InputStream body) {}

    LocalApi(Turns turns, Network network) {
        this.turns = turns;
        this.network = network;
        machine = turns.machine("api");
        store = new ObjectStore(turns::now, MEMORY);
        requests = new ObjectRequests(store, turns::now);
        for (int i = 0; i < REPLICAS; i++) {
            replicas.add(new ApiReplica(turns, network, store));
        }
    }

    /** The objects as they are now, for who made the world, and judges it. */
    public ClusterObjects objects() {
        return new ClusterObjects(store);
    }

    /** Is run after each Binding. */
    void onBinding(Runnable listener) {
        bound = listener;
    }

    /** A request of who makes the world: it takes effect at once, and what refuses it is left. */
    void request(String method, String path, ObjectNode body) {
        Machines.on(machine, () -> {
                    try {
                        var _ = requests.answer(new ObjectRequests.Request(
                                method,
                                path,
                                _ -> null,
                                method.equals("PATCH") ? "application/merge-patch+json" : "application/json",
                                Documents.bytes(body)));
                    } catch (ApiError refused) {
                        LOG.debug("{} {}: {}", method, path, refused.getMessage());
                    }
                })
                .run();
    }

    /** Answers nothing for that time. */
    public void downFor(Duration time) {
        down = true;
        replicas.forEach(ApiReplica::cutWatches);
        turns.after(time, () -> down = false);
    }

    /** The next Binding takes that long to arrive, so that its caller may have given up. */
    public void slowBinding(Duration time) {
        bindsAfter = time;
    }

    /** Does that when that machine next writes a Lease. */
    void atLease(SimulatedMachine writer, Runnable work) {
        atLease.put(writer.name(), work);
    }

    /** One of its caches hears of nothing new for that time. */
    public void stallOne(Duration time) {
        replicas.get(turns.random().nextInt(replicas.size())).stallFor(time);
    }

    /** Breaks the connections of all watches; with {@code forget} they can't go on from where they were. */
    public void cutWatches(boolean forget) {
        for (ApiReplica replica : replicas) {
            if (forget) {
                replica.forget();
            }
            replica.cutWatches();
        }
    }

    /** The wire of a program on that machine. */
    public ApiTransport transport(SimulatedMachine caller) {
        return new ApiTransport() {
            @Override
            public Answer send(Call call) throws IOException, InterruptedException {
                byte[] body = call.body() == null ? new byte[0] : call.body();
                Received received = LocalApi.this.send(
                        caller,
                        new Sent(call.method(), call.path(), call.query(), call.contentType(), body),
                        call.deadline() == null ? USUAL_DEADLINE : call.deadline());
                return new Answer(received.status(), received.body());
            }

            @Override
            public boolean named(String host) {
                return false;
            }

            @Override
            public void close() {
                // Nothing is kept open.
            }
        };
    }

    /** The same for a simulated part of Kubernetes. */
    public ApiWire wire(SimulatedMachine caller) {
        return new ApiWire() {
            @Override
            public Response send(String method, String path, String contentType, byte[] body)
                    throws IOException, InterruptedException {
                Received received = LocalApi.this.send(caller, sent(method, path, contentType, body), CLIENT_DEADLINE);
                return new Response(received.status(), true, received.body().readAllBytes());
            }

            @Override
            public Stream open(String path) throws IOException, InterruptedException {
                Received received =
                        LocalApi.this.send(caller, sent("GET", path, "", new byte[0]), WATCH.multipliedBy(2));
                return new Stream(received.status(), received.body());
            }

            @Override
            public void close() {
                // Nothing is kept open.
            }
        };
    }

    private static Sent sent(String method, String path, String contentType, byte[] body) {
        int question = path.indexOf('?');
        Map<String, String> query = new HashMap<>();
        if (question >= 0) {
            for (String pair : path.substring(question + 1).split("&")) {
                String[] parts = pair.split("=", 2);
                if (parts.length == 2) {
                    query.put(parts[0], URLDecoder.decode(parts[1], StandardCharsets.UTF_8));
                }
            }
        }
        return new Sent(method, question < 0 ? path : path.substring(0, question), query, contentType, body);
    }

    /** Sends a request from that machine, and waits for what comes back. */
    private Received send(SimulatedMachine caller, Sent request, Duration deadline)
            throws IOException, InterruptedException {
        if (deadline.isNegative() || deadline.isZero()) {
            throw new SocketTimeoutException("timeout");
        }
        if (down) {
            throw new ConnectException("connection refused");
        }
        if (!request.method().equals("GET") && request.path().contains("/leases/")) {
            Optional.ofNullable(atLease.remove(caller.name())).ifPresent(Runnable::run);
        }
        CompletableFuture<Received> response = new CompletableFuture<>();
        if (network.loses(caller)) {
            lose(response);
        } else {
            turns.after(delay(request), () -> arrive(caller, request, deadline, response));
        }
        try {
            // A connection over which no ping comes back is given up, however long its call may take.
            return caller.get(response, request.watches() ? PINGS : deadline);
        } catch (TimeoutException _) {
            throw new SocketTimeoutException("timeout");
        } catch (ExecutionException e) {
            throw new IOException(e.getMessage(), e);
        }
    }

    private Duration delay(Sent request) {
        Duration slow = request.binds() ? bindsAfter : null;
        if (slow == null) {
            return network.delay();
        }
        bindsAfter = null;
        return slow;
    }

    private void arrive(
            SimulatedMachine caller, Sent request, Duration deadline, CompletableFuture<Received> response) {
        Machines.on(machine, () -> {
                    if (down) {
                        return;
                    }
                    Received answer = answer(caller, request, deadline);
                    if (network.loses(caller)) {
                        lose(response);
                    } else {
                        turns.after(network.delay(), () -> response.complete(answer));
                    }
                })
                .run();
    }

    /** The caller waits for nothing, or learns soon that its connection is gone. */
    private void lose(CompletableFuture<Received> response) {
        if (turns.random().nextBoolean()) {
            turns.after(network.delay(), () -> response.completeExceptionally(new IOException("connection reset")));
        }
    }

    private Received answer(SimulatedMachine caller, Sent request, Duration deadline) {
        if (request.path().equals("/version/")) {
            return of(
                    200, Documents.empty().put("major", "1").put("minor", "36").put("gitVersion", "v1.36.0"));
        }
        Optional<ObjectNode> group = request.method().equals("GET")
                ? Discovery.document(request.path().replaceFirst("/$", ""))
                : Optional.empty();
        if (group.isPresent()) {
            return of(200, group.get());
        }
        Optional<ObjectNode> review =
                request.method().equals("POST") ? access.answer(request.path(), request.body()) : Optional.empty();
        if (review.isPresent()) {
            return of(201, review.get());
        }
        try {
            return switch (requests.answer(new ObjectRequests.Request(
                    request.method(), request.path(), request.query()::get, request.contentType(), request.body()))) {
                case ObjectRequests.Answer.Document(int code, var path, ObjectNode document) -> {
                    if (path.subresource().equals("binding")) {
                        bound.run();
                    }
                    yield of(code, document);
                }
                case ObjectRequests.Answer.Page(ApiResource resource, ObjectStore.Page page, var begun) ->
                    of(200, list(resource, request, page, begun));
                case ObjectRequests.Answer.Watch watch -> watched(caller, watch, deadline);
            };
        } catch (ApiError refusal) {
            return of(refusal.code(), refusal.status());
        } catch (RuntimeException bug) {
            LOG.error("{} {} failed", request.method(), request.path(), bug);
            ApiError error = ApiError.internal(String.valueOf(bug.getMessage()));
            return of(error.code(), error.status());
        }
    }

    private static Received of(int status, ObjectNode document) {
        return new Received(status, new ByteArrayInputStream(Documents.bytes(document)));
    }

    private ApiReplica replica() {
        return replicas.get(turns.random().nextInt(replicas.size()));
    }

    private ObjectNode list(
            ApiResource resource, Sent request, ObjectStore.Page newest, ListResponse.@Nullable Continue begun) {
        ObjectStore.Page page = newest;
        if (request.anyVersion()) {
            ApiReplica replica = replica();
            if (replica.has(resource, Long.parseLong(request.query().getOrDefault("resourceVersion", "0")))) {
                page = replica.list(
                        resource,
                        Selection.parse(
                                resource,
                                "",
                                request.query().get("fieldSelector"),
                                request.query().get("labelSelector")));
            }
        }
        ObjectNode list = ListResponse.head(resource, page, begun);
        var items = list.putArray("items");
        page.objects().forEach(items::add);
        return list;
    }

    private Received watched(SimulatedMachine caller, ObjectRequests.Answer.Watch watch, Duration deadline) {
        EventStream stream = new EventStream(caller, deadline);
        replica().watch(caller, watch, stream, watch.length() == null ? WATCH : watch.length());
        return new Received(200, stream);
    }
}
