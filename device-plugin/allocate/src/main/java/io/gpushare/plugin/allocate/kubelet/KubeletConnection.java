package io.gpushare.plugin.allocate.kubelet;

import io.gpushare.model.card.ShareKind;
import io.gpushare.model.request.ResourceNames;
import io.gpushare.plugin.allocate.devices.DeviceLists;
import io.gpushare.plugin.allocate.devices.DeviceResource;
import io.gpushare.plugin.node.sockets.DomainSockets;
import io.gpushare.plugin.node.sockets.KubeletCalls;
import io.gpushare.plugin.node.sockets.Sockets;
import io.gpushare.time.PeriodicTask;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Comparator;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The servers of all resources and their registrations. One thread checks the registrations twice a second. A check
 * reads a few file attributes, and notices everything that file events would report, including lost events.
 */
public final class KubeletConnection implements AutoCloseable {
    private static final Duration INTERVAL = Duration.ofMillis(500);
    private static final Logger LOG = LoggerFactory.getLogger(KubeletConnection.class);

    /** Receives what the kubelet does. */
    public interface Listener {
        /** It begins to watch the list of a resource. */
        void watched();

        /** A call, such as {@code Allocate}, ended after that time. */
        void responded(String call, long nanos);

        /** Another device plugin serves these resources from now on, of which this is known; or no more. */
        void otherServes(Optional<String> who);

        /** Another device plugin serves another resource with the same cards. */
        void otherBeside(String warning);
    }

    private final CallObserver observer;
    private final Listener listener;
    private final OtherPlugins others;
    private final Precedence precedence;
    private final InstantSource clock;
    private final Path pluginDir;
    private final ResourceNames names;
    private final Function<ResourceServer.Endpoint, Connection> connect;
    /** In the order in which they are registered: memory first. */
    private final Map<DeviceResource, Connection> connections = new ConcurrentSkipListMap<>(
            Comparator.comparing(DeviceResource::kind).thenComparing(DeviceResource::profile));

    private volatile Set<DeviceResource> withdrawn = Set.of();
    /** The other plugin that serves these resources, until this one serves them again. */
    private volatile String other = "";

    private boolean returning;
    private String beside = "";
    private final KubeletCalls calls = new KubeletCalls();
    private final PeriodicTask task = new PeriodicTask("registration", this::check);

    /**
     * Makes a connection.
     *
     * @param pluginDir the directory of the kubelet's registration socket
     * @param allocatable what the node's status says of extended resources; empty if that is unknown
     * @throws IllegalArgumentException when the path is too long for sockets
     */
    public KubeletConnection(
            Path pluginDir,
            ResourceNames names,
            CallHandler handler,
            Listener listener,
            Supplier<Map<String, String>> allocatable,
            Sockets sockets,
            InstantSource clock) {
        observer = new CallObserver(listener);
        this.listener = listener;
        this.clock = clock;
        others = new OtherPlugins(pluginDir, names);
        precedence = new Precedence(others, new CheckpointReader(pluginDir, names), allocatable);
        Path kubelet = DomainSockets.checked(pluginDir.resolve("kubelet.sock"));
        this.pluginDir = pluginDir;
        this.names = names;
        connect = endpoint -> {
            var server = new ResourceServer(endpoint, handler, observer, sockets, calls, clock);
            return new Connection(server, new Registrar(server, kubelet, sockets, clock));
        };
        DeviceResource.of(names).forEach(this::connect);
    }

    /** One resource. */
    private record Connection(ResourceServer server, Registrar registrar) {}

    private void connect(DeviceResource resource) {
        connections.computeIfAbsent(
                resource,
                each -> connect.apply(new ResourceServer.Endpoint(
                        each, each.name(names), DomainSockets.checked(pluginDir.resolve(each.socket())))));
    }

    /** Starts to check the registrations; nothing is registered before the first {@link #offer}. */
    public KubeletConnection start() {
        task.start();
        return this;
    }

    /**
     * Offers these devices from now on. A profile of MIG instances is a resource as long as there are such instances;
     * after that the kubelet gets an empty list, and the resource ends.
     */
    public synchronized void offer(DeviceLists lists) {
        lists.instances().forEach(this::connect);
        connections.forEach((resource, connection) -> connection.server().offer(lists.list(resource)));
        withdrawn = connections.keySet().stream()
                .filter(resource -> resource.kind() == ShareKind.INSTANCES
                        && !lists.instances().contains(resource))
                .collect(Collectors.toSet());
    }

    private synchronized void end(Set<DeviceResource> resources) {
        for (DeviceResource resource : resources) {
            @Nullable Connection connection = withdrawn.contains(resource) ? connections.remove(resource) : null;
            if (connection != null) {
                connection.registrar().close();
                LOG.info("{} is no longer offered: the node has no such MIG instance", resource.name(names));
            }
        }
    }

    /** Whether the kubelet watches the list of every resource, and allocates from these. */
    public boolean watched() {
        return other.isEmpty() && listsWatched();
    }

    private boolean listsWatched() {
        return connections.values().stream()
                .allMatch(connection -> connection.server().watched());
    }

    /** Whether the kubelet waits for no response. */
    public boolean idle() {
        return observer.idle();
    }

    /** The number of registrations of each resource so far, by its name. */
    public Map<String, Long> registrations() {
        Map<String, Long> counts = new TreeMap<>();
        connections
                .values()
                .forEach(connection -> counts.put(
                        connection.registrar().name(), connection.registrar().registrations()));
        return counts;
    }

    /** Decides and acts once; returns the time until the next check. */
    Duration check() {
        end(withdrawn);
        others.beside().ifPresentOrElse(this::warn, () -> beside = "");
        switch (precedence.turn(own(), offered(), clock.instant())) {
            case Precedence.Turn.Ours() -> serve(Set.of());
            case Precedence.Turn.Renew(Set<String> resources) -> serve(resources);
            case Precedence.Turn.Others(boolean ofOurs, String who) -> leaveTo(who, ofOurs);
        }
        return INTERVAL;
    }

    private void warn(String now) {
        if (!now.equals(beside)) {
            beside = now;
            LOG.warn(now);
            listener.otherBeside(now);
        }
    }

    private void serve(Set<String> again) {
        boolean all = !other.isEmpty() && !returning;
        returning |= all;
        connections.values().forEach(connection -> {
            if (all || again.contains(connection.registrar().name())) {
                connection.registrar().renew();
            }
            connection.registrar().check();
        });
        if (returning && listsWatched()) {
            LOG.info("the other device plugin has stopped: this one serves");
            returning = false;
            other = "";
            listener.otherServes(Optional.empty());
        }
    }

    private void leaveTo(String who, boolean ofOurs) {
        returning = false;
        connections.values().forEach(connection -> {
            connection.server().hold();
            if (ofOurs) {
                connection.registrar().close();
            }
        });
        if (!who.equals(other)) {
            other = who;
            LOG.warn("another device plugin serves these resources on the node ({}): this one offers nothing", who);
            listener.otherServes(Optional.of(who));
        }
    }

    /** The sockets on which this process listens. */
    private Set<Path> own() {
        return connections.values().stream()
                .filter(connection -> connection.registrar().serving())
                .map(connection -> connection.server().endpoint().socket())
                .collect(Collectors.toSet());
    }

    /** The healthy devices of each list that the kubelet watches, by resource. */
    private Map<String, Set<String>> offered() {
        Map<String, Set<String>> offered = new TreeMap<>();
        connections
                .values()
                .forEach(connection -> connection
                        .server()
                        .watchedDevices()
                        .ifPresent(devices -> offered.put(connection.registrar().name(), devices)));
        return offered;
    }

    /** Stops the servers and removes their sockets. */
    @Override
    public void close() {
        task.close();
        connections.values().forEach(connection -> connection.registrar().close());
        calls.close();
    }
}
