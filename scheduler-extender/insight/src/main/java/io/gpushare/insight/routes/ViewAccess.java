package io.gpushare.insight.routes;

import io.gpushare.insight.defrag.DefragAdvisor;
import io.gpushare.insight.report.Explainer;
import io.gpushare.insight.waste.CardUsage;
import io.gpushare.insight.waste.WasteReport;
import java.net.URI;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The sources of the view beside the ledger, and the callers that may see it.
 *
 * @param waste what is wasted, as of the last round
 * @param defrag which pods to move
 * @param grafana the address of the Grafana that has the dashboards of deploy/monitoring, with a slash at its end; null
 *     for none
 * @param version of this program
 * @param viewers who may see the view on its own port
 */
public record ViewAccess(
        Explainer explainer,
        CardUsage usage,
        Supplier<WasteReport> waste,
        DefragAdvisor defrag,
        @Nullable URI grafana,
        String version,
        Access access,
        Viewers viewers) {
    /** Who may see the view. */
    public enum Access {
        /** Nobody: its paths do not exist. */
        OFF,
        /** Callers that may inspect: where client certificates are required, only those that present one. */
        ON,
        /** Everybody who reaches the port, also where client certificates are required. */
        OPEN
    }
}
