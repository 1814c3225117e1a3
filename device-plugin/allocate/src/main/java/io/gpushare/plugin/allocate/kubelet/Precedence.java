package io.gpushare.plugin.allocate.kubelet;

import io.gpushare.plugin.node.part.Backoff;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Decides whether this plugin or another one serves its resources. An open stream proves nothing: when another plugin
 * registers a resource, the kubelet keeps the stream of the former one and no longer allocates from it. So the sockets
 * of other plugins are looked at, and the devices that the kubelet has recorded are compared with those of this plugin.
 */
final class Precedence {
    private static final Logger LOG = LoggerFactory.getLogger(Precedence.class);
    /**
     * How long a difference must last: the node's status follows within 20 s, as a rule. It doubles if registering
     * again, which interrupts the service for a second, did not help.
     */
    private static final Backoff FIRST = new Backoff(Duration.ofMinutes(1), Duration.ofMinutes(10));

    private static final Duration LOOK = Duration.ofSeconds(5);

    private final OtherPlugins others;
    private final CheckpointReader checkpoint;
    private final Supplier<Map<String, String>> allocatable;
    private Instant looked = Instant.MIN;
    private Set<String> differing = Set.of();
    private Instant since = Instant.MIN;
    private Backoff patience = FIRST;
    /** What the kubelet had recorded when this plugin registered again. */
    private @Nullable Map<String, Set<String>> answered;
    /** The devices that this plugin has offered since the kubelet last recorded its list, by resource. */
    private final Map<String, Set<String>> formerlyOffered = new HashMap<>();

    /** @param allocatable what the node's status says of extended resources; empty if that is unknown */
    Precedence(OtherPlugins others, CheckpointReader checkpoint, Supplier<Map<String, String>> allocatable) {
        this.others = others;
        this.checkpoint = checkpoint;
        this.allocatable = allocatable;
    }

    /** What this plugin is to do. */
    sealed interface Turn {
        /** It serves. */
        record Ours() implements Turn {}

        /** It registers these resources again: the kubelet allocates their devices from no plugin. */
        record Renew(Set<String> resources) implements Turn {}

        /**
         * It offers nothing.
         *
         * @param ofOurs whether the other one is a process of this program, on the sockets of this one
         * @param who the other one, for messages
         */
        record Others(boolean ofOurs, String who) implements Turn {}
    }

    /**
     * What to do now.
     *
     * @param own the sockets on which this process listens
     * @param offered the healthy devices of this plugin's lists that the kubelet watches, by resource
     */
    Turn turn(Set<Path> own, Map<String, Set<String>> offered, Instant now) {
        Optional<Path> other = others.serving(own);
        if (other.isPresent()) {
            differing = Set.of();
            String socket = String.valueOf(other.get().getFileName());
            return new Turn.Others(socket.startsWith("gpushare-"), "socket " + socket);
        }
        if (!now.isBefore(looked.plus(LOOK))) {
            looked = now;
            look(offered, now);
        }
        return differing.isEmpty() || now.isBefore(since.plus(patience.next())) ? new Turn.Ours() : ofLongDifference();
    }

    private void look(Map<String, Set<String>> offered, Instant now) {
        offered.forEach(this::remember);
        Map<String, String> status = allocatable.get();
        Set<String> differs = offered.keySet().stream()
                .filter(resource -> differs(resource, Objects.requireNonNull(offered.get(resource)), status))
                .collect(Collectors.toCollection(TreeSet::new));
        since = differs.equals(differing) ? since : now;
        patience = differs.isEmpty() && !offered.isEmpty() ? FIRST : patience;
        differing = differs;
    }

    private void remember(String resource, Set<String> offered) {
        if (recorded(resource).equals(offered)) {
            formerlyOffered.remove(resource);
        }
        formerlyOffered.computeIfAbsent(resource, _ -> new HashSet<>()).addAll(offered);
    }

    private Set<String> recorded(String resource) {
        return checkpoint.registered().orElse(Map.of()).getOrDefault(resource, Set.of());
    }

    /** Whether these can't be a former list of this plugin, as in the checkpoint of a kubelet whose disk is full. */
    private boolean recordedOfAnother(String resource) {
        return !formerlyOffered.getOrDefault(resource, Set.of()).containsAll(recorded(resource));
    }

    /**
     * Whether the kubelet has recorded other devices than the offered ones, or offers none to the scheduler. A record
     * that is still the same after this plugin registered again proves nothing.
     */
    @SuppressWarnings("ReferenceEquality")
    private boolean differs(String resource, Set<String> offered, Map<String, String> status) {
        return checkpoint
                        .registered()
                        .filter(recorded -> recorded != answered)
                        .filter(recorded ->
                                !recorded.getOrDefault(resource, Set.of()).equals(offered))
                        .isPresent()
                || (!offered.isEmpty() && "0".equals(status.get(resource)));
    }

    private Turn ofLongDifference() {
        Map<String, String> status = allocatable.get();
        Set<String> served = differing.stream()
                .filter(resource -> !status.getOrDefault(resource, "0").equals("0") && recordedOfAnother(resource))
                .collect(Collectors.toCollection(TreeSet::new));
        if (!served.isEmpty()) {
            return new Turn.Others(false, "the kubelet allocates its devices of " + served);
        }
        Set<String> lost = differing;
        LOG.warn("the kubelet does not list the devices of {} that this plugin offers: registering again", lost);
        answered = checkpoint.registered().orElse(null);
        differing = Set.of();
        patience = patience.failed();
        return new Turn.Renew(lost);
    }
}
