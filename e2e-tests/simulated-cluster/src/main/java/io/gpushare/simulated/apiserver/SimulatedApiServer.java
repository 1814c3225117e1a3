package io.gpushare.simulated.apiserver;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.gpushare.simulated.apiserver.store.ApiResource;
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
 * authentication, with the faults that a test orders. Closing it ends all connections and forgets everything.
 */
public final class SimulatedApiServer implements AutoCloseable {
    /**
     * How it behaves over time.
     *
     * @param port where it listens; 0 for any free port
     * @param memory changes that each resource remembers for watches, at least
     * @param bookmarkPeriod between two bookmarks (the real server: about a minute)
     * @param watchLength how long a watch without a timeout lasts
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
        requests = new RequestHandler(vertx, store, new ObjectVerbs(store, clock), faults, log, options);
        server = vertx.createHttpServer(
                        new HttpServerOptions().setHost("127.0.0.1").setPort(options.port()))
                .requestHandler(requests::handle);
    }

    /** Starts it; throws with the cause where the port is taken. */
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

    /** A kubeconfig file's text that leads here. */
    public String kubeconfig() {
        return """
            apiVersion: v1
            kind: Config
            current-context: simulated
            clusters:
            - {name: simulated, cluster: {server: "%s"}}
            users:
            - {name: anyone, user: {token: simulated}}
            contexts:
            - {name: simulated, context: {cluster: simulated, user: anyone}}
            """.formatted(uri());
    }

    /** Stores a pod or a node without HTTP, for clusters of thousands; answers its uid. */
    public String add(ObjectNode object) {
        ApiResource resource = object.path("kind").asText().equals("Node") ? ApiResource.NODES : ApiResource.PODS;
        return store.create(resource, object).path("metadata").path("uid").asText();
    }

    /** From now on there is a Service of that name, and that program behind it. */
    public void service(String namespace, String name, URI program) {
        requests.services().add(namespace, name, program);
    }

    /** The objects of the cluster, for tests to set up and to look into. */
    public ClusterObjects objects() {
        return new ClusterObjects(store);
    }

    /** The requests received, as soon as a test has started the log. */
    public RequestLog log() {
        return log;
    }

    public ApiFaults faults() {
        return faults;
    }

    /** Ends the connections of all watches that now run. */
    public void cutWatches() {
        requests.cutWatches();
    }

    /** Forgets all past changes: a watch from any older version is answered 410. */
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
