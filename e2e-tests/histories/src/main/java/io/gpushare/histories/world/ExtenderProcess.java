package io.gpushare.histories.world;

import io.gpushare.claims.ClaimWatch;
import io.gpushare.extender.Candidacy;
import io.gpushare.extender.Core;
import io.gpushare.extender.Extender;
import io.gpushare.extender.feasibility.FilterResult;
import io.gpushare.extender.pod.PolicyKind;
import io.gpushare.extender.pod.SchedulingPod;
import io.gpushare.extender.preemption.PreemptionMode;
import io.gpushare.extender.preemption.Victims;
import io.gpushare.extender.protocol.RequestObserver;
import io.gpushare.extender.protocol.Verbs;
import io.gpushare.extender.scheduling.BindResult;
import io.gpushare.extender.scheduling.DecideIn;
import io.gpushare.extender.server.ExtenderServer;
import io.gpushare.extender.server.Extension;
import io.gpushare.extender.server.VerbServer;
import io.gpushare.histories.machine.SimulatedMachine;
import io.gpushare.insight.report.Explainer;
import io.gpushare.insight.report.Explanation;
import io.gpushare.insight.report.Explanation.NodeVerdict;
import io.gpushare.kubernetes.KubernetesApi;
import io.gpushare.model.ContainerRole;
import io.gpushare.model.PodRef;
import io.gpushare.model.card.MemoryUnit;
import io.gpushare.model.node.NodeRules;
import io.gpushare.model.request.ContainerResources;
import io.gpushare.model.request.ResourceNames;
import io.gpushare.simulated.apiserver.store.ApiResource;
import io.gpushare.simulated.scheduler.ExtenderWire;
import io.gpushare.time.Clocks;
import io.gpushare.time.StartedParts;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.ext.web.Router;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** One replica of the real extender, without its HTTP server: its verbs are called as they are over HTTP. */
public final class ExtenderProcess {
    static final String NAMESPACE = "kube-system";
    static final String LEASE = "gpushare-schd-extender";

    private final SimulatedMachine machine;
    private final String pod;
    private final LocalApi api;
    private @Nullable Runnable atBinding;
    private @Nullable Verbs verbs;
    private @Nullable Extender extender;
    private ExtenderServer.@Nullable Parts parts;
    private @Nullable Core core;

    ExtenderProcess(SimulatedMachine machine, String pod, LocalApi api) {
        this.machine = machine;
        this.pod = pod;
        this.api = api;
    }

    /** The name of the pod that the Service selects; null for none. */
    static @Nullable String leader(LocalApi api) {
        return api.objects().list(ApiResource.PODS).stream()
                .map(pod -> pod.path("metadata"))
                .filter(metadata -> metadata.path("labels").has("gpushare.io/leader"))
                .map(metadata -> metadata.path("name").asText())
                .reduce((_, last) -> last)
                .orElse(null);
    }

    public SimulatedMachine machine() {
        return machine;
    }

    /** The holders that its ledger counts on that node. */
    List<String> counted(String node) {
        ExtenderServer.Parts running = parts;
        return running == null
                ? List.of()
                : running.ledger().nodeEntry(node).cards().holdings().stream()
                        .map(holding -> holding.holder().toString())
                        .toList();
    }

    /**
     * The nodes on which a pod with that request would fit now, as {@code why} says it; empty while it does not run.
     * In a namespace of its own, for which no node is closed because of rejected pods.
     */
    Optional<Set<String>> fits(String resource, int amount) {
        Core running = core;
        if (running == null) {
            return Optional.empty();
        }
        Explanation explained = new Explainer(
                        running.states(),
                        running.placer(),
                        running.outcomes(),
                        running.pods(),
                        running.clocks().wall())
                .of(
                        new SchedulingPod(
                                new PodRef("asked", "asked", "asked"),
                                Map.of(),
                                List.of(new ContainerResources(
                                        "main", ContainerRole.APP, Map.of(resource, Integer.toString(amount))))),
                        NodeRules.ANY);
        return Optional.of(
                explained instanceof Explanation.Judged judged
                        ? judged.nodes().stream()
                                .filter(node -> node.why() == null)
                                .map(NodeVerdict::node)
                                .collect(Collectors.toCollection(TreeSet::new))
                        : Set.of("no node, but the answer " + explained.state()));
    }

    void start() {
        machine.start("main", () -> {
            try {
                extender = Extender.start(
                        settings(),
                        new Extender.Edges(
                                KubernetesApi.of(api.transport(machine), api.transport(machine)), this::serve),
                        Clocks.system(),
                        ClaimWatch::start,
                        started -> {
                            core = started;
                            return new Quiet();
                        });
            } catch (IOException e) {
                throw new IllegalStateException(e);
            }
        });
    }

    private Extender.Settings settings() {
        return new Extender.Settings(
                null,
                ResourceNames.DEFAULT,
                MemoryUnit.GIB,
                PolicyKind.BINPACK,
                DecideIn.AUTO,
                PreemptionMode.AUTO,
                Set.of(),
                NAMESPACE,
                GpuNode.LEASES,
                new Candidacy(NAMESPACE, LEASE, pod, pod),
                new ExtenderServer.Settings("127.0.0.1", 0, null, 1 << 20, "simulated", null));
    }

    private VerbServer serve(ExtenderServer.Settings settings, ExtenderServer.Parts served) {
        parts = served;
        verbs = new Verbs(served.verbs());
        return new VerbServer() {
            @Override
            public int port() {
                return 0;
            }

            @Override
            public int viewPort() {
                return 0;
            }

            @Override
            public void stop(Duration grace) {
                verbs = null;
            }
        };
    }

    /** Ends it as SIGTERM does. */
    void terminate() {
        machine.start("end", () -> {
            try {
                Extender running = extender;
                if (running != null) {
                    running.stop(Duration.ofSeconds(20));
                    running.close();
                }
                machine.kill();
            } catch (IOException e) {
                throw new IllegalStateException(e);
            }
        });
    }

    /** Does that when it is next asked to bind a pod. */
    void atBinding(Runnable work) {
        atBinding = work;
    }

    /** Handles a call in a thread of its own; without result where the process ends first. */
    void handle(String verb, byte[] body, CompletableFuture<ExtenderWire.Response> response) {
        Runnable work = atBinding;
        if (verb.equals("bind") && work != null) {
            atBinding = null;
            work.run();
        }
        machine.start(verb, () -> {
            Verbs now = verbs;
            if (now == null) {
                return;
            }
            Verbs.Verb called = now.all().stream()
                    .filter(each -> each.name().equals(verb))
                    .findFirst()
                    .orElseThrow();
            Verbs.Reply reply = now.reply(called, body).get();
            response.complete(
                    new ExtenderWire.Response(reply.status(), reply.body().getBytes()));
        });
    }

    /** Measures and shows nothing. */
    private static final class Quiet implements Extension, RequestObserver {
        @Override
        public RequestObserver requests() {
            return this;
        }

        @Override
        public void start(StartedParts parts) {
            // Nothing beside the verbs.
        }

        @Override
        public Paths paths(Vertx vertx, Executor blocking) {
            return new Paths() {
                @Override
                public List<String> underKnownHosts() {
                    return List.of();
                }

                @Override
                public void addOpen(Router router, Predicate<HttpServerRequest> trusted) {
                    // No paths.
                }

                @Override
                public void addProtected(Router router) {
                    // No paths.
                }

                @Override
                public void addForTokens(Router router) {
                    // No paths.
                }
            };
        }

        @Override
        public void responded(String verb, long nanos) {
            // Counted by nobody, as all below.
        }

        @Override
        public void failed(String verb, String reason) {
            // See above.
        }

        @Override
        public void filtered(FilterResult result) {
            // See above.
        }

        @Override
        public void preempted(Map<String, Victims> candidates, Map<String, Victims> response) {
            // See above.
        }

        @Override
        public void bound(BindResult result) {
            // See above.
        }
    }
}
