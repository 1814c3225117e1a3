package io.gpushare.plugin.node.isolation.mps;

import io.gpushare.kubernetes.event.EventRecorder;
import io.gpushare.model.card.Card;
import io.gpushare.model.card.CardId;
import io.gpushare.model.card.ComputeCapability;
import io.gpushare.model.card.Inventory;
import io.gpushare.model.card.Isolation;
import io.gpushare.model.card.Memory;
import io.gpushare.mps.link.CardReport;
import io.gpushare.mps.link.MpsDirectory;
import io.gpushare.mps.link.Phase;
import io.gpushare.plugin.node.holdings.Holdings;
import io.gpushare.plugin.node.isolation.ContainerIsolation;
import io.gpushare.plugin.node.isolation.IsolationProvider;
import io.gpushare.plugin.node.isolation.StartingContainer;
import io.gpushare.plugin.node.usage.CardProcess;
import io.gpushare.plugin.node.usage.CardUsages;
import io.gpushare.plugin.node.usage.CardUtilization;
import io.gpushare.plugin.node.usage.Cgroup;
import io.gpushare.plugin.node.usage.ContainerShare;
import io.gpushare.plugin.node.usage.NodeUsage;
import io.gpushare.plugin.node.usage.OverUse;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongFunction;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Makes containers clients of MPS, each with its own memory limit. The supervisor runs the daemons; this reports to it
 * which cards need one, and with which process limit, and lets no container start before that is in force. MPS limits
 * each process by itself, so the processes of a container are added up here.
 */
public final class MpsIsolation implements IsolationProvider {
    /** The default of NVIDIA's libraries, so that a program that unsets the variable changes nothing. */
    private static final String PIPE_IN_CONTAINER = "/tmp/nvidia-mps";

    /**
     * The server takes 66 MiB (measured on an H200), and each client some that its limit does not count: 2 MiB with few
     * of them, 3.1 with 40 (measured on an H100). This is enough for 30.
     */
    private static final Memory SERVER_AND_CLIENTS = Memory.ofMib(66 + 96);

    private static final ComputeCapability FIRST_CAPABILITY = new ComputeCapability(7, 0);
    private static final int FIRST_DRIVER = 495;
    private static final Duration START_DEADLINE = Duration.ofSeconds(25);

    /** The latest measurement of usage. */
    public record Measured(NodeUsage usage, List<OverUse.Excess> excesses) {
        public Measured {
            excesses = List.copyOf(excesses);
        }
    }

    /**
     * What the provider reads beside the holdings.
     *
     * @param cgroups the cgroup of a process
     * @param starts when a process started
     */
    public record Sources(
            Supplier<Measured> measured, LongFunction<Optional<Cgroup>> cgroups, LongFunction<OptionalLong> starts) {}

    private final MpsDirectory directory;
    private final MpsSupervision supervisor;
    private final Sources sources;
    private final OverLimit overLimit;
    private final Bypasses bypasses;
    private final MpsReporter reporter;
    private final InstantSource clock;
    private final AtomicLong terminated = new AtomicLong();
    private volatile Set<String> sharing = Set.of();

    /**
     * Makes the provider.
     *
     * @param grace how long the processes of a container may together exceed its limit, or compute without MPS
     */
    public MpsIsolation(
            MpsDirectory directory, Duration grace, Sources sources, EventRecorder events, InstantSource clock) {
        this.directory = directory;
        this.sources = sources;
        this.clock = clock;
        supervisor = new MpsSupervision(directory, clock);
        overLimit = new OverLimit(grace, sources.starts());
        bypasses = new Bypasses(grace, sources.starts());
        reporter = new MpsReporter(events, sources.cgroups());
    }

    @Override
    public Optional<String> missing(Card card, Inventory inventory) {
        return unable(card, inventory.driver()).or(() -> supervisor.missing(card.id()));
    }

    private static Optional<String> unable(Card card, Inventory.@Nullable Driver driver) {
        if (driver == null) {
            return Optional.of("the driver does not respond");
        }
        if (driver.major() < FIRST_DRIVER) {
            return Optional.of("driver " + driver.version() + " has no memory limits in MPS: they need " + FIRST_DRIVER
                    + " or newer");
        }
        if (card.details().compute() == null || card.details().compute().compareTo(FIRST_CAPABILITY) < 0) {
            return Optional.of("its compute capability is "
                    + (card.details().compute() == null
                            ? "unknown"
                            : card.details().compute()) + ", and memory limits in MPS need " + FIRST_CAPABILITY
                    + " or newer");
        }
        return Boolean.TRUE.equals(card.details().mig()) && !card.id().instance()
                ? Optional.of("MIG is enabled, and only instances can have MPS")
                : Optional.empty();
    }

    @Override
    public Memory beside() {
        return new Memory(IsolationProvider.super.beside().bytes() + SERVER_AND_CLIENTS.bytes());
    }

    @Override
    public ContainerIsolation settings(StartingContainer container, Map<CardId, ContainerIsolation.Limit> limits) {
        if (container.allocation().visibleCards().size() > 1) {
            return new ContainerIsolation.Refused(
                    "memory of several cards is not possible with MPS, because a program is a client of one card:"
                            + " request memory of one card, or select cards with gpushare.io/select: \"isolation !="
                            + " mps\"");
        }
        Map.Entry<CardId, ContainerIsolation.Limit> limit =
                limits.entrySet().iterator().next();
        return new ContainerIsolation.Settings(
                environment(limit.getValue()),
                List.of(new ContainerIsolation.Mount(
                        directory.pipe(limit.getKey().uuid()).toString(), PIPE_IN_CONTAINER, true)),
                limits);
    }

    private static Map<String, String> environment(ContainerIsolation.Limit limit) {
        Map<String, String> environment = new HashMap<>();
        environment.put("CUDA_MPS_PIPE_DIRECTORY", PIPE_IN_CONTAINER);
        environment.put(
                "CUDA_MPS_PINNED_DEVICE_MEM_LIMIT", "0=" + limit.memory().mib() + "M");
        if (limit.percents().cores() > 0) {
            environment.put(
                    "CUDA_MPS_ACTIVE_THREAD_PERCENTAGE",
                    String.valueOf(limit.percents().cores()));
        }
        return environment;
    }

    @Override
    public Optional<String> enforce(StartingContainer container, Holdings holdings) {
        Instant end = clock.instant().plus(START_DEADLINE);
        want(holdings);
        for (CardId card : container.sharedCards()) {
            if (hasMps(holdings, card)) {
                long needed = holdings.inventory().unit().size().mib()
                        * container.allocation().on(card).units();
                Optional<String> problem = supervisor.await(
                        card,
                        report -> report.phase() == Phase.READY && report.processLimitMib() >= needed,
                        "is not ready",
                        end);
                if (problem.isPresent()) {
                    return problem;
                }
            }
        }
        for (CardId card : container.wholeCards()) {
            if (supervisor.serves(card)) {
                Optional<String> problem =
                        supervisor.await(card, report -> report.phase() == Phase.OFF, "has not ended", end);
                if (problem.isPresent()) {
                    return problem;
                }
            }
        }
        return Optional.empty();
    }

    /** A closed card keeps MPS for the pods that it still has. */
    private static boolean hasMps(Holdings holdings, CardId card) {
        return holdings.inventory()
                .card(card)
                .map(Card::isolation)
                .filter(isolation -> isolation.inForce() == Isolation.MPS || isolation.closed())
                .isPresent();
    }

    /** The shares of memory on cards with MPS. */
    private static List<ContainerShare> shares(Holdings holdings) {
        return ContainerShare.of(holdings).stream()
                .filter(share -> !share.whole() && hasMps(holdings, share.card().id()))
                .toList();
    }

    /** Sends the supervisor what each card needs now. */
    private synchronized void want(Holdings holdings) {
        if (!directory.supervised()) {
            return;
        }
        Map<CardId, Long> limits = new HashMap<>();
        shares(holdings)
                .forEach(share -> limits.merge(share.card().id(), share.memory().mib(), Math::max));
        for (Card card : holdings.inventory().cards()) {
            supervisor.want(
                    card.id(),
                    limits.getOrDefault(card.id(), 0L),
                    Stream.concat(overLimit.terminating(card.id()).stream(), bypasses.terminating(card.id()).stream())
                            .distinct()
                            .toList(),
                    holdings.complete());
        }
    }

    @Override
    public void reconcile(Holdings holdings) {
        Set<CardId> present =
                holdings.inventory().cards().stream().map(Card::id).collect(Collectors.toSet());
        supervisor.retain(present);
        sharing = shares(holdings).stream().map(share -> share.pod().uid()).collect(Collectors.toSet());
        Set<CardId> cards = holdings.inventory().cards().stream()
                .filter(card -> card.isolation().inForce() == Isolation.MPS)
                .map(Card::id)
                .collect(Collectors.toSet());
        synchronized (this) {
            reporter.retain(present);
            Measured measured = sources.measured().get();
            Instant now = clock.instant();
            for (OverLimit.Victim victim : overLimit.evaluate(measured, cards, now)) {
                terminated.incrementAndGet();
                reporter.reportTerminated(victim);
            }
            for (Bypasses.Victim victim :
                    bypasses.evaluate(shares(holdings), measured.usage(), supervisor::bypassing, now)) {
                terminated.incrementAndGet();
                reporter.reportTerminated(victim);
            }
            supervisor.reports().forEach((card, report) -> reporter.report(card, report, holdings));
        }
        want(holdings);
    }

    @Override
    public Map<String, Long> repairs() {
        return Map.of("client_terminated", terminated.get());
    }

    @Override
    public Map<CardId, Figures> figures() {
        Map<CardId, Figures> figures = new HashMap<>();
        supervisor
                .reports()
                .forEach((card, report) -> figures.put(
                        card,
                        new Figures(
                                report.phase().name().toLowerCase(Locale.ROOT),
                                report.clients(),
                                report.failures(),
                                Memory.ofMib(report.processLimitMib()))));
        return figures;
    }

    /**
     * The servers of MPS use some memory of their own, which is no use without an allocation. A process of a pod that
     * shares a card is none.
     */
    @Override
    public CardUsages ofOthers(CardUsages usages) {
        Set<Long> servers = new HashSet<>();
        supervisor.reports().values().stream()
                .map(CardReport::server)
                .filter(pid -> sources.cgroups()
                        .apply(pid)
                        .flatMap(Cgroup::podUid)
                        .filter(sharing::contains)
                        .isEmpty())
                .forEach(servers::add);
        Map<CardId, CardUtilization> others = new HashMap<>();
        usages.cards().forEach((card, usage) -> others.put(card, usage.without(servers)));
        return new CardUsages(usages.at(), others, computed(usages, servers));
    }

    /** What the server of each card computes for its clients. */
    private Map<CardId, OptionalInt> computed(CardUsages usages, Set<Long> servers) {
        Map<CardId, OptionalInt> computed = new HashMap<>();
        supervisor.reports().forEach((card, report) -> {
            if (report.server() > 0) {
                computed.put(
                        card,
                        usages.processes(card).stream()
                                .filter(process -> process.pid() == report.server() && servers.contains(process.pid()))
                                .map(CardProcess::gpuUtilization)
                                .findFirst()
                                .orElse(OptionalInt.empty()));
            }
        });
        return computed;
    }
}
