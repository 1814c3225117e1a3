package io.gpushare.plugin;

import io.gpushare.model.card.Share;
import io.gpushare.plugin.node.holdings.Offer;
import io.gpushare.plugin.node.monitor.RebootReporter;
import io.gpushare.plugin.node.offer.OneOffer;
import io.gpushare.program.Ending;
import io.gpushare.time.Clocks;
import io.gpushare.time.Deadlines;
import io.gpushare.time.StartedParts;
import java.io.IOException;

/**
 * The running device plugin: starts its parts and connects them. Both sources of holdings run, whatever the offer, and
 * one of the two offers is active.
 */
final class Plugin {
    private final ActiveOffer offer;

    /**
     * Starts everything.
     *
     * @param ending requested if the plugin can't continue
     * @param deadlines of calls that are made while the kubelet waits
     * @param parts receives what has to be closed
     */
    Plugin(
            PluginOptions options,
            NodeEdges edges,
            Ending ending,
            Clocks clocks,
            Deadlines deadlines,
            StartedParts parts)
            throws IOException {
        boolean byClaims = options.serve.offer() == Offer.CLAIMS;
        NodeParts node = new NodeParts(options, edges, ending, clocks, parts);
        NodeParts.Limits limits = node.limits(
                options.serve.offer(),
                byClaims
                        ? ClaimParts.memory(node.unit)
                        : options.cluster.resources().memory(),
                byClaims ? Share.ALL_CORES : options.beside());
        OneOffer rule = parts.add(
                new OneOffer(limits.assembler(), sentence -> node.events.warn(node.node, "GpuCardsHeld", sentence)));
        AllocateParts allocate = new AllocateParts(options, node, deadlines, parts);
        ClaimParts claims = new ClaimParts(options, node, limits, rule::changed, rule::held, parts);
        node.holdings.add(allocate.holdings);
        node.holdings.add(claims.claims);
        node.holdings.followFree(rule::held);
        rule.start(byClaims ? allocate::look : claims::look);
        if (!byClaims) {
            claims.letEnd();
        }
        offer = byClaims ? claims.offer(ending) : allocate.offer(limits, ending);
        node.pods.watch(new PodReports(
                node.holdings,
                allocate.latest,
                claims.claims,
                offer,
                limits.ended(),
                new RebootReporter(options.procDir, options.cluster.resources().all(), node.events)));
        offer.begin();
        node.scan(limits);
        node.serveMetrics(offer::problem);
        parts.add(node.publisher);
        parts.add(offer);
    }

    /** Prepares a planned end. */
    void leave() throws InterruptedException {
        offer.leave();
    }
}
