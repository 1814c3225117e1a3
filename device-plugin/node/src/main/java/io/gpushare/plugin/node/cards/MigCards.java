package io.gpushare.plugin.node.cards;

import io.gpushare.model.card.Card;
import io.gpushare.model.card.CardId;
import io.gpushare.model.card.CardIsolation;
import io.gpushare.model.card.Health;
import io.gpushare.model.card.Memory;
import io.gpushare.model.card.MigInstance;
import io.gpushare.nvml.CardFacts;
import io.gpushare.nvml.MigFacts;
import io.gpushare.nvml.XidEvent;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Makes cards of MIG instances. A card with MIG and instances is not a card itself; without instances it is one that no
 * container can get.
 *
 * @param offered whether instances are offered
 * @param minors the numbers of their device files; empty where these are not needed
 */
record MigCards(boolean offered, Optional<MigMinors> minors) {
    private static final String UNKNOWN_PROFILE = "unknown";
    private static final long MIB = 1L << 20;
    private static final Comparator<Card> ORDER = Comparator.comparingInt(MigCards::gpuInstance)
            .thenComparingInt(MigCards::computeInstance)
            .thenComparing(Card::id);

    /** Whether a card has instances that are cards. */
    boolean cut(CardFacts card) {
        return !offeredBy(card).isEmpty();
    }

    private List<MigFacts.Instance> offeredBy(CardFacts card) {
        return offered
                ? card.mig().stream()
                        .flatMap(mig -> mig.instances().stream())
                        .filter(MigCards::identified)
                        .toList()
                : List.of();
    }

    /**
     * The cards that the instances of a card are; none if it is a card itself.
     *
     * @param parent the card that they are parts of
     */
    List<Card> of(CardFacts facts, Card parent) {
        List<MigFacts.Instance> instances = offeredBy(facts);
        Map<String, Integer> files =
                instances.isEmpty() ? Map.of() : minors.map(MigMinors::read).orElse(Map.of());
        return instances.stream()
                .map(instance -> card(parent, instance, caps(parent, instance, files)))
                .toList();
    }

    /** The files of an instance's GPU instance and of its compute instance; none if not both are listed. */
    private static List<Integer> caps(Card parent, MigFacts.Instance instance, Map<String, Integer> files) {
        String name = "gpu" + parent.minor() + "/gi" + instance.gpuInstance();
        @Nullable Integer gpu = files.get(name + "/access");
        @Nullable Integer compute = files.get(name + "/ci" + instance.computeInstance() + "/access");
        return gpu == null || compute == null ? List.of() : List.of(gpu, compute);
    }

    /** Drivers before 470 name an instance by its numbers, which the next one may have as well. */
    private static boolean identified(MigFacts.Instance instance) {
        return !instance.uuid().contains("/");
    }

    /** Why a card with MIG has no instance that is a card, as a part of a sentence. */
    String missing(CardFacts card) {
        boolean cut = card.mig().stream().anyMatch(mig -> !mig.instances().isEmpty());
        return "MIG is enabled"
                + (!offered
                        ? ", and --mig=off"
                        : cut
                                ? ", which needs driver 470 or newer"
                                : " without an instance: create some (nvidia-smi mig -cgi <profiles> -C), or disable"
                                        + " MIG");
    }

    /** What keeps the card, and its instances, from new pods; empty if nothing does. */
    static Optional<Health> pending(CardFacts card) {
        return card.mig()
                .filter(mig -> mig.enabled() != mig.pending())
                .map(mig -> new Health.Unhealthy(
                        "MIG will be " + (mig.pending() ? "enabled" : "disabled") + " by the next reset of the card"));
    }

    /** Why no container can get the instance; empty if it can. */
    static Optional<Health> withoutFiles(Card instance, boolean needsDeviceFiles) {
        return needsDeviceFiles
                        && (instance.minor() == null
                                || instance.details().instance() == null
                                || instance.details().instance().caps().isEmpty())
                ? Optional.of(new Health.Unhealthy(
                        "it has no device files in /dev/nvidia-caps, which the strategy device-specs needs"))
                : Optional.empty();
    }

    private static Card card(Card parent, MigFacts.Instance instance, List<Integer> caps) {
        Card.Details details = parent.details();
        Card card = new Card(
                new CardId(instance.uuid()),
                parent.index(),
                parent.minor(),
                parent.model(),
                instance.whole() ? new Memory(instance.memoryTotalBytes().orElse(0)) : new Memory(0),
                new Card.Details(
                        details.compute(),
                        details.ecc(),
                        details.numaNode(),
                        true,
                        new MigInstance(
                                parent.id(),
                                instance.profile().orElse(UNKNOWN_PROFILE),
                                instance.gpuInstance(),
                                instance.computeInstance(),
                                caps),
                        reserved(instance.memoryReservedBytes()),
                        details.pciAddress()));
        return card.hasMemory()
                ? card
                : card.withIsolation(CardIsolation.closed(
                        instance.whole()
                                ? "the driver does not report how much memory it has"
                                : "it shares the memory of its GPU instance with other compute instances"));
    }

    /** What the driver reserves, in whole MiB; 0 where it does not report that. */
    static Memory reserved(OptionalLong bytes) {
        return Memory.ofMib(Math.ceilDiv(bytes.orElse(0), MIB));
    }

    /** The cards with numbers that are unique on the node: instances come after all physical cards. */
    static List<Card> numbered(Collection<Card> cards) {
        int first = cards.stream().mapToInt(Card::index).max().orElse(0) + 1;
        List<Card> instances = cards.stream()
                .filter(card -> card.profile() != null)
                .sorted(Comparator.comparingInt(Card::index)
                        .thenComparing(Card::physical)
                        .thenComparing(ORDER))
                .toList();
        return Stream.concat(
                        cards.stream().filter(card -> card.profile() == null),
                        IntStream.range(0, instances.size())
                                .mapToObj(i -> instances.get(i).withIndex(first + i)))
                .toList();
    }

    /** The cards that have that Xid error: an instance, all instances of a card, or a card without instances. */
    static Set<CardId> concerned(CardId physical, XidEvent event, Collection<Card> cards) {
        return cards.stream()
                .filter(card -> card.physical().equals(physical)
                        && concerns(event.gpuInstance(), gpuInstance(card))
                        && concerns(event.computeInstance(), computeInstance(card)))
                .map(Card::id)
                .collect(Collectors.toSet());
    }

    private static boolean concerns(OptionalInt named, int own) {
        return named.isEmpty() || named.getAsInt() == own;
    }

    private static int gpuInstance(Card card) {
        return card.details().instance() == null
                ? -1
                : card.details().instance().gpuInstance();
    }

    private static int computeInstance(Card card) {
        return card.details().instance() == null
                ? -1
                : card.details().instance().computeInstance();
    }
}
