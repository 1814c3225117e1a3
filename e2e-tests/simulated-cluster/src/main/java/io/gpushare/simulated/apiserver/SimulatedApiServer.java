package io.gpushare.simulated.apiserver;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.gpushare.simulated.apiserver.store.ApiResource;
import io.gpushare.simulated.apiserver.store.ClusterObjects;
import io.gpushare.simulated.apiserver.store.Documents;
import io.gpushare.simulated.apiserver.store.ObjectStore;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerOptions;
import java.net.URI;
import java.time.Duration;
import java.time.InstantSource;
import java.util.concurrent.CompletionException;

/**
 * A Kubernetes API server in memory on 127.0.0.1: pods, nodes, events and leases over plain HTTP, without
 * authentication, with the faults that a test injects. Closing it ends all connections and discards its state.
 */
public final class SimulatedApiServer implements AutoCloseable {
    /**
     * The configuration of the server.
     *
     * @param port the port; 0 for any free port
     * @param memory the minimum number of changes that each resource keeps for watches
     * @param bookmarkPeriod the time between two bookmarks (the real server: about a minute)
     * @param watchLength the length of a watch without a timeout
     */
    public record Options(int port, int memory, Duration bookmarkPeriod, Duration watchLength) {
        public static Options ordinary() {
            return new Options(0, 20_000, Duration.ofSeconds(30), Duration.ofMinutes(30));
        }
    }

    private final Vertx vertx;
    private final HttpServer server;
    private final ObjectStore store;
    private final RequestHandler requests;
    private final ApiFaults faults = new ApiFaults();
    private final RequestLog log = new RequestLog();

    private SimulatedApiServer(Options options, InstantSource clock) {
        vertx = Vertx.vertx();
        store = new ObjectStore(clock, options.memory());
        requests = new RequestHandler(vertx, store, faults, log, options, clock);
        server = vertx.createHttpServer(
                        new HttpServerOptions().setHost("127.0.0.1").setPort(options.port()))
                .requestHandler(requests::handle);
    }

    /** Starts the server; throws with the cause if the port is in use. */
    public static SimulatedApiServer start(Options options, InstantSource clock) {
        SimulatedApiServer started = new SimulatedApiServer(options, clock);
        try {
            started.server.listen().toCompletionStage().toCompletableFuture().join();
        } catch (CompletionException e) {
            started.close();
            throw new IllegalStateException("the simulated API server can't listen on port " + options.port(), e);
        }
        return started;
    }

    public static SimulatedApiServer start() {
        return start(Options.ordinary(), InstantSource.system());
    }

    public URI uri() {
        return URI.create("http://127.0.0.1:" + server.actualPort());
    }

    /** The text of a kubeconfig file for this server. */
    public String kubeconfig() {
        return kubeconfig("simulated");
    }

    /** The same for one user, who can be cut off. */
    public String kubeconfig(String user) {
        return """
            apiVersion: v1
            kind: Config
            current-context: simulated
            clusters:
            - {name: simulated, cluster: {server: "%s"}}
            users:
            - {name: anyone, user: {token: "%s"}}
            contexts:
            - {name: simulated, context: {cluster: simulated, user: anyone}}
            """.formatted(uri(), user);
    }

    /** Stores an object without HTTP, for clusters of thousands of objects, and returns its uid. */
    public String add(ObjectNode object) {
        ApiResource resource = ApiResource.ofKind(object.path("kind").asText()).orElseThrow();
        return store.create(resource, object).path("metadata").path("uid").asText();
    }

    /** Adds a Service of that name with that program behind it. */
    public void service(String namespace, String name, URI program) {
        requests.services().add(namespace, name, program);
    }

    /** The same for one port of the Service, over HTTPS if the program's address says so. */
    public void service(String namespace, String name, String port, URI program) {
        requests.services().add(namespace, name + ":" + port, program);
    }

    /** Adds a service account, whose tokens clients can request. */
    public void account(String namespace, String name, boolean mayDoEverything) {
        requests.access().add(namespace, name, mayDoEverything);
    }

    /** The objects of the cluster, for tests to prepare and inspect. */
    public ClusterObjects objects() {
        return new ClusterObjects(store);
    }

    /** The log of requests; empty until a test starts it. */
    public RequestLog log() {
        return log;
    }

    public ApiFaults faults() {
        return faults;
    }

    /** Closes the connections of all current watches. */
    public void cutWatches() {
        requests.cutWatches();
    }

    /** While true, closes the connections of that user: those of watches at once, all others at their next request. */
    public void cutOff(String user, boolean cut) {
        faults.cutOff(user, cut);
        if (cut) {
            requests.cutWatches(user);
        }
    }

    /** Discards all past changes: a watch from any older version gets a 410. */
    public void forgetHistory() {
        store.compact();
    }

    static Buffer buffer(ObjectNode document) {
        return Buffer.buffer(Documents.bytes(document));
    }

    @Override
    public void close() {
        vertx.close().toCompletionStage().toCompletableFuture().join();
    }
}
