package io.gpushare.extender.server;

import io.gpushare.extender.ledger.Ledger;
import io.gpushare.extender.protocol.Verbs;
import io.gpushare.time.Machine;
import io.vertx.core.DeploymentOptions;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.file.FileSystemOptions;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.net.SocketAddress;
import io.vertx.ext.web.Router;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The HTTP server: one event loop per core, and a virtual thread for each bind and preemption. */
public final class ExtenderServer implements VerbServer {
    private static final Duration START = Duration.ofSeconds(30);
    private static final Duration TLS_PERIOD = Duration.ofSeconds(10);
    private static final int CORES = Runtime.getRuntime().availableProcessors();
    // A body that names 5,000 nodes has 170 KB: a few large chunks cost less than many of the usual 8 KiB.
    private static final int CHUNK = 64 << 10;
    private static final int REQUEST_LINE = 4096;
    private static final int HEADERS = 8192;
    /** The most open connections. kube-scheduler needs one for each bind in flight; each takes 9 KB, 17 KB with TLS. */
    public static final int CONNECTIONS = 2000;

    /**
     * Where and how the server listens.
     *
     * @param port 0 for any free one
     * @param viewPort of the view for callers with a token, which needs TLS; null for none, 0 for any free one
     * @param maxBody the largest request body that is read, in bytes
     * @param tls null for plain HTTP
     * @param tlsPeriod how often the TLS files are read
     */
    public record Settings(
            String address,
            int port,
            @Nullable Integer viewPort,
            int maxBody,
            String version,
            @Nullable TlsFiles tls,
            Duration tlsPeriod,
            Deadlines deadlines) {
        public Settings(
                String address,
                int port,
                @Nullable Integer viewPort,
                int maxBody,
                String version,
                @Nullable TlsFiles tls) {
            this(address, port, viewPort, maxBody, version, tls, TLS_PERIOD, Deadlines.DEFAULT);
        }

        boolean certificatesRequired() {
            return tls != null && tls.clientCa() != null;
        }
    }

    /**
     * The components that serve requests.
     *
     * @param unavailable why this replica neither serves verbs nor could take over, as a sentence; empty if it does or
     *     could
     * @param behind why the ledger is too old to be relied on, as a sentence, although verbs are answered; empty if it
     *     is not
     * @param hosts whether a host, in lower case, is one under whose name the extender is served, beside those of nodes
     */
    public record Parts(
            Ledger ledger,
            Verbs.Parts verbs,
            Supplier<Optional<String>> unavailable,
            Supplier<Optional<String>> behind,
            Predicate<String> hosts,
            Extension extension) {}

    private final Settings settings;
    private final Parts parts;
    private final Vertx vertx;
    private final ExecutorService blocking = Executors.newVirtualThreadPerTaskExecutor();
    // One for each event loop; they share the port.
    private final List<HttpServer> loops = new CopyOnWriteArrayList<>();
    // The same for the port of the view.
    private final List<HttpServer> viewLoops = new CopyOnWriteArrayList<>();

    private ExtenderServer(Settings settings, Parts parts) {
        this.settings = settings;
        this.parts = parts;
        // Nothing is served from files, and without its cache Vert.x needs no writable directory.
        vertx = Vertx.builder()
                .with(new VertxOptions()
                        .setEventLoopPoolSize(CORES)
                        .setFileSystemOptions(new FileSystemOptions()
                                .setFileCachingEnabled(false)
                                .setClassPathResolvingEnabled(false)))
                .withTransport(ConnectionLimit.of(
                        CONNECTIONS, () -> parts.verbs().requests().failed("any", "too_many_connections")))
                .build();
    }

    /** Starts to listen; throws if the address can't be used. */
    public static ExtenderServer start(Settings settings, Parts parts) throws IOException {
        ExtenderServer server = new ExtenderServer(settings, parts);
        try {
            server.listen();
            return server;
        } catch (IOException e) {
            server.blocking.close();
            server.vertx.close();
            throw e;
        }
    }

    private void listen() throws IOException {
        @Nullable TlsFiles files = settings.tls();
        @Nullable TlsReload tls = files == null ? null : new TlsReload(vertx, files);
        ExtenderRouter.Routers routers = ExtenderRouter.of(vertx, settings, parts, blocking);
        listen(settings.port(), tls, true, routers.all(), loops);
        if (settings.viewPort() != null) {
            listen(settings.viewPort(), tls, false, routers.view(), viewLoops);
        }
        if (tls != null) {
            vertx.setPeriodic(
                    settings.tlsPeriod().toMillis(),
                    timer -> Machine.here()
                            .lightThread(
                                    "tls-reload",
                                    () -> tls.check(
                                            loops.getFirst(), viewLoops.stream().findFirst()))
                            .start());
        }
    }

    /** Starts a server on each event loop. */
    private void listen(
            int port, @Nullable TlsReload tls, boolean certificates, Router routes, List<HttpServer> servers)
            throws IOException {
        HttpServerOptions options = options(settings.deadlines());
        if (tls != null) {
            tls.into(options, certificates);
        }
        SocketAddress address = port == 0
                ? SocketAddress.sharedRandomPort(certificates ? 1 : 2, settings.address())
                : SocketAddress.inetSocketAddress(port, settings.address());
        try {
            await(
                    vertx.deployVerticle(
                            () -> context -> listen(options, address, routes).onSuccess(servers::add),
                            new DeploymentOptions().setInstances(CORES)),
                    START);
        } catch (IOException e) {
            throw new IOException("can't listen on " + settings.address() + " port " + port + ": " + e.getMessage(), e);
        }
    }

    /** Starts the server of the event loop that calls this. */
    private Future<HttpServer> listen(HttpServerOptions options, SocketAddress address, Router routes) {
        BooleanSupplier ready = () -> parts.verbs().unready().get().isEmpty();
        Connections connections =
                new Connections(vertx, settings.deadlines(), parts.verbs().requests(), ready, routes);
        return vertx.createHttpServer(options)
                .connectionHandler(connections::connected)
                .requestHandler(connections)
                .listen(address);
    }

    /** HTTP/1.1 only, in plain text and over TLS: one protocol, one set of limits. */
    private static HttpServerOptions options(Deadlines deadlines) {
        return new HttpServerOptions()
                .setHandle100ContinueAutomatically(true)
                // Closes the connection of a caller that reads nothing. Connections closes only after pending
                // writes, which then never end.
                .setIdleTimeout(Math.toIntExact(deadlines.next().multipliedBy(2).toMillis()))
                .setIdleTimeoutUnit(TimeUnit.MILLISECONDS)
                // Of the same callers: a handshake comes before the first request.
                .setSslHandshakeTimeout(deadlines.head().toMillis())
                .setSslHandshakeTimeoutUnit(TimeUnit.MILLISECONDS)
                .setUseAlpn(false)
                .setMaxChunkSize(CHUNK)
                .setHttp2ClearTextEnabled(false)
                .setMaxInitialLineLength(REQUEST_LINE)
                .setMaxHeaderSize(HEADERS);
    }

    @Override
    public int port() {
        return loops.getFirst().actualPort();
    }

    @Override
    public int viewPort() {
        return viewLoops.getFirst().actualPort();
    }

    @Override
    public void stop(Duration grace) throws IOException {
        await(
                Future.all(Stream.concat(loops.stream(), viewLoops.stream())
                        .map(loop -> loop.shutdown(grace))
                        .toList()),
                grace.plusSeconds(5));
        blocking.shutdown();
        await(vertx.close(), grace.plusSeconds(5));
    }

    /** Waits for the end, at most that long; throws what it failed with. */
    public static void await(Future<?> future, Duration longest) throws IOException {
        try {
            future.await(longest.toMillis(), TimeUnit.MILLISECONDS);
        } catch (TimeoutException e) {
            throw new IOException("it took longer than " + longest.toSeconds() + " s", e);
        } catch (Exception e) { // also checked ones, which Vert.x does not declare
            throw new IOException(e.toString(), e);
        }
    }
}
