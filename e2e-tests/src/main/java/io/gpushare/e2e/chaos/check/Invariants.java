package io.gpushare.e2e.chaos.check;

import io.gpushare.e2e.chaos.check.pod.HeldCards;
import io.gpushare.e2e.chaos.check.pod.PodView;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

/**
 * The invariants that hold at every moment, whichever component is killed or frozen and whichever card is unhealthy.
 */
public final class Invariants {
    /**
     * A broken invariant; {@code rule} and {@code subject} identify it.
     *
     * @param tolerance how long it may last
     */
    public record Violation(String rule, String subject, String detail, Duration tolerance) {
        Violation(String rule, String subject, String detail) {
            this(rule, subject, detail, Duration.ZERO);
        }

        boolean sameAs(Violation other) {
            return rule.equals(other.rule) && subject.equals(other.subject);
        }

        @Override
        public String toString() {
            return rule + ": " + subject + ": " + detail;
        }
    }

    /**
     * The result of checking one snapshot.
     *
     * @param checks the number of comparisons
     * @param compared the containers, by uid and name, whose view was compared with their annotation or claim
     */
    record Findings(int checks, Set<String> compared, List<Violation> violations) {}

    /** The subject of this rule is {@code <pod uid>/<container>}. */
    static final String OTHER_DEVICES = "the kubelet's devices are of other cards than its container sees";

    private static final String ANNOTATIONS = "annotations";

    /** A kubelet that has just started lists no pod before it has listed all from the API server. */
    private static final Duration KUBELET_START = Duration.ofSeconds(60);

    /** The plugin reports it at once; the logs are read once a second, later on a loaded machine. */
    private static final Duration REPORT = Duration.ofSeconds(15);

    private static final Duration ORPHAN_TERMINATION = Duration.ofSeconds(60);

    /** The plugin corrects an annotation within seconds, once it can reach the API server. */
    private static final Duration CORRECTION = Duration.ofSeconds(90);

    private final ClusterCards cards;
    private final Snapshot snapshot;
    private final List<Violation> violations = new ArrayList<>();
    private final Set<String> compared = new HashSet<>();
    private int checks;

    private Invariants(ClusterCards cards, Snapshot snapshot) {
        this.cards = cards;
        this.snapshot = snapshot;
    }

    static Findings check(ClusterCards cards, Snapshot snapshot) {
        Invariants invariants = new Invariants(cards, snapshot);
        List<HeldCards> running = invariants.withPods();
        invariants.sums("the containers' environment", running);
        running.forEach(invariants::amount);
        snapshot.pods().ifPresent(pods -> invariants.pods(pods, running));
        invariants.claims();
        return new Findings(invariants.checks, invariants.compared, invariants.violations);
    }

    /**
     * The running containers whose pod still exists. A kubelet before 1.22 removes the API object of a pod that is
     * deleted during its start, starts the containers anyway, and stops them seconds later; a newer one under load too,
     * even of a pod that it rejected, and then without devices. Only the kubelet knows of them. A container that can't
     * be killed counts like one whose pod exists.
     */
    private List<HeldCards> withPods() {
        if (snapshot.pods().isEmpty()) {
            return snapshot.running();
        }
        List<HeldCards> ofPods = new ArrayList<>();
        for (HeldCards use : snapshot.running()) {
            if (snapshot.pod(use.uid()).isPresent() || snapshot.kept().pods().contains(use.uid())) {
                ofPods.add(use);
            } else {
                violations.add(new Violation(
                        "a container runs whose pod is gone",
                        use.uid() + " " + use.name(),
                        use.toString(),
                        ORPHAN_TERMINATION));
            }
        }
        return ofPods;
    }

    /** What kube-scheduler has given of each card. */
    private void claims() {
        Map<String, Integer> given = new HashMap<>();
        snapshot.claims()
                .forEach(claim -> claim.consumed().forEach((card, units) -> given.merge(card, units, Integer::sum)));
        given.forEach((card, units) -> {
            checks++;
            if (units > cards.units().getOrDefault(card, 0)) {
                violation(
                        "card over-committed, by the allocations of claims",
                        card,
                        units + " units: "
                                + snapshot.claims().stream()
                                        .filter(claim -> claim.consumed().containsKey(card))
                                        .toList());
            }
        });
    }

    /**
     * A claim has its cards from the moment in which its file is written: no pod that has none by claims may run on
     * what it leaves no room for.
     */
    private void bothWays(List<PodView> pods, List<HeldCards> running) {
        if (snapshot.prepared().isEmpty()) {
            return;
        }
        Set<String> byClaims = new HashSet<>(snapshot.kept().byClaims());
        pods.stream().filter(pod -> !pod.claimed().isEmpty()).forEach(pod -> byClaims.add(pod.uid()));
        List<HeldCards> both = new ArrayList<>(snapshot.prepared());
        running.stream().filter(use -> !byClaims.contains(use.uid())).forEach(both::add);
        sums("the files of claims and the other containers' environment", both);
    }

    private void pods(List<PodView> pods, List<HeldCards> running) {
        bothWays(pods, running);
        List<HeldCards> written = pods.stream()
                .filter(pod -> !pod.node().isEmpty() && !pod.ended())
                .flatMap(pod -> pod.annotated().stream())
                .toList();
        sums(ANNOTATIONS, written);
        written.stream().filter(use -> !snapshot.edited().contains(use.uid())).forEach(this::amount);
        pods.stream().filter(pod -> !pod.node().isEmpty()).forEach(this::agree);
    }

    /** No card is over-committed, and none is both shared and allocated whole. */
    private void sums(String source, Collection<HeldCards> uses) {
        Map<String, List<HeldCards>> byCard = new HashMap<>();
        uses.forEach(use -> use.cards()
                .forEach(card ->
                        byCard.computeIfAbsent(card, _ -> new ArrayList<>()).add(use)));
        byCard.forEach((card, on) -> {
            checks++;
            long whole = on.stream().filter(use -> use.request().whole()).count();
            int units = on.stream()
                    .filter(use -> !use.request().whole())
                    .mapToInt(use -> use.request().amount())
                    .sum();
            if (whole > 1 || (whole == 1 && units > 0) || units > cards.units().getOrDefault(card, 0)) {
                String detail = whole + " whole and " + units + " units: " + on;
                boolean changed = on.stream().anyMatch(use -> snapshot.edited().contains(use.uid()));
                violations.add(new Violation(
                        "card over-committed, by " + source,
                        card,
                        detail,
                        changed && source.equals(ANNOTATIONS) ? CORRECTION : Duration.ZERO));
            }
        });
    }

    /** Memory is on one card, and the number of whole cards is the requested one. */
    private void amount(HeldCards use) {
        checks++;
        int expected = use.request().whole() ? use.request().amount() : 1;
        if (use.cards().size() != expected || !cards.units().keySet().containsAll(use.cards())) {
            violation("wrong number of cards, or unknown ones", use.uid() + " " + use.name(), use.toString());
        }
    }

    /** Each running container sees the cards of its annotation or claim, on its node, and of the kubelet's devices. */
    private void agree(PodView pod) {
        for (HeldCards sees : snapshot.running()) {
            if (!sees.uid().equals(pod.uid())) {
                continue;
            }
            checks++;
            compared.add(sees.uid() + "/" + sees.container());
            Set<String> written = new HashSet<>();
            pod.given().stream()
                    .filter(use -> use.container().equals(sees.container()))
                    .forEach(use -> written.addAll(use.cards()));
            String subject = pod.uid() + " " + sees.name();
            if (!sees.cards().equals(written)) {
                violations.add(new Violation(
                        pod.claimed().isEmpty()
                                ? "a container sees other cards than its annotation has"
                                : "a container sees other cards than its claim has",
                        subject,
                        sees + " and " + pod,
                        snapshot.edited().contains(pod.uid()) ? CORRECTION : Duration.ZERO));
            }
            if (sees.cards().stream()
                    .anyMatch(card -> !Objects.equals(cards.nodes().get(card), pod.node()))) {
                violation("a container sees a card of another node", subject, sees + " and " + pod);
            }
            if (!pod.ended() && !pod.deleting()) {
                listed(pod, sees, subject);
            }
        }
    }

    private void listed(PodView pod, HeldCards sees, String subject) {
        Map<String, Set<String>> kubelet = snapshot.listed().get(pod.node());
        if (kubelet != null) {
            checks++;
            Set<String> devices = kubelet.get(sees.name());
            if (devices == null) {
                violations.add(new Violation(
                        "a container that runs is not listed by its kubelet", subject, sees.toString(), KUBELET_START));
            } else if (!devices.equals(sees.cards())) {
                violations.add(new Violation(
                        OTHER_DEVICES, sees.uid() + "/" + sees.container(), devices + ", " + sees, REPORT));
            }
        }
    }

    private void violation(String rule, String subject, String detail) {
        violations.add(new Violation(rule, subject, detail));
    }
}
