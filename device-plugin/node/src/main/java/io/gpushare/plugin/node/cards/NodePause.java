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
    enum State {
        UNKNOWN,
        RUNNING,
        PAUSED
    }

    private record Now(State state, String label) {}

    private final Set<String> labels;
    private volatile Now now;

    /** @param labels each of which pauses the node while its value begins with {@code paused-for-} */
    public NodePause(Set<String> labels) {
        this.labels = Set.copyOf(labels);
        now = new Now(labels.isEmpty() ? State.RUNNING : State.UNKNOWN, "");
    }

    /** The node has these labels. */
    public void labels(Map<String, String> known) {
        Optional<String> pausing = labels.stream()
                .sorted()
                .filter(label -> known.getOrDefault(label, "").startsWith(PAUSED))
                .findFirst();
        now = pausing.map(label -> new Now(State.PAUSED, label + "=" + known.get(label)))
                .orElseGet(() -> new Now(State.RUNNING, ""));
    }

    /** The labels can't be read: without earlier ones the node is not paused. */
    public void unreadable() {
        if (now.state() == State.UNKNOWN) {
            now = new Now(State.RUNNING, "");
        }
    }

    State state() {
        return now.state();
    }

    /** The label that pauses the node, such as {@code nvidia.com/gpu.deploy.client=paused-for-driver-upgrade}. */
    String label() {
        return now.label();
    }
}
