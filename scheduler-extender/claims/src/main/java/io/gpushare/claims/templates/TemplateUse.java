package io.gpushare.claims.templates;

import io.gpushare.model.PodRef;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Pure: which templates pods wait for, which of them must be created or checked, and which are no longer used. */
final class TemplateUse {
    /** The most templates of this project in one namespace: anyone who creates pods there causes them. */
    static final int MOST_OF_A_NAMESPACE = 64;

    /** The most that are looked at in one round, of all namespaces and of one: none keeps the others waiting. */
    private static final int MOST_OF_A_ROUND = 32;

    private static final int MOST_OF_A_ROUND_AND_NAMESPACE = 4;

    /** How long a template without a waiting pod is kept. */
    static final Duration KEPT = Duration.ofMinutes(10);

    /** How long one that is there is not looked at, while pods wait for it. */
    static final Duration TRUSTED = Duration.ofSeconds(30);

    /** A template of a namespace. */
    record Template(String namespace, String name) {
        @Override
        public String toString() {
            return namespace + "/" + name;
        }
    }

    /** How long a pod gets no other Event: the others of a namespace get theirs meanwhile. */
    static final Duration BETWEEN_EVENTS = Duration.ofMinutes(2);

    private final Map<Template, PodRef> wanted = new LinkedHashMap<>();
    private final Map<PodRef, Instant> lastEvents = new HashMap<>();
    private final Set<String> reportedNamespaces = new HashSet<>(); // namespaces
    private Map<Template, Boolean> ours = new HashMap<>(); // whether a name that pods wait for is ours
    private final Map<Template, Instant> checked = new HashMap<>();
    private final Map<Template, Instant> present = new HashMap<>();

    /**
     * Begins a round: notes what pods wait for now, by their claims' templates; names of another form are somebody
     * else's. Of one namespace only some are read in a round, and at most {@link #MOST_OF_A_NAMESPACE} are wanted
     * beside those that are there.
     */
    void waiting(Map<PodRef, List<String>> pods) {
        Map<Template, Boolean> before = ours;
        ours = new HashMap<>();
        Map<String, Integer> read = new HashMap<>();
        Map<String, Integer> missing = new HashMap<>();
        wanted.clear();
        reportedNamespaces.clear();
        pods.forEach((pod, names) -> names.forEach(name -> {
            Template template = new Template(pod.namespace(), name);
            if (!name.startsWith(TemplateName.ANY) || ours.containsKey(template)) {
                return; // thousands of pods have the same few names
            }
            @Nullable Boolean known = before.get(template);
            if (known == null && read.merge(pod.namespace(), 1, Integer::sum) > MOST_OF_A_NAMESPACE) {
                return;
            }
            boolean our = known == null ? TemplateName.parse(name).isPresent() : known;
            ours.put(template, our);
            if (our
                    && (present.containsKey(template)
                            || missing.merge(pod.namespace(), 1, Integer::sum) <= MOST_OF_A_NAMESPACE)) {
                wanted.put(template, pod);
            }
        }));
        checked.keySet().retainAll(wanted.keySet());
    }

    /** Whether the pod gets an Event now: one of each namespace in a round, and none that lately got one. */
    boolean reports(PodRef pod, Instant now) {
        lastEvents.values().removeIf(last -> !now.isBefore(last.plus(BETWEEN_EVENTS)));
        boolean reports = !lastEvents.containsKey(pod) && reportedNamespaces.add(pod.namespace());
        if (reports) {
            lastEvents.put(pod, now);
        }
        return reports;
    }

    /** Those to create or check in this round, with a pod that waits for it: those never looked at come first. */
    Map<Template, PodRef> due(Instant now) {
        Map<Template, PodRef> due = new LinkedHashMap<>();
        Map<String, Integer> ofNamespace = new HashMap<>();
        wanted.entrySet().stream()
                .filter(each -> !now.isBefore(lookedAt(each.getKey()).plus(TRUSTED)))
                .sorted(Comparator.comparing(each -> lookedAt(each.getKey())))
                .filter(each ->
                        ofNamespace.merge(each.getKey().namespace(), 1, Integer::sum) <= MOST_OF_A_ROUND_AND_NAMESPACE)
                .limit(MOST_OF_A_ROUND)
                .forEach(each -> due.put(each.getKey(), each.getValue()));
        return due;
    }

    private Instant lookedAt(Template template) {
        return checked.getOrDefault(template, Instant.EPOCH);
    }

    /** Whether the namespace has as many as it may have, without that one. */
    boolean full(Template template) {
        return !present.containsKey(template)
                && present.keySet().stream()
                                .filter(each -> each.namespace().equals(template.namespace()))
                                .count()
                        >= MOST_OF_A_NAMESPACE;
    }

    /** Notes that there is nothing to do for it for a while. */
    void checked(Template template, Instant now) {
        checked.put(template, now);
    }

    /** Notes that it exists, and is of this project. */
    void exists(Template template, Instant now) {
        present.putIfAbsent(template, now);
    }

    /** Notes that it can't be removed now: it has its time again. */
    void kept(Template template, Instant now) {
        present.put(template, now);
    }

    /** Notes which ones of this project exist; those that are new count as used now. */
    void existing(Set<Template> all, Instant now) {
        present.keySet().retainAll(all);
        all.forEach(template -> present.putIfAbsent(template, now));
        present.replaceAll((template, last) -> wanted.containsKey(template) ? now : last);
    }

    /** Those for which no pod has waited for {@link #KEPT}. */
    List<Template> unused(Instant now) {
        List<Template> unused = new ArrayList<>();
        present.forEach((template, last) -> {
            if (!wanted.containsKey(template) && !now.isBefore(last.plus(KEPT)) && unused.size() < MOST_OF_A_ROUND) {
                unused.add(template);
            }
        });
        return unused;
    }

    /** Notes that it does not exist any more. */
    void gone(Template template) {
        present.remove(template);
        checked.remove(template);
    }
}
