package io.gpushare.e2e.chaos.check;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

/** What must hold at every moment, whatever is killed, frozen, cut off or unhealthy. */
public final class Invariants {
    /**
     * What did not hold; {@code rule} and {@code subject} identify it.
     *
     * @param patience for how long it may be so
     */
    public record Violation(String rule, String subject, String detail, Duration patience) {
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
     * What one look found.
     *
     * @param checks how many comparisons were made
     * @param compared the containers, by uid and name, whose view was compared with their annotation
     */
    record Findings(int checks, Set<String> compared, List<Violation> violations) {}

    /** Its subject is the pod's uid and the container's name, with a slash between. */
    static final String OTHER_BOOKS = "the kubelet's devices are of other cards than its container sees";

    /** A kubelet that has just started lists no pod before it has listed all from the API server. */
    private static final Duration A_KUBELET_STARTS = Duration.ofSeconds(60);

    private static final Duration AN_ORPHAN_ENDS = Duration.ofSeconds(60);

    private final ClusterCards cards;
    private final Snapshot seen;
    private final List<Violation> violations = new ArrayList<>();
    private final Set<String> compared = new HashSet<>();
    private int checks;

    private Invariants(ClusterCards cards, Snapshot seen) {
        this.cards = cards;
        this.seen = seen;
    }

    static Findings check(ClusterCards cards, Snapshot seen) {
        Invariants invariants = new Invariants(cards, seen);
        invariants.sums("what containers see", invariants.withPods());
        seen.running().forEach(invariants::amount);
        seen.pods().ifPresent(invariants::pods);
        return new Findings(invariants.checks, invariants.compared, invariants.violations);
    }

    /**
     * Without those whose pod is gone. A kubelet before 1.22 lets the API forget a pod that was deleted just as it starts,
     * starts its containers all the same, and ends them some seconds later. Nobody but it can know of them.
     */
    private List<HeldCards> withPods() {
        if (seen.pods().isEmpty()) {
            return seen.running();
        }
        List<HeldCards> ofPods = new ArrayList<>();
        for (HeldCards use : seen.running()) {
            if (seen.pod(use.uid()).isPresent()) {
                ofPods.add(use);
            } else {
                violations.add(new Violation(
                        "a container runs whose pod is gone",
                        use.uid() + " " + use.name(),
                        use.toString(),
                        AN_ORPHAN_ENDS));
            }
        }
        return ofPods;
    }

    private void pods(List<PodView> pods) {
        List<HeldCards> written = pods.stream()
                .filter(pod -> !pod.node().isEmpty() && !pod.ended())
                .flatMap(pod -> pod.written().stream())
                .toList();
        sums("annotations", written);
        written.forEach(this::amount);
        pods.stream().filter(pod -> !pod.node().isEmpty()).forEach(this::agree);
    }

    /** No card has more than it has, and none is shared and whole. */
    private void sums(String teller, Collection<HeldCards> uses) {
        Map<String, List<HeldCards>> byCard = new HashMap<>();
        uses.forEach(use -> use.cards()
                .forEach(card ->
                        byCard.computeIfAbsent(card, _ -> new ArrayList<>()).add(use)));
        byCard.forEach((card, on) -> {
            checks++;
            long whole = on.stream().filter(use -> use.ask().whole()).count();
            int units = on.stream()
                    .filter(use -> !use.ask().whole())
                    .mapToInt(use -> use.ask().amount())
                    .sum();
            if (whole > 1 || (whole == 1 && units > 0) || units > cards.units().getOrDefault(card, 0)) {
                violation("card over-used, by " + teller, card, whole + " whole and " + units + " units: " + on);
            }
        });
    }

    /** Memory is on one card, whole cards are as many as requested. */
    private void amount(HeldCards use) {
        checks++;
        int right = use.ask().whole() ? use.ask().amount() : 1;
        if (use.cards().size() != right || !cards.units().keySet().containsAll(use.cards())) {
            violation("wrong number of cards, or unknown ones", use.uid() + " " + use.name(), use.toString());
        }
    }

    /** What each running container sees is its annotation, on its node, and what the kubelet's devices say. */
    private void agree(PodView pod) {
        for (HeldCards sees : seen.running()) {
            if (!sees.uid().equals(pod.uid())) {
                continue;
            }
            checks++;
            compared.add(sees.uid() + "/" + sees.container());
            Set<String> written = new HashSet<>();
            pod.written().stream()
                    .filter(use -> use.container().equals(sees.container()))
                    .forEach(use -> written.addAll(use.cards()));
            String subject = pod.uid() + " " + sees.name();
            if (!sees.cards().equals(written)) {
                violation("a container sees other cards than its annotation has", subject, sees + " and " + pod);
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
        Map<String, Set<String>> kubelet = seen.listed().get(pod.node());
        if (kubelet != null) {
            checks++;
            Set<String> devices = kubelet.get(sees.name());
            if (devices == null) {
                violations.add(new Violation(
                        "a container that runs is not listed by its kubelet",
                        subject,
                        sees.toString(),
                        A_KUBELET_STARTS));
            } else if (!devices.equals(sees.cards())) {
                violation(OTHER_BOOKS, sees.uid() + "/" + sees.container(), devices + ", " + sees);
            }
        }
    }

    private void violation(String rule, String subject, String detail) {
        violations.add(new Violation(rule, subject, detail));
    }
}
