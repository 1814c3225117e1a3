package io.gpushare.histories.world;

import io.gpushare.histories.grpc.NodeSockets;
import io.gpushare.histories.machine.SimulatedMachine;
import io.gpushare.histories.machine.Turns;
import io.gpushare.kubernetes.KubernetesApi;
import io.gpushare.model.card.Card;
import io.gpushare.model.card.Inventory;
import io.gpushare.plugin.NodeEdges;
import io.gpushare.plugin.PluginProgram;
import io.gpushare.plugin.node.cards.CardSource;
import io.gpushare.plugin.node.cards.NvmlCards;
import io.gpushare.plugin.node.sockets.Sockets;
import io.gpushare.program.Ending;
import io.gpushare.simulated.client.ApiClient;
import io.gpushare.simulated.kubelet.KubeletOptions;
import io.gpushare.simulated.kubelet.SimulatedKubelet;
import io.gpushare.simulated.kubelet.devices.KubeletVersion;
import io.gpushare.time.Clocks;
import io.gpushare.time.Pause;
import java.io.Closeable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A node with cards: its kubelet, and the real device plugin. */
public final class GpuNode {
    static final String LEASES = "gpushare-node-lease";

    private static final Duration RESTART = Duration.ofSeconds(3);
    private static final Duration GRACE = Duration.ofSeconds(30);
    private static final Duration LOCK = Duration.ofMillis(100);

    private final Turns turns;
    private final LocalApi api;
    private final String name;
    private final Path directory;
    private final SimulatedCards cards;
    private final NodeSockets sockets;
    private final SimulatedMachine kubeletMachine;
    private final World world;
    private final NodeContainers containers;
    private boolean byClaims;
    private boolean off;
    private SimulatedMachine pluginMachine;
    private @Nullable Ending ending;
    private @Nullable SimulatedKubelet kubelet;
    /** Whose process has the node's lock. */
    private @Nullable SimulatedMachine offering;

    private int started;

    GpuNode(
            Turns turns,
            LocalApi api,
            World world,
            String name,
            Path directory,
            Inventory inventory,
            KubeletVersion version,
            boolean byClaims) {
        this.turns = turns;
        this.api = api;
        this.world = world;
        this.name = name;
        this.directory = directory;
        this.byClaims = byClaims;
        NodeProcesses processes = new NodeProcesses(directory.resolve("proc"));
        cards = new SimulatedCards(inventory, processes);
        containers = new NodeContainers(name, world, processes);
        sockets = new NodeSockets(turns);
        inventory
                .cards()
                .forEach(card -> world.use()
                        .card(card.id().uuid(), inventory.capacityOf(card).units()));
        kubeletMachine = turns.machine(name + "-kubelet");
        kubeletMachine.start("main", () -> {
            createFolders();
            kubelet = SimulatedKubelet.start(
                    KubeletOptions.of(name, directory).in(version),
                    new ApiClient(api.wire(kubeletMachine)),
                    sockets.kubelet(kubeletMachine),
                    containers,
                    kubeletMachine::now);
        });
        pluginMachine = startPlugin();
    }

    private void createFolders() {
        try {
            Files.createDirectories(directory.resolve("proc"));
            Files.createDirectories(directory.resolve("cdi"));
            Files.createDirectories(directory.resolve("plugins_registry"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    public String name() {
        return name;
    }

    /** Whether it offers its cards by claims. */
    public boolean byClaims() {
        return byClaims;
    }

    /** The plugin's machine. */
    public SimulatedMachine plugin() {
        return pluginMachine;
    }

    List<Card> cards() {
        return cards.cards();
    }

    /**
     * The node's label changes: the pod of the present plugin is deleted, and one that makes the other offer starts
     * beside it.
     */
    public void move() {
        SimulatedMachine leaving = pluginMachine;
        Ending ends = ending;
        byClaims = !byClaims;
        if (!leaving.dead() && ends != null) {
            ends.request(Ending.DONE);
            turns.after(GRACE, () -> {
                if (!leaving.dead()) {
                    leaving.kill();
                    sockets.died(leaving);
                }
            });
        }
        if (!off) {
            pluginMachine = startPlugin();
        }
    }

    private SimulatedMachine startPlugin() {
        SimulatedMachine machine = turns.machine(name + "-plugin-" + started++);
        machine.onFailure((thread, failure) -> {
            world.failed(thread, failure);
            gone(machine);
        });
        Ending mine = new Ending();
        ending = mine;
        machine.start("main", () -> {
            try {
                int code = PluginProgram.run(
                        List.of(
                                "--node-name=" + name,
                                "--kubelet-dir=" + directory,
                                "--proc-dir=" + directory.resolve("proc"),
                                "--cdi-dir=" + directory.resolve("cdi"),
                                "--static-cdi-dir=" + directory.resolve("static-cdi"),
                                "--serve=" + (byClaims ? "dra" : "device-plugin"),
                                "--metrics-address="),
                        Map.of(),
                        Clocks.system(),
                        edges(machine),
                        mine);
                world.tell("the plugin of " + name + " ended with " + code);
                gone(machine);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
        return machine;
    }

    /** The process has ended: its kubelet starts it again. */
    private void gone(SimulatedMachine machine) {
        if (!machine.dead()) {
            machine.kill();
            sockets.died(machine);
            if (machine == pluginMachine) {
                turns.after(RESTART, () -> {
                    // The node may have moved meanwhile.
                    if (pluginMachine == machine && !off) {
                        pluginMachine = startPlugin();
                    }
                });
            }
        }
    }

    private NodeEdges edges(SimulatedMachine machine) {
        return new NodeEdges() {
            @Override
            public CardSource cards(NvmlCards.Settings settings, Clocks clocks) {
                return cards.source(clocks);
            }

            @Override
            public Sockets sockets() {
                return sockets.plugin(machine);
            }

            @Override
            public KubernetesApi api(@Nullable Path kubeconfig, String userAgent) {
                return KubernetesApi.of(api.transport(machine), api.transport(machine));
            }

            @Override
            public Closeable lock(Path folder, String self, Pause pause) throws InterruptedException {
                while (offering != null && offering != machine && !offering.dead()) {
                    pause.pause(LOCK);
                }
                offering = machine;
                return () -> offering = null;
            }
        };
    }

    /** Kills the plugin, which its kubelet starts again. */
    public void killPlugin() {
        if (!pluginMachine.dead()) {
            gone(pluginMachine);
        }
    }

    /** Ends the plugin as SIGTERM does; its kubelet starts it again. */
    public void terminatePlugin() {
        Ending now = ending;
        if (!pluginMachine.dead() && now != null) {
            now.request(Ending.DONE);
        }
    }

    /** Restarts the kubelet; the containers stay. */
    public void restartKubelet() {
        SimulatedKubelet running = kubelet;
        if (running != null) {
            kubeletMachine.start("restart", running::restart);
        }
    }

    /**
     * The node loses its power and boots after that time: its containers and processes are gone, and what its
     * directories in memory held. The kubelet admits its pods before it has started the plugin.
     */
    public void reboot(Duration time) {
        SimulatedKubelet running = kubelet;
        if (off || running == null) {
            return;
        }
        off = true;
        if (!pluginMachine.dead()) {
            pluginMachine.kill();
            sockets.died(pluginMachine);
        }
        kubeletMachine.start("power off", () -> {
            running.powerOff();
            containers.powerOff();
            kubeletMachine.pauseFor(time);
            turns.after(time, () -> boot(running));
        });
    }

    private void boot(SimulatedKubelet stopped) {
        emptyMemoryDirectories();
        kubeletMachine.start("boot", stopped::boot);
        turns.after(RESTART, () -> {
            off = false;
            pluginMachine = startPlugin();
        });
    }

    /** Of the Container Device Interface: the socket files of the kubelet stay. */
    private void emptyMemoryDirectories() {
        try (DirectoryStream<Path> files = Files.newDirectoryStream(directory.resolve("cdi"))) {
            for (Path file : files) {
                Files.delete(file);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Lets nothing of the kubelet run for that time. */
    public void pauseKubelet(Duration time) {
        kubeletMachine.pauseFor(time);
    }

    /** The kubelet does not say for that time which devices containers have. */
    public void failPodResources(Duration time) {
        sockets.failFor(directory.resolve("pod-resources").resolve("kubelet.sock"), time);
    }

    /** A card is lost for that time. */
    public void loseCard(int index, Duration time) {
        Card card = cards().get(index % cards().size());
        cards.lose(card.id(), true);
        turns.after(time, () -> cards.lose(card.id(), false));
    }
}
