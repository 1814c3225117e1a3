package io.gpushare.insight.usage;

import io.gpushare.extender.ledger.ClusterState;
import io.gpushare.extender.ledger.ClusterState.NodeView;
import io.gpushare.extender.policy.scoring.Fragmentation;
import io.gpushare.insight.waste.CardUsage.NodeUse;
import io.gpushare.insight.waste.LedgerStats;
import io.gpushare.insight.waste.WasteHistory;
import io.gpushare.insight.waste.WasteReport;
import io.gpushare.insight.waste.WasteRound;
import io.gpushare.time.Machine;
import io.gpushare.time.PeriodicTask;
import java.time.Duration;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/**
 * Adds up what is wasted, in rounds over all nodes. It asks few plugins at a time and waits between, so that a round of
 * a large cluster takes minutes and costs little; of a small one, seconds.
 */
public final class WasteMonitor {
    private static final int TOGETHER = 10;
    private static final Duration PAUSE = Duration.ofMillis(200);
    private static final Duration PERIOD = Duration.ofSeconds(10);

    private final Supplier<ClusterState> states;
    private final Supplier<Fragmentation> fragmentation;
    private final PluginMetricsClient plugins;
    private final BooleanSupplier ready;
    private final InstantSource wall;
    private final WasteHistory history = new WasteHistory();
    private volatile WasteReport report = WasteReport.NONE;

    /**
     * A monitor of the cluster.
     *
     * @param fragmentation how the free memory of nodes is weighed now
     * @param ready whether this extender leads and its ledger is current: only then it asks the plugins
     */
    public WasteMonitor(
            Supplier<ClusterState> states,
            Supplier<Fragmentation> fragmentation,
            PluginMetricsClient plugins,
            BooleanSupplier ready,
            InstantSource wall) {
        this.states = states;
        this.fragmentation = fragmentation;
        this.plugins = plugins;
        this.ready = ready;
        this.wall = wall;
    }

    /** The report of the last round. */
    public WasteReport report() {
        return report;
    }

    /** Starts the rounds. */
    public PeriodicTask start() {
        return PeriodicTask.rounds("waste", PERIOD, this::run).start();
    }

    private void run() throws InterruptedException {
        while (!ready.getAsBoolean()) {
            report = WasteReport.NONE;
            Machine.here().pause(PAUSE);
        }
        round(PAUSE);
    }

    /** @param pause between two groups of plugins */
    void round(Duration pause) throws InterruptedException {
        WasteRound round = new WasteRound();
        List<NodeView> together = new ArrayList<>();
        for (NodeView node : states.get().nodes()) {
            if (!ready.getAsBoolean()) {
                report = WasteReport.NONE;
                return;
            }
            if (node.metrics() == null) {
                round.add(node, NodeUse.UNKNOWN);
                continue;
            }
            together.add(node);
            if (together.size() == TOGETHER) {
                add(round, together);
                Machine.here().pause(pause);
            }
        }
        add(round, together);
        report = round.end(
                LedgerStats.of(states.get(), fragmentation.get()),
                wall.instant().truncatedTo(ChronoUnit.SECONDS),
                history);
    }

    private void add(WasteRound round, List<NodeView> nodes) {
        Map<String, NodeUse> usage = plugins.once(nodes);
        nodes.forEach(node -> round.add(node, usage.getOrDefault(node.name(), NodeUse.UNKNOWN)));
        nodes.clear();
    }
}
