package io.gpushare.plugin.allocate.kubelet;

import static io.gpushare.model.request.ResourceNames.DEFAULT;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.gpushare.plugin.node.sockets.DomainSockets;
import io.gpushare.simulated.client.ApiClient;
import io.gpushare.simulated.client.PodDocument;
import io.gpushare.simulated.kubelet.MovableClock;
import io.gpushare.simulated.kubelet.PluginServer;
import io.gpushare.simulated.kubelet.devices.DeviceManager;
import io.gpushare.simulated.kubelet.devices.KubeletVersion;
import io.gpushare.simulated.kubelet.devices.RegistrationService;
import io.gpushare.simulated.kubelet.devices.UnixSockets;
import io.gpushare.simulated.patience.Patience;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BooleanSupplier;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Every order in which this plugin and gpushare's start, restart and end on one node, up to {@link #LENGTH} acts. The
 * sockets are real, the device manager is the simulated kubelet's, and this plugin checks as the test's clock moves:
 * ten times a second, while a real one checks twice.
 */
class PluginOrdersIT {
    /** {@code -Dgpushare.orders=5} makes them longer. */
    private static final int LENGTH = Integer.getInteger("gpushare.orders", 4);

    private static final String MEMORY = DEFAULT.memory();
    private static final String GPUSHARE = "aliyungpushare.sock";
    private static final int OURS = 7;
    private static final int THEIRS = 5;
    private static final Duration STEP = Duration.ofMillis(100);
    private static final Duration PAST_GRACE = Duration.ofMinutes(6);

    private enum Act {
        OURS_STARTS,
        OURS_RESTARTS,
        OURS_ENDS,
        THEIRS_STARTS,
        THEIRS_RESTARTS,
        THEIRS_ENDS
    }

    private final Path dir = directory();
    private final UnixSockets kubeletSockets = new UnixSockets();
    private final DomainSockets sockets = new DomainSockets();
    private final MovableClock clock = new MovableClock();
    private final Map<String, String> status = new ConcurrentHashMap<>();

    @SuppressWarnings("NullAway.Init")
    private DeviceManager kubelet;

    @SuppressWarnings("NullAway.Init")
    private KubeletVersion version;

    private @Nullable KubeletConnection ours;
    private @Nullable PluginServer theirs;
    private Optional<String> other = Optional.empty();
    /** Whether the kubelet has a stream of this process of our plugin. */
    private boolean served;
    /** Whether the end of such a stream has disconnected gpushare's plugin, which can't know. */
    private boolean cutOff;

    private int pods;

    private static Path directory() {
        try {
            return Files.createTempDirectory(Path.of("/tmp"), "o");
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    @AfterEach
    void end() {
        stopOurs();
        stopTheirs();
        kubelet.restart();
        sockets.close();
        kubeletSockets.close();
    }

    @ParameterizedTest
    @EnumSource
    void inEveryOrderOneServesOrOursSaysWhyNotAndNoPodIsRejected(KubeletVersion kubeletVersion) throws Exception {
        version = kubeletVersion;
        Path plugins = dir.resolve("device-plugins");
        kubelet = new DeviceManager(plugins, version, 1, clock);
        kubeletSockets.serve(
                plugins.resolve("kubelet.sock"),
                new RegistrationService(plugins, kubeletSockets, (_, plugin) -> kubelet.connected(plugin)));
        List<List<Act>> orders = orders(List.of(), false, false);
        for (List<Act> order : orders) {
            for (int i = 0; i < order.size(); i++) {
                perform(order.get(i));
                check(order.subList(0, i + 1).toString());
            }
            clock.pass(PAST_GRACE);
            check(order + ", six minutes later");
            stopOurs();
            stopTheirs();
            check(order + ", both ended");
        }
        System.out.println("it: " + orders.size() + " orders of " + LENGTH + " starts, restarts and ends, " + pods
                + " pods, none rejected: " + version);
    }

    /** All orders that begin so, after which these run. */
    private static List<List<Act>> orders(List<Act> begun, boolean ours, boolean theirs) {
        if (begun.size() == LENGTH) {
            return List.of(begun);
        }
        List<List<Act>> orders = new ArrayList<>();
        for (Act act : Act.values()) {
            boolean ofOurs = act.compareTo(Act.OURS_ENDS) <= 0;
            boolean starts = act == Act.OURS_STARTS || act == Act.THEIRS_STARTS;
            boolean ends = act == Act.OURS_ENDS || act == Act.THEIRS_ENDS;
            if (starts != (ofOurs ? ours : theirs)) {
                List<Act> next = new ArrayList<>(begun);
                next.add(act);
                orders.addAll(orders(List.copyOf(next), ofOurs ? !ends : ours, ofOurs ? theirs : !ends));
            }
        }
        return orders;
    }

    private void perform(Act act) throws IOException {
        switch (act) {
            case OURS_STARTS -> startOurs();
            case OURS_RESTARTS -> {
                stopOurs();
                startOurs();
            }
            case OURS_ENDS -> stopOurs();
            case THEIRS_STARTS -> startTheirs();
            case THEIRS_RESTARTS -> {
                stopTheirs();
                startTheirs();
            }
            case THEIRS_ENDS -> stopTheirs();
        }
    }

    private void check(String when) throws IOException {
        if (theirs != null && ours != null) {
            settle(
                    when + ": ours says who serves",
                    () -> other.filter(who -> who.contains(GPUSHARE)).isPresent()
                            && !connection().watched());
        }
        if (theirs != null && !cutOff) {
            settle(when + ": theirs serves", () -> offers(THEIRS));
            runsWith("their", when);
        } else if (theirs == null && ours != null) {
            settle(when + ": ours serves", () -> offers(OURS) && connection().watched() && other.isEmpty());
            runsWith("our", when);
            served = true;
        } else {
            settle(when + ": nobody serves", () -> offers(0));
        }
    }

    private boolean offers(int devices) {
        return String.valueOf(devices).equals(status.getOrDefault(MEMORY, "0"));
    }

    /** Lets time pass, with the kubelet's reports and the checks of our plugin, until the condition holds. */
    private void settle(String what, BooleanSupplier condition) throws IOException {
        long end = System.nanoTime() + Patience.of(Patience.USUAL).toNanos();
        do {
            assertThat(System.nanoTime()).as(what + "; now " + status).isLessThan(end);
            clock.pass(STEP);
            kubelet.report().forEach((resource, count) -> status.put(resource, String.valueOf(count.allocatable())));
            if (ours != null) {
                ours.check();
            }
            pause();
        } while (!condition.getAsBoolean());
    }

    private static void pause() {
        try {
            Thread.sleep(2);
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    /** A pod that arrives now is admitted with devices of that plugin, and ends. */
    private void runsWith(String plugin, String when) {
        String uid = "p" + pods++;
        ObjectNode pod = ApiClient.document("""
            {"metadata":{"name":"p","uid":"%s"},"spec":{"containers":[
             {"name":"c","resources":{"limits":{"%s":"1"}}}]}}\
            """.formatted(uid, MEMORY));
        kubelet.admit(new PodDocument(pod));
        assertThat(Objects.requireNonNull(kubelet.held(uid, "c").get(MEMORY))
                        .response()
                        .getEnvsMap())
                .as(when)
                .containsEntry("BY", plugin);
        kubelet.retain(Set.of());
    }

    private KubeletConnection connection() {
        return Objects.requireNonNull(ours);
    }

    private void startOurs() {
        KubeletConnection started = new KubeletConnection(
                dir.resolve("device-plugins"),
                DEFAULT,
                new TwoPluginsIT.Answers(),
                new Hears(),
                () -> status,
                sockets,
                clock);
        started.offer(TwoPluginsIT.devices(OURS));
        ours = started;
    }

    private void stopOurs() {
        if (ours != null) {
            // A fault of these kubelets: the end of the former stream disconnects the plugin that registered over it.
            cutOff |= version == KubeletVersion.V1_36 && served && theirs != null;
            ours.close();
            ours = null;
            served = false;
            other = Optional.empty();
        }
    }

    private void startTheirs() throws IOException {
        theirs = new PluginServer(
                dir,
                GPUSHARE,
                MEMORY,
                IntStream.range(0, THEIRS).mapToObj(i -> "their-" + i).toList(),
                _ -> Map.of("BY", "their"));
        cutOff = false;
    }

    private void stopTheirs() {
        if (theirs != null) {
            theirs.close();
            theirs = null;
            cutOff = false;
        }
    }

    private final class Hears extends Silent {
        @Override
        public void otherServes(Optional<String> who) {
            other = who;
        }
    }
}
