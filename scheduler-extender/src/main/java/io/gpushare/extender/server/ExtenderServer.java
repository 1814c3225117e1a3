package io.gpushare.extender.server;

import io.gpushare.extender.ledger.Ledger;
import io.gpushare.extender.metrics.ExtenderMetrics;
import io.gpushare.extender.preemption.Preemption;
import io.gpushare.extender.protocol.VerbHandlers;
import io.gpushare.extender.scheduling.Binder;
import io.gpushare.extender.scheduling.NodeSelection;
import io.gpushare.extender.view.routes.ViewAccess;
import io.gpushare.extender.view.routes.ViewRoutes;
import io.vertx.core.DeploymentOptions;
import io.vertx.core.Future;
import io.vertx.core.VerticleBase;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.file.FileSystemOptions;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.net.SocketAddress;
import io.vertx.ext.web.Router;
import java.io.IOException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The HTTP server: one event loop per core, and a virtual thread for each bind and preemption. */
public final class ExtenderServer {
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
     * @param maxBody the largest request body that is read, in bytes
     * @param tls null for plain HTTP
     * @param tlsPeriod how often the TLS files are read
     */
    public record Settings(
            String address,
            int port,
            int maxBody,
            String version,
            @Nullable TlsFiles tls,
            Duration tlsPeriod,
            Deadlines deadlines) {
        /** Plain HTTP. */
        public Settings(String address, int port, int maxBody, String version) {
            this(address, port, maxBody, version, null);
        }

        public Settings(String address, int port, int maxBody, String version, @Nullable TlsFiles tls) {
            this(address, port, maxBody, version, tls, TLS_PERIOD, Deadlines.DEFAULT);
        }
    }

    /**
     * The components that serve requests.
     *
     * @param unready why no verb can be served now, as a sentence; empty if it can
     * @param unavailable why this replica neither serves verbs nor could take over, as a sentence; empty if it does or
     *     could
     */
    public record Parts(
            Ledger ledger,
            NodeSelection selection,
            Preemption preemption,
            Binder binder,
            ExtenderMetrics metrics,
            Supplier<Optional<String>> unready,
            Supplier<Optional<String>> unavailable,
            InstantSource clock,
            ViewAccess view) {}

    private final Vertx vertx;
    private final List<HttpServer> loops;
    private final ExecutorService blocking;
    private final int port;

    private ExtenderServer(Vertx vertx, List<HttpServer> loops, ExecutorService blocking, int port) {
        this.vertx = vertx;
        this.loops = loops;
        this.blocking = blocking;
        this.port = port;
    }

    /** Starts to listen; throws if the address can't be used. */
    public static ExtenderServer start(Settings settings, Parts parts) throws IOException {
        // Nothing is served from files, and without its cache Vert.x needs no writable directory.
        Vertx vertx = Vertx.builder()
                .with(new VertxOptions()
                        .setEventLoopPoolSize(CORES)
                        .setFileSystemOptions(new FileSystemOptions()
                                .setFileCachingEnabled(false)
                                .setClassPathResolvingEnabled(false)))
                .withTransport(
                        new ConnectionLimit(CONNECTIONS, () -> parts.metrics().failed("any", "too_many_connections")))
                .build();
        ExecutorService blocking = Executors.newVirtualThreadPerTaskExecutor();
        VerbHandlers verbs = new VerbHandlers(
                parts.selection(),
                parts.preemption(),
                parts.binder(),
                parts.unready(),
                blocking,
                parts.clock(),
                parts.metrics());
        @Nullable TlsFiles tls = settings.tls();
        boolean certificatesRequired = tls != null && tls.clientCa() != null;
        Router routes = ExtenderRouter.of(
                vertx,
                parts.metrics(),
                certificatesRequired ? new ClientCertificates(parts.metrics()) : null,
                new StatusRoutes(
                        parts.metrics(),
                        parts.unready(),
                        parts.unavailable(),
                        settings.version(),
                        certificatesRequired),
                new ViewRoutes(vertx, parts.ledger(), parts.view(), parts.unready(), blocking),
                verbs,
                parts.ledger(),
                settings.maxBody());
        List<HttpServer> loops = new CopyOnWriteArrayList<>();
        try {
            listen(vertx, settings, routes, parts, loops);
        } catch (IOException e) {
            blocking.close();
            vertx.close();
            throw e;
        }
        return new ExtenderServer(vertx, loops, blocking, loops.getFirst().actualPort());
    }

    private static void listen(Vertx vertx, Settings settings, Router routes, Parts parts, List<HttpServer> loops)
            throws IOException {
        HttpServerOptions options = options(settings.deadlines());
        @Nullable TlsFiles tls = settings.tls();
        @Nullable TlsContents contents = null;
        if (tls != null) {
            contents = TlsContents.read(tls);
            TlsReload.log(contents.check(vertx));
            contents.into(options);
        }
        Future<String> deployed = vertx.deployVerticle(
                () -> new Loop(settings, options, routes, parts, loops), new DeploymentOptions().setInstances(CORES));
        try {
            await(deployed, START);
        } catch (IOException e) {
            throw new IOException(
                    "can't listen on " + settings.address() + " port " + settings.port() + ": " + e.getMessage(), e);
        }
        if (tls != null && contents != null) {
            TlsReload reload = new TlsReload(vertx, tls, contents, loops.getFirst());
            vertx.setPeriodic(
                    settings.tlsPeriod().toMillis(),
                    timer -> Thread.ofVirtual().name("tls-reload").start(reload::check));
        }
    }

    /** HTTP/1.1 only, in plain text and over TLS: one protocol, one set of limits. */
    private static HttpServerOptions options(Deadlines deadlines) {
        return new HttpServerOptions()
                .setHandle100ContinueAutomatically(true)
                // Closes the connection of a caller that reads nothing. Connections closes only after pending
                // writes, which then never end.
                .setIdleTimeout(Math.toIntExact(deadlines.next().multipliedBy(2).toMillis()))
                .setIdleTimeoutUnit(TimeUnit.MILLISECONDS)
                .setUseAlpn(false)
                .setMaxChunkSize(CHUNK)
                .setHttp2ClearTextEnabled(false)
                .setMaxInitialLineLength(REQUEST_LINE)
                .setMaxHeaderSize(HEADERS);
    }

    public int port() {
        return port;
    }

    /** Stops accepting, lets requests in flight end for at most that long, then closes. */
    public void stop(Duration grace) throws IOException {
        await(Future.all(loops.stream().map(loop -> loop.shutdown(grace)).toList()), grace.plusSeconds(5));
        blocking.shutdown();
        await(vertx.close(), grace.plusSeconds(5));
    }

    public static void await(Future<?> future, Duration longest) throws IOException {
        try {
            future.toCompletionStage().toCompletableFuture().get(longest.toMillis(), TimeUnit.MILLISECONDS);
        } catch (ExecutionException e) {
            throw new IOException(String.valueOf(e.getCause()), e);
        } catch (TimeoutException e) {
            throw new IOException("it took longer than " + longest.toSeconds() + " s", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        }
    }

    /** The server of one event loop. All of them share the port. */
    private static final class Loop extends VerticleBase {
        private final Settings settings;
        private final HttpServerOptions options;
        private final Router routes;
        private final Parts parts;
        private final List<HttpServer> loops;

        Loop(Settings settings, HttpServerOptions options, Router routes, Parts parts, List<HttpServer> loops) {
            this.settings = settings;
            this.options = options;
            this.routes = routes;
            this.parts = parts;
            this.loops = loops;
        }

        @Override
        public Future<?> start() {
            SocketAddress address = settings.port() == 0
                    ? SocketAddress.sharedRandomPort(1, settings.address())
                    : SocketAddress.inetSocketAddress(settings.port(), settings.address());
            BooleanSupplier ready = () -> parts.unready().get().isEmpty();
            Connections connections = new Connections(vertx, settings.deadlines(), parts.metrics(), ready, routes);
            HttpServer server = vertx.createHttpServer(options)
                    .connectionHandler(connections::connected)
                    .requestHandler(connections);
            return server.listen(address).onSuccess(loops::add);
        }
    }
}
