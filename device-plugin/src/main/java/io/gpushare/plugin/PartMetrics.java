package io.gpushare.plugin;

import io.gpushare.kubernetes.event.EventQueue;
import io.gpushare.model.card.Card;
import io.gpushare.model.card.CardId;
import io.gpushare.model.card.NoCards;
import io.gpushare.plugin.allocate.admission.AllocationHandler;
import io.gpushare.plugin.allocate.kubelet.KubeletConnection;
import io.gpushare.plugin.allocate.state.AllocationReconciler;
import io.gpushare.plugin.claims.prepare.AppliedClaims;
import io.gpushare.plugin.claims.prepare.NodeClaims;
import io.gpushare.plugin.node.cards.CardSource;
import io.gpushare.plugin.node.cluster.NodeLease;
import io.gpushare.plugin.node.holdings.LatestHoldings;
import io.gpushare.plugin.node.isolation.IsolationProvider;
import io.gpushare.plugin.node.isolation.enforcement.NodeIsolation;
import io.gpushare.plugin.node.metrics.PluginMetrics;
import io.gpushare.plugin.node.monitor.OverUseGuard;
import org.jspecify.annotations.Nullable;

/** The metrics of what the plugin's parts count; they are read at each scrape. */
record PartMetrics(PluginMetrics metrics) {
    void ofKubelet(AllocationHandler calls, KubeletConnection kubelet) {
        metrics.counter(
                "gpushare_plugin_containers_identified_total",
                "Containers that received their cards, by how they were identified: lacks_devices and repeated_call by"
                        + " the kubelet's pod-resources, demand_only without it.",
                "way",
                calls.identified()::all);
        metrics.counter(
                "gpushare_plugin_allocations_refused_total",
                "Refused Allocate calls: the kubelet rejects the pod permanently.",
                "reason",
                calls.refused()::all);
        metrics.counter(
                "gpushare_plugin_registrations_total",
                "Registrations with the kubelet: each one after the first replaces a lost one.",
                "resource",
                kubelet::registrations);
    }

    void ofClaims(NodeClaims claims, AppliedClaims applied) {
        metrics.gauges(
                "gpushare_containers_without_claim",
                "Containers that run without what their claims give them: the container runtime did not apply it.",
                series -> series.call(applied.without()));
        metrics.counter(
                "gpushare_plugin_claims_refused_total",
                "Refused calls to prepare a ResourceClaim: its pod waits, and the kubelet repeats the call.",
                claims::refused);
    }

    void ofCluster(AllocationReconciler allocations, EventQueue events, NodeLease lease) {
        metrics.counter(
                "gpushare_plugin_differences_found_total",
                "Pods whose allocation annotation was missing (or adopted from gpushare), wrong, or"
                        + " unconfirmed after a restart.",
                "kind",
                allocations::found);
        metrics.counter(
                "gpushare_plugin_differences_mended_total", "Differences that were repaired.", allocations::repaired);
        metrics.counter(
                "gpushare_plugin_differences_mending_failed_total",
                "Failed attempts to repair a difference; each is retried.",
                allocations::failures);
        metrics.counter(
                "gpushare_plugin_events_lost_total",
                "Events on pods that could not be recorded at the API server.",
                events::lost);
        metrics.gauges(
                "gpushare_plugin_api_server_responds",
                "0 if the API server has not responded for 15 s: free devices are withdrawn until it does.",
                series -> series.call(lease.lost() ? 0 : 1));
    }

    void ofCards(CardSource.Scan cards, LatestHoldings latest) {
        metrics.gauges(
                "gpushare_plugin_no_cards",
                "1 for the reason why the node offers no cards, although the plugin runs.",
                series -> {
                    @Nullable NoCards now = latest.inventory().noCards();
                    for (NoCards.Cause cause : NoCards.Cause.values()) {
                        series.call(now != null && now.cause() == cause ? 1 : 0, cause.label());
                    }
                },
                "reason");
        metrics.counters(
                "gpushare_card_xid_errors_total",
                "Xid errors since the plugin started; card and model are empty if the driver did not name the card.",
                series -> cards.counts()
                        .forEach((xid, count) -> series.call(
                                count,
                                xid.card().map(CardId::uuid).orElse(""),
                                xid.card()
                                        .flatMap(latest.inventory()::card)
                                        .map(Card::model)
                                        .orElse(""),
                                String.valueOf(xid.xid()),
                                xid.remedy())),
                "card",
                "model",
                "xid",
                "remedy");
    }

    void ofIsolation(OverUseGuard overUse, NodeIsolation isolation, IsolationProvider provider) {
        metrics.counter(
                "gpushare_plugin_over_use_evictions_total",
                "Evictions of pods that used more memory than they requested: evicted, refused or failed.",
                "outcome",
                overUse::counts);
        metrics.counter(
                "gpushare_plugin_container_starts_refused_total",
                "Starts of containers that were refused because their isolation was not in force; the kubelet retries.",
                isolation::refusedStarts);
        metrics.counter(
                "gpushare_plugin_isolation_repairs_total",
                "What was done to keep isolation in force: limit_restored (the driver lost it), client_terminated (MPS:"
                        + " the newest process of a container over its limit).",
                "kind",
                provider::repairs);
    }
}
