package io.gpushare.plugin.claims.dra;

import io.gpushare.model.card.Inventory;
import io.gpushare.plugin.claims.prepare.NodeClaims;
import io.gpushare.plugin.node.sockets.DomainSockets;
import io.gpushare.plugin.node.sockets.KubeletCalls;
import io.gpushare.plugin.node.sockets.Sockets;
import io.gpushare.time.PeriodicTask;
import io.grpc.BindableService;
import io.grpc.Server;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The driver's two sockets: one in the kubelet's directory of registrations, and one that serves its calls. The kubelet
 * registers a driver when the first appears and forgets it when that is removed.
 */
public final class DraSockets implements AutoCloseable {
    /** The most claims of a pod, each with the longest names, are far below that. */
    private static final int LARGEST_REQUEST = 1 << 20;

    private static final Duration INTERVAL = Duration.ofSeconds(1);
    private static final Duration LONGEST_CALL = Duration.ofSeconds(5);
    private static final String UNREGISTERED = "the kubelet has not registered the driver yet";
    private static final Logger LOG = LoggerFactory.getLogger(DraSockets.class);

    private final Path registration;
    private final Path service;
    private final Sockets sockets;
    private final DraService calls;
    private final RegistrationService registrations;
    private final HealthService health;
    private final Runnable registered;
    private final List<Server> servers = new ArrayList<>();
    private final KubeletCalls handled = new KubeletCalls();
    private final Map<Path, Object> bound = new HashMap<>();
    private final PeriodicTask task = new PeriodicTask("driver-sockets", INTERVAL, Duration.ZERO, this::check);
    private volatile String problem = UNREGISTERED;

    /**
     * Prepares the sockets; nothing is served before {@link #start}.
     *
     * @param registered is run when the kubelet registered the driver: one that restarted has deleted its slices
     * @throws IllegalArgumentException when the path is too long for sockets
     */
    public DraSockets(
            Path kubeletDir,
            String driver,
            String pool,
            NodeClaims claims,
            Supplier<Inventory> inventory,
            Runnable registered,
            Sockets sockets,
            InstantSource clock) {
        registration = DomainSockets.checked(kubeletDir.resolve("plugins_registry/" + driver + "-reg.sock"));
        service = DomainSockets.checked(
                kubeletDir.resolve("plugins/" + driver + "/dra.sock").toAbsolutePath());
        this.sockets = sockets;
        this.registered = registered;
        calls = new DraService(claims);
        health = new HealthService(pool, inventory, clock);
        registrations = new RegistrationService(driver, service.toString(), this::outcome);
    }

    private void outcome(String refusal) {
        problem = refusal;
        if (refusal.isEmpty()) {
            LOG.info("the kubelet registered the driver");
            registered.run();
        } else {
            LOG.error("{}", refusal);
        }
    }

    /**
     * Serves from now on: the calls first, so that the kubelet finds them when it finds the registration. A socket that
     * is removed or replaced later is served again.
     */
    public synchronized void start() throws IOException {
        Files.createDirectories(service.getParent());
        try {
            serve();
        } catch (IOException e) {
            servers.forEach(Server::shutdownNow);
            servers.clear();
            throw e;
        }
        task.start();
    }

    private void serve() throws IOException {
        serve(service, calls, health);
        serve(registration, registrations);
    }

    private void serve(Path socket, BindableService... services) throws IOException {
        Files.deleteIfExists(socket);
        var server =
                sockets.server(socket).maxInboundMessageSize(LARGEST_REQUEST).executor(handled);
        for (BindableService each : services) {
            server.addService(each);
        }
        servers.add(server.build().start());
        bound.put(socket, DomainSockets.identity(socket).orElseThrow(() -> new NoSuchFileException(socket.toString())));
    }

    private synchronized Duration check() throws InterruptedException {
        try {
            Optional<Path> lost = lost();
            if (lost.isPresent()) {
                LOG.warn("socket {} was removed or replaced: it is served again", lost.get());
                problem = UNREGISTERED;
                stop();
                serve();
            }
        } catch (IOException e) {
            String now = "the driver's sockets can't be served: " + e;
            if (!now.equals(problem)) {
                LOG.error("{}", now);
            }
            problem = now;
        }
        return INTERVAL;
    }

    private Optional<Path> lost() throws IOException {
        for (Path socket : List.of(service, registration)) {
            if (!DomainSockets.identity(socket).equals(Optional.ofNullable(bound.get(socket)))) {
                return Optional.of(socket);
            }
        }
        return Optional.empty();
    }

    /** Ends the registration first, then lets calls end. */
    private void stop() throws IOException, InterruptedException {
        bound.clear();
        Files.deleteIfExists(registration);
        health.end();
        for (Server server : servers.reversed()) {
            server.shutdown();
            if (!server.awaitTermination(LONGEST_CALL.toSeconds(), TimeUnit.SECONDS)) {
                server.shutdownNow();
            }
        }
        servers.clear();
        Files.deleteIfExists(service);
    }

    /** Why the kubelet does not use the driver; empty if it does. */
    public Optional<String> problem() {
        return Optional.of(problem).filter(text -> !text.isEmpty());
    }

    /** The health of a card may have changed. */
    public void changed() {
        health.changed();
    }

    /** Ends the registration first, then lets calls end; the slices stay for the next process. */
    @Override
    public void close() {
        task.close();
        health.close();
        try {
            synchronized (this) {
                stop();
            }
        } catch (IOException e) {
            LOG.warn("a socket can't be removed: {}", e.toString());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        handled.close();
    }
}
