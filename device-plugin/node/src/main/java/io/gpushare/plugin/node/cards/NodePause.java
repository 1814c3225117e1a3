package io.gpushare.plugin.node.cards;

import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Whether a label of the node asks for its driver, as NVIDIA's GPU Operator and its MIG manager do: the kernel module
 * of a driver that is open anywhere can't be replaced. Until the labels are known, nothing may open the driver.
 *
 * @see <a href="https://github.com/NVIDIA/k8s-driver-manager">k8s-driver-manager, which writes the values</a>
 */
public final class NodePause {
    /** {@code paused-for-driver-upgrade}, {@code paused-for-mig-change}, or both. */
    private static final String PAUSED = "paused-for-";

    /** What the labels say. */
    sealed interface State {
        record Unknown() implements State {}

        record Running() implements State {}

        /**
         * A label pauses it.
         *
         * @param label such as {@code nvidia.com/gpu.deploy.client=paused-for-driver-upgrade}
         */
        record Paused(String label) implements State {}
    }

    private final Set<String> labels;
    private volatile State state;

    /** @param labels each of which pauses the node while its value begins with {@code paused-for-} */
    public NodePause(Set<String> labels) {
        this.labels = Set.copyOf(labels);
        state = labels.isEmpty() ? new State.Running() : new State.Unknown();
    }

    /** The node has these labels. */
    public void labels(Map<String, String> known) {
        Optional<String> pausing = labels.stream()
                .sorted()
                .filter(label -> known.getOrDefault(label, "").startsWith(PAUSED))
                .findFirst();
        state = pausing.<State>map(label -> new State.Paused(label + "=" + known.get(label)))
                .orElseGet(State.Running::new);
    }

    /** The labels can't be read: without earlier ones the node is not paused. */
    public void unreadable() {
        if (state instanceof State.Unknown) {
            state = new State.Running();
        }
    }

    State now() {
        return state;
    }
}
