package io.gpushare.model.foreign;

import io.gpushare.model.Allocation;
import io.gpushare.model.ContainerDemand;
import io.gpushare.model.card.Inventory;
import io.gpushare.model.codec.AnnotationKeys;
import io.gpushare.model.codec.Decoded;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A pod as gpushare's extender and device plugin annotated it.
 *
 * @param index the card, {@value AnnotationKeys#LEGACY_INDEX}. It has two meanings: gpushare compares it with the minor
 *     number in {@code /dev/nvidia<minor>}, and its container sees NVML's card of that index
 * @param cardUnits the memory units of one card, {@value AnnotationKeys#LEGACY_CARD_UNITS}; 0 if absent or invalid
 * @param assigned whether gpushare's device plugin gave the pod its card, {@value AnnotationKeys#LEGACY_ASSIGNED}
 * @param containers the containers that request memory, with the memory alone: gpushare reads no other resource
 */
public record AliyunPod(Decoded<Integer> index, int cardUnits, boolean assigned, List<ContainerDemand> containers)
        implements ForeignPod {
    /** A pod without annotations of gpushare, of which nothing is known. */
    public static final AliyunPod NONE = new AliyunPod(new Decoded.Absent<>(), 0, false, List.of());

    // Nine digits fit into an int.
    private static final Pattern NUMBER = Pattern.compile("[0-9]{1,9}");

    public AliyunPod {
        containers = List.copyOf(containers);
    }

    /** Reads the annotations of a pod with these containers. */
    public static AliyunPod of(Map<String, String> annotations, List<ContainerDemand> memory) {
        @Nullable String index = annotations.get(AnnotationKeys.LEGACY_INDEX);
        String cardUnits = annotations.getOrDefault(AnnotationKeys.LEGACY_CARD_UNITS, "");
        return new AliyunPod(
                index == null ? new Decoded.Absent<>() : index(index),
                NUMBER.matcher(cardUnits).matches() ? Integer.parseInt(cardUnits) : 0,
                "true".equals(annotations.get(AnnotationKeys.LEGACY_ASSIGNED)),
                memory);
    }

    private static Decoded<Integer> index(String written) {
        return NUMBER.matcher(written).matches()
                ? new Decoded.Valid<>(Integer.parseInt(written))
                : new Decoded.Malformed<>("annotation " + AnnotationKeys.LEGACY_INDEX
                        + " is not the index of a card: recreate the pod without it");
    }

    /** A pod that got its card and lost the index has a card all the same. */
    @Override
    public boolean bound() {
        return indexed() || assigned;
    }

    /** Whether there is an index, valid or not. */
    boolean indexed() {
        return !(index instanceof Decoded.Absent);
    }

    @Override
    public Decoded<Allocation> chosen(Inventory inventory) {
        return AliyunCards.chosen(this, inventory);
    }

    /** gpushare's plugin passes over pods that have ended. */
    @Override
    public Map<String, String> withdrawal() {
        return Map.of();
    }

    @Override
    public Optional<ForeignHolding> holding(Inventory inventory) {
        return AliyunCards.holding(this, inventory);
    }
}
