package io.gpushare.plugin.offer;

import io.gpushare.model.card.NoCards;
import io.gpushare.plugin.claims.CdiFiles;
import io.gpushare.plugin.cluster.NodePodInformer;
import io.gpushare.plugin.state.InventoryAssembler;
import io.gpushare.time.PeriodicTask;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Holds the node's cards back while pods have them by the way in which the node offered them before: each way counts
 * only its own pods, and would give the cards a second time.
 */
public final class OtherWay implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(OtherWay.class);
    private static final Duration AGAIN = Duration.ofSeconds(3);
    private static final Duration TIMEOUT = Duration.ofSeconds(10);
    private static final int MOST_NAMES = 3;

    private final Supplier<List<String>> holders;
    private final Duration afterwards;
    private final InventoryAssembler assembler;
    private final Consumer<String> warnings;
    private final PeriodicTask task = new PeriodicTask("other-way", this::look);
    private List<String> reported = List.of();

    private OtherWay(
            Supplier<List<String>> holders,
            Duration afterwards,
            InventoryAssembler assembler,
            Consumer<String> warnings) {
        this.holders = holders;
        this.afterwards = afterwards;
        this.assembler = assembler;
        this.warnings = warnings;
    }

    /** For a node that offers its cards by claims. Once no pod has them by the device plugin, no later one gets any. */
    public static OtherWay devicePlugin(NodePodInformer pods, InventoryAssembler assembler, Consumer<String> warnings) {
        return new OtherWay(() -> holders(pods), PeriodicTask.ON_REQUEST, assembler, warnings);
    }

    /** For a node that offers its cards by the device plugin. The other one may still prepare a claim while it ends. */
    public static OtherWay claims(CdiFiles files, InventoryAssembler assembler, Consumer<String> warnings) {
        return new OtherWay(() -> holders(files), AGAIN, assembler, warnings);
    }

    private static List<String> holders(NodePodInformer pods) {
        return pods.live(TIMEOUT)
                .map(all -> all.stream()
                        .filter(pod -> !pod.ended() && pod.requestsDevices())
                        .map(pod -> "pod " + pod.ref())
                        .toList())
                .orElse(List.of("the pods of this node can't be listed"));
    }

    private static List<String> holders(CdiFiles files) {
        try {
            return files.uids().stream().map(uid -> "claim " + uid).toList();
        } catch (IOException e) {
            return List.of("the files of claims can't be listed: " + e);
        }
    }

    /** Looks a first time before it returns. */
    public OtherWay start() {
        look();
        task.start();
        return this;
    }

    private synchronized Duration look() {
        List<String> now = holders.get();
        if (!now.equals(reported)) {
            reported = now;
            report(now);
        }
        return now.isEmpty() ? afterwards : AGAIN;
    }

    private void report(List<String> now) {
        if (now.isEmpty()) {
            LOG.info("no pod has the cards by the other way any more");
            assembler.otherWay(null);
            return;
        }
        List<String> names = new ArrayList<>(now.subList(0, Math.min(MOST_NAMES, now.size())));
        if (now.size() > MOST_NAMES) {
            names.add("and " + (now.size() - MOST_NAMES) + " more");
        }
        NoCards why = new NoCards(NoCards.Cause.OTHER_WAY, String.join(", ", names));
        LOG.warn("{}", why.sentences());
        warnings.accept("This node has " + why.sentences());
        assembler.otherWay(why);
    }

    @Override
    public void close() {
        task.close();
    }
}
