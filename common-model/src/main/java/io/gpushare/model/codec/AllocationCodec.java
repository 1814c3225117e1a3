package io.gpushare.model.codec;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.gpushare.model.Allocation;
import io.gpushare.model.ContainerAllocation;
import io.gpushare.model.ContainerRole;
import io.gpushare.model.card.Card;
import io.gpushare.model.card.CardId;
import io.gpushare.model.card.Inventory;
import io.gpushare.model.card.MemoryUnit;
import io.gpushare.model.card.Share;
import io.gpushare.model.card.ShareKind;
import io.gpushare.model.hami.HamiAnnotations;
import io.gpushare.model.text.Printable;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The pod annotation {@value AnnotationKeys#ALLOCATION}: {@code
 * {"version":1,"unitMiB":1024,"containers":[{"name":"main",
 * "memory":{"GPU-…":3}},{"name":"train","cards":["GPU-…"]},{"name":"load","role":"init","memory":{"GPU-…":1}}]}}, units
 * of memory by card, or whole cards. A container that requests a part of the cores has {@code "cores":{"GPU-…":30}} as
 * well, in percent, and one that requests slots {@code "slots":{"GPU-…":1}}. It also writes the annotations in which
 * gpushare and HAMi describe the same.
 */
public final class AllocationCodec {
    private static final int VERSION = 1;
    private static final String MEMORY = "memory";

    private AllocationCodec() {}

    public static String encode(Allocation allocation) {
        ObjectNode document = JsonReader.MAPPER.createObjectNode();
        document.put("version", VERSION);
        document.put("unitMiB", allocation.unit().size().mib());
        var containers = document.putArray("containers");
        for (ContainerAllocation container : allocation.containers()) {
            ObjectNode into = containers.addObject();
            into.put("name", container.name());
            if (container.role() != ContainerRole.APP) {
                into.put("role", container.role().name().toLowerCase(Locale.ROOT));
            }
            if (container.total().takenWhole() > 0) {
                var cards = into.putArray("cards");
                container.visibleCards().forEach(card -> cards.add(card.uuid()));
            } else {
                ObjectNode memory = into.putObject(MEMORY);
                container.shares().forEach((card, share) -> memory.put(card.uuid(), share.units()));
            }
            for (ShareKind kind : ShareKind.BESIDE) {
                if (kind.in(container.total()) > 0) {
                    ObjectNode beside = into.putObject(kind.toString());
                    container.shares().forEach((card, share) -> beside.put(card.uuid(), kind.in(share)));
                }
            }
        }
        return JsonReader.write(document);
    }

    /**
     * All annotations of a pod with this allocation: ours, and HAMi's for a pod with slots, or gpushare's five for
     * another one that shares exactly one card.
     *
     * @param inventory that of the node, for gpushare's card index, and the sizes of the cards
     * @param containers the names of all containers of the pod, in the order in which they start, as far as known
     */
    public static Map<String, String> annotations(
            Allocation allocation, Inventory inventory, String node, List<String> containers, Instant assumed) {
        Map<String, String> annotations = new LinkedHashMap<>();
        annotations.put(AnnotationKeys.ALLOCATION, encode(allocation));
        annotations.putAll(
                allocation.slotted()
                        ? HamiAnnotations.of(allocation, inventory, node, containers, assumed)
                        : ofGpushare(allocation, inventory, assumed));
        return annotations;
    }

    private static Map<String, String> ofGpushare(Allocation allocation, Inventory inventory, Instant assumed) {
        Map<String, String> annotations = new LinkedHashMap<>();
        List<CardId> shared = allocation.cards().stream()
                .filter(card -> allocation.shareOn(card).units() > 0)
                .toList();
        Optional<Card> only = shared.size() == 1 ? inventory.card(shared.getFirst()) : Optional.empty();
        only.ifPresent(card -> {
            annotations.put(AnnotationKeys.LEGACY_INDEX, String.valueOf(card.index()));
            annotations.put(
                    AnnotationKeys.LEGACY_CARD_UNITS,
                    String.valueOf(inventory.capacityOf(card).units()));
            annotations.put(
                    AnnotationKeys.LEGACY_POD_UNITS,
                    String.valueOf(allocation.shareOn(card.id()).units()));
            annotations.put(AnnotationKeys.LEGACY_ASSIGNED, "false");
            long nanos = Math.addExact(Math.multiplyExact(assumed.getEpochSecond(), 1_000_000_000L), assumed.getNano());
            annotations.put(AnnotationKeys.LEGACY_ASSUME_TIME, String.valueOf(nanos));
        });
        return annotations;
    }

    /** As {@link #annotations}, for a pod whose containers have received their cards: gpushare calls it assigned. */
    public static Map<String, String> annotationsOfRunning(
            Allocation allocation, Inventory inventory, String node, List<String> containers, Instant assumed) {
        Map<String, String> annotations = annotations(allocation, inventory, node, containers, assumed);
        annotations.computeIfPresent(AnnotationKeys.LEGACY_ASSIGNED, (_, _) -> "true");
        return annotations;
    }

    /** The annotations of a pod that has these cards, beside what another scheduler wrote on it before. */
    public static Map<String, String> annotationsOfAssigned(Allocation allocation) {
        String encoded = encode(allocation);
        return allocation.slotted()
                ? Map.of(AnnotationKeys.ALLOCATION, encoded, HamiAnnotations.PHASE, HamiAnnotations.SUCCESS)
                : Map.of(AnnotationKeys.ALLOCATION, encoded, AnnotationKeys.LEGACY_ASSIGNED, "true");
    }

    /** Reads the allocation from a pod's annotations. The caller checks whether it meets the pod's demand and fits. */
    public static Decoded<Allocation> decode(Map<String, String> annotations) {
        @Nullable String written = annotations.get(AnnotationKeys.ALLOCATION);
        if (written == null) {
            return new Decoded.Absent<>();
        }
        Optional<String> tooLong = AnnotationLimits.WRITTEN.tooLong(annotations, List.of(AnnotationKeys.ALLOCATION));
        if (tooLong.isPresent()) {
            return new Decoded.Malformed<>(tooLong.get());
        }
        try {
            JsonNode document = JsonReader.read(written);
            JsonReader.version(document, VERSION);
            List<ContainerAllocation> containers = new ArrayList<>();
            for (JsonNode container : JsonReader.objects(document, "containers")) {
                containers.add(container(container));
            }
            return new Decoded.Valid<>(
                    new Allocation(MemoryUnit.ofMib(JsonReader.integer(document, "unitMiB")), containers));
        } catch (JsonReader.Malformed | IllegalArgumentException | ArithmeticException e) {
            return new Decoded.Malformed<>("annotation " + AnnotationKeys.ALLOCATION + ": " + e.getMessage());
        }
    }

    private static ContainerAllocation container(JsonNode container) {
        String name = JsonReader.text(container, "name").intern();
        Map<CardId, Share> shares = new LinkedHashMap<>();
        add(container, MEMORY, ShareKind.MEMORY, shares);
        JsonNode whole = container.path("cards");
        if (!whole.isMissingNode() && !whole.isArray()) {
            throw new JsonReader.Malformed("'cards' must be an array of UUIDs");
        }
        for (JsonNode uuid : whole) {
            CardId card = card(uuid.isTextual() ? uuid.textValue() : uuid.toString());
            if (shares.put(card, card.whole()) != null) {
                throw new JsonReader.Malformed("container " + Printable.quoted(name) + " has the same card twice");
            }
        }
        ShareKind.BESIDE.forEach(kind -> add(container, kind.toString(), kind, shares));
        return new ContainerAllocation(name, role(container), shares);
    }

    private static void add(JsonNode container, String field, ShareKind kind, Map<CardId, Share> shares) {
        JsonNode byCard = container.path(field);
        if (!byCard.isMissingNode() && !byCard.isObject()) {
            throw new JsonReader.Malformed("'" + field + "' must be an object of card to amount");
        }
        byCard.fieldNames()
                .forEachRemaining(
                        uuid -> shares.merge(card(uuid), kind.share(JsonReader.integer(byCard, uuid)), Share::plus));
    }

    /** Many pods name the same few cards, so their UUIDs are interned. */
    private static CardId card(String uuid) {
        return new CardId(uuid.intern());
    }

    private static ContainerRole role(JsonNode container) {
        @Nullable String role = JsonReader.optionalText(container, "role");
        if (role == null) {
            return ContainerRole.APP;
        }
        return switch (role) {
            case "init" -> ContainerRole.INIT;
            case "sidecar" -> ContainerRole.SIDECAR;
            default -> throw new JsonReader.Malformed("'role' is init or sidecar, not " + Printable.quoted(role));
        };
    }
}
