package io.gpushare.model.codec;

import io.gpushare.model.card.ShareKind;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;

/**
 * The names of the extended resources in this cluster.
 *
 * @param cores empty in a cluster that does not count cores
 * @param slots empty in a cluster that does not count slots
 * @param formerMemory earlier names of the memory resource: pods that are bound under them keep their cards
 * @param formerCards earlier names of the card resource
 */
public record ResourceNames(
        String memory, String cards, String cores, String slots, Set<String> formerMemory, Set<String> formerCards) {
    // Kubernetes' IsExtendedResourceName: a domain that is not its own, "/", and a name.
    private static final Pattern FORM =
            Pattern.compile("[a-z0-9]([a-z0-9.-]{0,238}[a-z0-9])?/[A-Za-z0-9]([A-Za-z0-9_.-]{0,61}[A-Za-z0-9])?");

    /** What the name of a resource of MIG instances begins with, before the profile: NVIDIA's names. */
    public static final String INSTANCES = "nvidia.com/mig-";

    private static final String GPUSHARE_MEMORY = "aliyun.com/gpu-mem";
    private static final String GPUSHARE_CARDS = "aliyun.com/gpu-count";

    /** gpushare's names, so that its users' manifests work unchanged. */
    public static final ResourceNames DEFAULT = new ResourceNames(GPUSHARE_MEMORY, GPUSHARE_CARDS);

    public ResourceNames {
        checked(memory);
        checked(cards);
        if (memory.equals(cards)) {
            throw new IllegalArgumentException(
                    "the memory resource and the card resource must have different names, both are '" + memory + "'");
        }
        if (!cores.isEmpty()) {
            checked(cores);
        }
        formerMemory = former(formerMemory, memory, cards);
        formerCards = former(formerCards, memory, cards);
        if (used(cores, formerMemory, formerCards, memory, cards)) {
            throw new IllegalArgumentException(
                    "the core resource must have another name than the other resources, present and former, and not '"
                            + cores + "'");
        }
        if (!slots.isEmpty() && used(slots, formerMemory, formerCards, memory, cards, cores)) {
            throw new IllegalArgumentException("--hami needs " + slots + " for HAMi's requests: no other resource,"
                    + " present or former, may have that name");
        }
    }

    /** Names of a cluster that does not count slots. */
    public ResourceNames(String memory, String cards, String cores, Set<String> formerMemory, Set<String> formerCards) {
        this(memory, cards, cores, "", formerMemory, formerCards);
    }

    /** Names of a cluster that counts neither cores nor slots. */
    public ResourceNames(String memory, String cards, Set<String> formerMemory, Set<String> formerCards) {
        this(memory, cards, "", formerMemory, formerCards);
    }

    /** Names that replaced gpushare's, if they are others. */
    public ResourceNames(String memory, String cards) {
        this(memory, cards, Set.of(GPUSHARE_MEMORY), Set.of(GPUSHARE_CARDS));
    }

    /** The same names, and this one for cores. */
    public ResourceNames withCores(String name) {
        return new ResourceNames(memory, cards, name, slots, formerMemory, formerCards);
    }

    /** The same names, and HAMi's for slots. */
    public ResourceNames withHami() {
        return new ResourceNames(memory, cards, cores, HamiCodec.CARDS, formerMemory, formerCards);
    }

    /** The kinds of shares that are one resource in this cluster. MIG instances are one for each profile. */
    public Set<ShareKind> kinds() {
        Set<ShareKind> kinds = EnumSet.allOf(ShareKind.class);
        kinds.removeIf(kind -> of(kind).isEmpty());
        return kinds;
    }

    private static boolean used(String name, Set<String> formerMemory, Set<String> formerCards, String... others) {
        return List.of(others).contains(name) || formerMemory.contains(name) || formerCards.contains(name);
    }

    private static Set<String> former(Set<String> names, String memory, String cards) {
        Set<String> former = new TreeSet<>(names);
        former.forEach(ResourceNames::checked);
        former.removeAll(Set.of(memory, cards));
        return Set.copyOf(former);
    }

    /** Whether one of the resources has the name that NVIDIA's and HAMi's device plugins offer. */
    public boolean haveNvidias() {
        return slots.equals(HamiCodec.CARDS) || cards.equals(HamiCodec.CARDS);
    }

    /** All names, present and former. */
    public Set<String> all() {
        Set<String> all = new TreeSet<>();
        kinds().forEach(kind -> all.add(of(kind)));
        all.addAll(formerMemory);
        all.addAll(formerCards);
        return all;
    }

    /** The former resources of that kind of share. */
    public Set<String> formerOf(ShareKind kind) {
        return switch (kind) {
            case MEMORY -> formerMemory;
            case WHOLE_CARDS -> formerCards;
            case CORES, SLOTS, INSTANCES -> Set.of();
        };
    }

    /** The resource of that kind of share, if it is one of the {@link #kinds}. */
    public String of(ShareKind kind) {
        return switch (kind) {
            case MEMORY -> memory;
            case WHOLE_CARDS -> cards;
            case CORES -> cores;
            case SLOTS -> slots;
            case INSTANCES -> "";
        };
    }

    /**
     * The name, if it has the form of an extended resource's; otherwise throws IllegalArgumentException with a
     * sentence.
     */
    public static String checked(String name) {
        if (!FORM.matcher(name).matches() || name.contains("kubernetes.io/") || name.startsWith("requests.")) {
            throw new IllegalArgumentException("'" + name
                    + "' is not the name of an extended resource: write <domain>/<name>, such as aliyun.com/gpu-mem,"
                    + " with a domain outside kubernetes.io");
        }
        return name;
    }
}
