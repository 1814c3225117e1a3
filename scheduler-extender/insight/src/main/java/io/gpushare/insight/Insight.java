package io.gpushare.insight;

import io.gpushare.extender.Core;
import io.gpushare.extender.protocol.RequestObserver;
import io.gpushare.extender.server.Extension;
import io.gpushare.insight.defrag.DefragAdvisor;
import io.gpushare.insight.metrics.ExtenderMetrics;
import io.gpushare.insight.report.Explainer;
import io.gpushare.insight.report.WaitAdvice;
import io.gpushare.insight.report.WaitReporter;
import io.gpushare.insight.routes.InsightPaths;
import io.gpushare.insight.routes.ViewAccess;
import io.gpushare.insight.routes.ViewRoutes;
import io.gpushare.insight.usage.PluginMetricsClient;
import io.gpushare.insight.usage.WasteMonitor;
import io.gpushare.time.StartedParts;
import io.vertx.core.Vertx;
import java.net.URI;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/** What explains, shows and measures a running extender. */
public final class Insight implements Extension {
    /**
     * What users see.
     *
     * @param access who may see the view
     * @param grafana where the page's links to dashboards lead; null for no links
     * @param version of this program
     * @param namespace of the extender, in which viewers need their permission
     */
    public record Settings(
            ViewAccess.Access access, @Nullable URI grafana, String version, String namespace) {}

    private final Core core;
    private final ViewAccess view;
    private final WasteMonitor waste;
    private final WaitAdvice advice;
    private final ExtenderMetrics metrics;

    public Insight(Core core, Settings settings) {
        this.core = core;
        Explainer explainer = new Explainer(
                core.states(),
                core.placer(),
                core.outcomes(),
                core.pods(),
                core.clocks().wall());
        PluginMetricsClient usage = new PluginMetricsClient(core.clocks().steady());
        waste = new WasteMonitor(
                core.states(),
                core.placer()::fragmentation,
                usage,
                core::ready,
                core.clocks().wall());
        advice = new WaitAdvice(core.states(), core.clocks().wall());
        view = new ViewAccess(
                explainer,
                usage,
                waste::report,
                new DefragAdvisor(core.states(), core.placer(), core.api().evictions(), core.conditions()),
                settings.grafana(),
                settings.version(),
                settings.access(),
                new ViewerReviews(core.api().reviews(), settings.namespace()));
        metrics = new ExtenderMetrics(settings.version(), core, waste::report);
    }

    @Override
    public RequestObserver requests() {
        return metrics;
    }

    @Override
    public void start(StartedParts parts) {
        parts.add(waste.start());
        parts.add(WaitReporter.start(
                core.events(), advice, core::ready, core.clocks().steady()));
    }

    @Override
    public Paths paths(Vertx vertx, Executor blocking) {
        return new InsightPaths(
                core.states(),
                core.node(),
                metrics,
                new ViewRoutes(vertx, core.states(), view, core.unready(), blocking));
    }
}
