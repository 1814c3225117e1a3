package io.gpushare.extender.http;

import io.gpushare.extender.scheduling.Binder;
import io.gpushare.extender.scheduling.Ledger;
import io.gpushare.extender.scheduling.NodeChoice;
import io.vertx.core.DeploymentOptions;
import io.vertx.core.Future;
import io.vertx.core.VerticleBase;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.file.FileSystemOptions;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.net.SocketAddress;
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
import java.util.function.Supplier;

/** The HTTP server: one event loop a core, and a virtual thread for each bind. */
public final class ExtenderServer {
    private static final Duration START = Duration.ofSeconds(30);

    /**
     * Where and how it listens.
     *
     * @param port 0 for any free one
     * @param maxBody the largest request body that is read, in bytes
     */
    public record Settings(String address, int port, int maxBody, String version) {}

    /**
     * What it answers from.
     *
     * @param unready why no verb can be answered now, as a sentence; empty when it can
     */
    public record Parts(
            Ledger ledger,
            NodeChoice choice,
            Binder binder,
            Metrics metrics,
            Supplier<Optional<String>> unready,
            InstantSource clock) {}

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

    /** Starts to listen; throws when the address can't be had. */
    public static ExtenderServer start(Settings settings, Parts parts) throws IOException {
        int cores = Runtime.getRuntime().availableProcessors();
        // Nothing is served from files: without the cache Vert.x needs no folder to write to.
        Vertx vertx = Vertx.vertx(new VertxOptions()
                .setEventLoopPoolSize(cores)
                .setFileSystemOptions(
                        new FileSystemOptions().setFileCachingEnabled(false).setClassPathResolvingEnabled(false)));
        ExecutorService blocking = Executors.newVirtualThreadPerTaskExecutor();
        Verbs verbs =
                new Verbs(parts.choice(), parts.binder(), parts.unready(), blocking, parts.clock(), parts.metrics());
        Routes routes = new Routes(
                vertx, verbs, parts.ledger(), parts.metrics(), parts.unready(), settings.version(), settings.maxBody());
        List<HttpServer> loops = new CopyOnWriteArrayList<>();
        Future<String> deployed = vertx.deployVerticle(
                () -> new Loop(settings, routes, loops), new DeploymentOptions().setInstances(cores));
        try {
            await(deployed, START);
        } catch (IOException e) {
            blocking.close();
            vertx.close();
            throw new IOException(
                    "can't listen on " + settings.address() + " port " + settings.port() + ": " + e.getMessage(), e);
        }
        return new ExtenderServer(vertx, loops, blocking, loops.getFirst().actualPort());
    }

    public int port() {
        return port;
    }

    /** Stops accepting, lets what is in flight end for at most that long, then closes. */
    public void stop(Duration grace) throws IOException {
        await(Future.all(loops.stream().map(loop -> loop.shutdown(grace)).toList()), grace.plusSeconds(5));
        blocking.shutdown();
        await(vertx.close(), grace.plusSeconds(5));
    }

    private static void await(Future<?> future, Duration longest) throws IOException {
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

    /** One event loop's share of the port. */
    private static final class Loop extends VerticleBase {
        private final Settings settings;
        private final Routes routes;
        private final List<HttpServer> loops;

        Loop(Settings settings, Routes routes, List<HttpServer> loops) {
            this.settings = settings;
            this.routes = routes;
            this.loops = loops;
        }

        @Override
        public Future<?> start() {
            HttpServerOptions options = new HttpServerOptions().setHandle100ContinueAutomatically(true);
            // All loops share one port, a free one too.
            SocketAddress address = settings.port() == 0
                    ? SocketAddress.sharedRandomPort(1, settings.address())
                    : SocketAddress.inetSocketAddress(settings.port(), settings.address());
            HttpServer server = vertx.createHttpServer(options).requestHandler(routes);
            return server.listen(address).onSuccess(loops::add);
        }
    }
}
