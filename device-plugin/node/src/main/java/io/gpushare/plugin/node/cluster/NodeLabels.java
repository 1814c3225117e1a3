package io.gpushare.plugin.node.cluster;

import io.gpushare.kubernetes.KubernetesApi;
import io.gpushare.kubernetes.KubernetesException;
import io.gpushare.kubernetes.NodeState;
import io.gpushare.model.card.Card;
import io.gpushare.model.card.ComputeCapability;
import io.gpushare.model.card.Inventory;
import io.gpushare.model.card.Isolation;
import io.gpushare.model.card.MigInstance;
import io.gpushare.model.codec.AnnotationKeys;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The node labels of NVIDIA's GPU feature discovery, with its names and formats, for node selectors and other programs.
 * As there, a node with several models has the labels of its first card; a healthy one if there is any.
 *
 * <p>The plugin writes a label only if the node lacks it, or if the label still has the value that the plugin wrote,
 * which the annotation {@value AnnotationKeys#LABELS} records. If GPU feature discovery runs on the node ({@value
 * #DISCOVERY}), the plugin writes no labels.
 */
public final class NodeLabels {
    private static final String PREFIX = "nvidia.com/";
    private static final String DISCOVERY = PREFIX + "gfd.timestamp";
    private static final Pattern FORBIDDEN = Pattern.compile("[^A-Za-z0-9._-]+");
    private static final Pattern ENDS = Pattern.compile("^[^A-Za-z0-9]+|[^A-Za-z0-9]+$");
    private static final int LONGEST = 63;

    /**
     * What has to be written on the node.
     *
     * @param labels with null for those to remove
     */
    record Change(Map<String, @Nullable String> labels, Map<String, String> annotations) {
        boolean isEmpty() {
            return labels.isEmpty() && annotations.isEmpty();
        }
    }

    private NodeLabels() {}

    /** Brings the node's labels up to date. */
    public static void write(KubernetesApi api, String node, Inventory inventory) throws KubernetesException {
        Optional<NodeState> now = api.nodes().read(node);
        if (now.isPresent()) {
            Change change = change(now.get(), of(inventory));
            if (!change.isEmpty()) {
                api.nodes().label(node, change.labels(), change.annotations());
            }
        }
    }

    /** The labels of a node with these cards. */
    static Map<String, String> of(Inventory inventory) {
        Map<String, String> labels = new TreeMap<>();
        if (inventory.cards().isEmpty()) {
            return labels;
        }
        // A card that was replaced stays in the inventory as lost, and may be the first.
        Card first = inventory.cards().stream()
                .filter(card -> card.health().healthy())
                .findFirst()
                .orElse(inventory.cards().getFirst());
        labels.put(
                PREFIX + "gpu.count",
                String.valueOf(inventory.cards().stream()
                        .map(Card::physical)
                        .distinct()
                        .count()));
        labels.put(PREFIX + "gpu.product", value(first.model()));
        labels.put(
                PREFIX + "gpu.memory",
                first.hasMemory() && first.profile() == null
                        ? String.valueOf(first.memory().mib())
                        : "");
        instances(inventory, labels);
        labels.put(PREFIX + "mig.capable", String.valueOf(first.details().mig() != null));
        boolean mps =
                inventory.cards().stream().anyMatch(card -> card.isolation().inForce() == Isolation.MPS);
        labels.put(PREFIX + "mps.capable", String.valueOf(mps));
        if (mps) {
            labels.put(PREFIX + "gpu.sharing-strategy", "mps");
        }
        @Nullable ComputeCapability compute = first.details().compute();
        if (compute != null) {
            labels.put(PREFIX + "gpu.compute.major", String.valueOf(compute.major()));
            labels.put(PREFIX + "gpu.compute.minor", String.valueOf(compute.minor()));
            family(compute).ifPresent(family -> labels.put(PREFIX + "gpu.family", family));
        }
        Inventory.@Nullable Driver driver = inventory.driver();
        if (driver != null) {
            version(labels, "cuda.driver-version", driver.version(), List.of("major", "minor", "revision"));
            version(labels, "cuda.runtime-version", driver.cuda(), List.of("major", "minor"));
            // The older names, which node selectors still use.
            version(labels, "cuda.driver", driver.version(), List.of("major", "minor", "rev"));
            version(labels, "cuda.runtime", driver.cuda(), List.of("major", "minor"));
            labels.remove(PREFIX + "cuda.driver.full");
            labels.remove(PREFIX + "cuda.runtime.full");
        }
        labels.values().removeIf(String::isEmpty);
        return labels;
    }

    /** The labels of NVIDIA's strategy "mixed" for MIG instances. */
    private static void instances(Inventory inventory, Map<String, String> labels) {
        for (Card card : inventory.cards()) {
            @Nullable String profile = card.profile();
            if (profile != null) {
                String mig = PREFIX + "mig-" + MigInstance.written(profile);
                labels.put(PREFIX + "mig.strategy", "mixed");
                labels.merge(mig + ".count", "1", (count, _) -> String.valueOf(Integer.parseInt(count) + 1));
                labels.put(
                        mig + ".memory",
                        card.hasMemory() ? String.valueOf(card.memory().mib()) : "");
            }
        }
    }

    private static void version(Map<String, String> labels, String name, String version, List<String> parts) {
        if (version.equals(Inventory.Driver.UNKNOWN)) {
            return;
        }
        String[] numbers = version.split("\\.", -1);
        for (int i = 0; i < Math.min(numbers.length, parts.size()); i++) {
            labels.put(PREFIX + name + "." + parts.get(i), value(numbers[i]));
        }
        labels.put(PREFIX + name + ".full", value(version));
    }

    private static Optional<String> family(ComputeCapability compute) {
        return switch (compute.major()) {
            case 3 -> Optional.of("kepler");
            case 5 -> Optional.of("maxwell");
            case 6 -> Optional.of("pascal");
            case 7 -> Optional.of(compute.minor() < 5 ? "volta" : "turing");
            case 8 -> Optional.of(compute.minor() < 9 ? "ampere" : "ada-lovelace");
            case 9 -> Optional.of("hopper");
            case 10, 11, 12 -> Optional.of("blackwell");
            default -> Optional.empty();
        };
    }

    /** A valid label value: spaces and other forbidden characters become hyphens. */
    private static String value(String text) {
        String allowed = FORBIDDEN.matcher(text).replaceAll("-");
        String shortened = allowed.substring(0, Math.min(LONGEST, allowed.length()));
        return ENDS.matcher(shortened).replaceAll("");
    }

    /** The change that gives the node these labels, as far as the plugin owns them. */
    static Change change(NodeState node, Map<String, String> desired) {
        boolean others = node.labels().containsKey(DISCOVERY);
        Map<String, String> recorded = recorded(node);
        Map<String, String> ours = new TreeMap<>();
        Map<String, @Nullable String> labels = new TreeMap<>();
        if (!others) {
            desired.forEach((key, value) -> {
                @Nullable String present = node.labels().get(key);
                if (present == null || present.equals(recorded.get(key))) {
                    ours.put(key, value);
                    if (!value.equals(present)) {
                        labels.put(key, value);
                    }
                }
            });
            recorded.forEach((key, value) -> {
                if (!desired.containsKey(key) && value.equals(node.labels().get(key))) {
                    labels.put(key, null);
                }
            });
        }
        return new Change(labels, ours.equals(recorded) ? Map.of() : Map.of(AnnotationKeys.LABELS, record(ours)));
    }

    private static String record(Map<String, String> labels) {
        return labels.entrySet().stream()
                .map(label -> label.getKey().substring(PREFIX.length()) + "=" + label.getValue())
                .collect(Collectors.joining(","));
    }

    private static Map<String, String> recorded(NodeState node) {
        Map<String, String> labels = new LinkedHashMap<>();
        for (String label :
                node.annotations().getOrDefault(AnnotationKeys.LABELS, "").split(",", -1)) {
            int at = label.indexOf('=');
            if (at > 0) {
                labels.put(PREFIX + label.substring(0, at), label.substring(at + 1));
            }
        }
        return labels;
    }
}
