package io.gpushare.model.codec;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.BooleanNode;
import com.fasterxml.jackson.databind.node.IntNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.gpushare.model.card.Card;
import io.gpushare.model.card.CardId;
import io.gpushare.model.card.CardIsolation;
import io.gpushare.model.card.CardIsolation.CoreCap;
import io.gpushare.model.card.CardLink;
import io.gpushare.model.card.CardLinks;
import io.gpushare.model.card.ComputeCapability;
import io.gpushare.model.card.Health;
import io.gpushare.model.card.Inventory;
import io.gpushare.model.card.Isolation;
import io.gpushare.model.card.Memory;
import io.gpushare.model.card.MemoryUnit;
import io.gpushare.model.card.MigInstance;
import io.gpushare.model.card.NoCards;
import io.gpushare.model.card.Share;
import io.gpushare.model.card.ShareKind;
import io.gpushare.model.hami.HamiRegister;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The node annotation {@value AnnotationKeys#INVENTORY}: {@code {"version":1,"unitMiB":1024,"driver":"580.95.05",
 * "cuda":"13.0","cards":[{"uuid":"GPU-…","index":0,"minor":0,"model":"Tesla T4","memoryMiB":15360,"reservedMiB":447,
 * "compute":"7.5","ecc":true,"numa":0,"mig":false,"unhealthy":"Xid 79"}],"links":["NV12"]}}.
 *
 * <p>Facts that the driver does not report are omitted. A MIG instance has {@code
 * "profile":"3g.40gb","parent":"GPU-…","gi":1,"ci":0} as well, and the numbers of its device files where they are used,
 * {@code "caps":[12,13]}. A healthy card has no {@code "unhealthy"}, and a card that is
 * not cordoned no {@code "cordoned":true}. Each card but the first has one string with its links to all cards before
 * it, in the notation of {@link CardLink}, with {@code -} for an unknown link. A card with isolation has {@code
 * "isolation":"driver"} or {@code "mps"}; one that lacks what was asked for has {@code "isolationMissing":"why"}, and
 * {@code "memoryClosed":true} if it therefore offers no memory. What processes use of its memory to which nothing is
 * allocated is {@code "foreignMiB":2048}. What is kept of its memory before the rest is cut into
 * units is {@code "headroomMiB":513}, and what containers may use of its cores without a request {@code
 * "defaultCores":"memory"}. A node without cards to offer has {@code
 * "noCards":{"reason":"driver_not_loaded","detail":"…"}}, one that offers cores {@code "cores":true}, and one that
 * offers slots their number on each card, {@code "slots":10}. Unknown fields are skipped, so that an older extender can
 * read the inventory of a newer plugin.
 */
public final class InventoryCodec {
    private static final int VERSION = 1;

    /** The most cards of a node with its MIG instances: 32 cards that are cut into seven each have fewer. */
    static final int MOST_CARDS = 256;

    private static final String CORDONED = "cordoned";
    private static final String IN_USE = "inUse";
    private static final String FOREIGN = "foreignMiB";
    private static final String UNKNOWN = "-";
    private static final String RESERVED = "reservedMiB";
    private static final String ISOLATION = "isolation";
    private static final String ISOLATION_MISSING = "isolationMissing";
    private static final String MEMORY_CLOSED = "memoryClosed";
    private static final String HEADROOM = "headroomMiB";
    private static final String DEFAULT_CORES = "defaultCores";

    private InventoryCodec() {}

    /** All annotations of a node with this inventory: ours, and HAMi's where it offers slots. */
    public static Map<String, String> annotations(Inventory inventory) {
        Map<String, String> annotations = new HashMap<>();
        annotations.put(AnnotationKeys.INVENTORY, encode(inventory));
        if (HamiRegister.registers(inventory)) {
            annotations.put(HamiRegister.KEY, HamiRegister.encode(inventory));
        }
        return annotations;
    }

    public static String encode(Inventory inventory) {
        ObjectNode document = JsonReader.MAPPER.createObjectNode();
        document.put("version", VERSION);
        document.put("unitMiB", inventory.unit().size().mib());
        if (inventory.driver() != null) {
            document.put("driver", inventory.driver().version());
            document.put("cuda", inventory.driver().cuda());
        }
        var cards = document.putArray("cards");
        inventory.cards().forEach(card -> encode(card, cards.addObject()));
        if (!inventory.links().links().isEmpty()) {
            var links = document.putArray("links");
            for (int i = 1; i < inventory.cards().size(); i++) {
                links.add(links(inventory, i));
            }
        }
        if (inventory.noCards() != null) {
            document.putObject("noCards")
                    .put("reason", inventory.noCards().cause().label())
                    .put("detail", inventory.noCards().detail());
        }
        for (ShareKind kind : ShareKind.BESIDE) {
            int offered = kind.in(inventory.beside());
            if (offered > 0) {
                document.set(kind.toString(), kind.percent() ? BooleanNode.TRUE : IntNode.valueOf(offered));
            }
        }
        return JsonReader.write(document);
    }

    private static String links(Inventory inventory, int card) {
        CardId id = inventory.cards().get(card).id();
        return inventory.cards().subList(0, card).stream()
                .map(other -> inventory
                        .links()
                        .between(id, other.id())
                        .map(CardLink::toString)
                        .orElse(UNKNOWN))
                .collect(Collectors.joining(" "));
    }

    private static CardLinks links(JsonNode document, List<Card> cards) {
        Map<CardLinks.Pair, CardLink> links = new HashMap<>();
        int card = 1;
        for (String row : JsonReader.texts(document, "links")) {
            List<String> words = List.of(row.split(" ", -1));
            if (card >= cards.size() || words.size() != card) {
                throw new JsonReader.Malformed(
                        "'links' must have, for each card but the first, its links to all cards before it");
            }
            for (int other = 0; other < card; other++) {
                if (!words.get(other).equals(UNKNOWN)) {
                    links.put(
                            new CardLinks.Pair(
                                    cards.get(card).id(), cards.get(other).id()),
                            CardLink.parse(words.get(other)));
                }
            }
            card++;
        }
        return new CardLinks(links);
    }

    private static void encode(Card card, ObjectNode into) {
        into.put("uuid", card.id().uuid());
        into.put("index", card.index());
        if (card.minor() != null) {
            into.put("minor", card.minor());
        }
        into.put("model", card.model());
        into.put("memoryMiB", card.memory().mib());
        Card.Details details = card.details();
        if (details.reserved().bytes() > 0) {
            into.put(RESERVED, details.reserved().mib());
        }
        if (details.compute() != null) {
            into.put("compute", details.compute().toString());
        }
        if (details.ecc() != null) {
            into.put("ecc", details.ecc());
        }
        if (details.numaNode() != null) {
            into.put("numa", details.numaNode());
        }
        if (details.mig() != null) {
            into.put("mig", details.mig());
        }
        if (details.instance() != null) {
            MigInstance instance = details.instance();
            into.put("profile", instance.profile());
            into.put("parent", instance.parent().uuid());
            into.put("gi", instance.gpuInstance());
            into.put("ci", instance.computeInstance());
            if (!instance.caps().isEmpty()) {
                instance.caps().forEach(into.putArray("caps")::add);
            }
        }
        if (card.health() instanceof Health.Unhealthy(String reason)) {
            into.put("unhealthy", reason);
        }
        // Versions that don't know who has a card by another offer must not offer it either: they read that it is
        // cordoned.
        if (card.cordoned() || card.inUseBy() != null) {
            into.put(CORDONED, true);
        }
        if (card.inUseBy() != null) {
            into.putObject(IN_USE).put("by", card.inUseBy()).put(CORDONED, card.cordoned());
        }
        if (card.foreign().bytes() > 0) {
            into.put(FOREIGN, card.foreign().mib());
        }
        encode(card.isolation(), into);
    }

    private static void encode(CardIsolation isolation, ObjectNode into) {
        if (isolation.inForce() != Isolation.NONE) {
            into.put(ISOLATION, isolation.inForce().toString());
        }
        if (!isolation.missing().isEmpty()) {
            into.put(ISOLATION_MISSING, isolation.missing());
        }
        if (isolation.closed()) {
            into.put(MEMORY_CLOSED, true);
        }
        if (isolation.headroom().bytes() > 0) {
            into.put(HEADROOM, isolation.headroom().mib());
        }
        if (!isolation.coreCap().equals(CoreCap.NONE)) {
            into.put(DEFAULT_CORES, isolation.coreCap().toString());
        }
    }

    /** Reads the inventory from a node's annotations. */
    public static Decoded<Inventory> decode(Map<String, String> annotations) {
        @Nullable String written = annotations.get(AnnotationKeys.INVENTORY);
        if (written == null) {
            return new Decoded.Absent<>();
        }
        try {
            JsonNode document = JsonReader.read(written);
            JsonReader.version(document, VERSION);
            List<Card> cards = new ArrayList<>();
            for (JsonNode card : JsonReader.objects(document, "cards", MOST_CARDS)) {
                cards.add(card(card));
            }
            MemoryUnit unit = MemoryUnit.ofMib(JsonReader.integer(document, "unitMiB"));
            return new Decoded.Valid<>(
                    new Inventory(unit, driver(document), cards, links(document, cards), noCards(document))
                            .withBeside(beside(document)));
        } catch (JsonReader.Malformed | IllegalArgumentException e) {
            return new Decoded.Malformed<>("annotation " + AnnotationKeys.INVENTORY + ": " + e.getMessage());
        }
    }

    private static Share beside(JsonNode document) {
        Share beside = Share.NONE;
        for (ShareKind kind : ShareKind.BESIDE) {
            String field = kind.toString();
            @Nullable
            Integer offered = kind.percent()
                    ? Boolean.TRUE.equals(JsonReader.optionalBoolean(document, field)) ? ShareKind.ALL : null
                    : JsonReader.optionalInteger(document, field);
            beside = beside.with(kind, offered == null ? 0 : offered);
        }
        return beside;
    }

    private static Inventory.@Nullable Driver driver(JsonNode document) {
        @Nullable String version = JsonReader.optionalText(document, "driver");
        return version == null ? null : new Inventory.Driver(version, JsonReader.text(document, "cuda"));
    }

    private static @Nullable NoCards noCards(JsonNode document) {
        JsonNode written = document.path("noCards");
        return written.isObject()
                ? new NoCards(
                        NoCards.Cause.of(written.path("reason").asText()),
                        written.path("detail").asText())
                : null;
    }

    private static Card card(JsonNode card) {
        @Nullable String compute = JsonReader.optionalText(card, "compute");
        @Nullable String unhealthy = JsonReader.optionalText(card, "unhealthy");
        JsonNode inUse = card.path(IN_USE);
        Card.Details details = new Card.Details(
                compute == null ? null : ComputeCapability.parse(compute),
                JsonReader.optionalBoolean(card, "ecc"),
                JsonReader.optionalInteger(card, "numa"),
                JsonReader.optionalBoolean(card, "mig"),
                instance(card),
                memory(card, RESERVED));
        return new Card(
                        new CardId(JsonReader.text(card, "uuid")),
                        JsonReader.integer(card, "index"),
                        JsonReader.optionalInteger(card, "minor"),
                        JsonReader.text(card, "model"),
                        Memory.ofMib(JsonReader.integer(card, "memoryMiB")),
                        details)
                .withHealth(unhealthy == null ? new Health.Healthy() : new Health.Unhealthy(unhealthy))
                .withCordoned(
                        Boolean.TRUE.equals(JsonReader.optionalBoolean(inUse.isObject() ? inUse : card, CORDONED)))
                .withInUse(inUse.isObject() ? JsonReader.text(inUse, "by") : null)
                .withForeign(memory(card, FOREIGN))
                .withIsolation(
                        isolation(card).withHeadroom(memory(card, HEADROOM)).withCoreCap(coreCap(card)));
    }

    private static Memory memory(JsonNode card, String field) {
        @Nullable Integer mib = JsonReader.optionalInteger(card, field);
        return mib == null ? new Memory(0) : Memory.ofMib(mib);
    }

    private static @Nullable MigInstance instance(JsonNode card) {
        @Nullable String profile = JsonReader.optionalText(card, "profile");
        if (profile == null) {
            return null;
        }
        return new MigInstance(
                new CardId(JsonReader.text(card, "parent")),
                profile,
                JsonReader.integer(card, "gi"),
                JsonReader.integer(card, "ci"),
                JsonReader.integers(card, "caps"));
    }

    /** A cap that this version does not know counts as none. */
    private static CoreCap coreCap(JsonNode card) {
        @Nullable String written = JsonReader.optionalText(card, DEFAULT_CORES);
        try {
            return written == null ? CoreCap.NONE : CoreCap.parse(written);
        } catch (IllegalArgumentException e) {
            return CoreCap.NONE;
        }
    }

    /** An isolation that this version does not know counts as none. */
    private static CardIsolation isolation(JsonNode card) {
        @Nullable String missing = JsonReader.optionalText(card, ISOLATION_MISSING);
        if (missing != null && !missing.isEmpty()) {
            return Boolean.TRUE.equals(JsonReader.optionalBoolean(card, MEMORY_CLOSED))
                    ? CardIsolation.closed(missing)
                    : CardIsolation.counted(missing);
        }
        @Nullable String inForce = JsonReader.optionalText(card, ISOLATION);
        return inForce == null
                ? CardIsolation.NONE
                : CardIsolation.of(Isolation.of(inForce).orElse(Isolation.NONE));
    }
}
