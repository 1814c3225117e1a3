package io.gpushare.model.request;

import io.gpushare.model.card.ShareKind;
import io.gpushare.model.codec.DeviceId;
import java.util.Collections;
import java.util.EnumMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;

/**
 * The names of the extended resources in this cluster.
 *
 * @param names by the kind of share that they count, without kinds that the cluster does not count
 * @param former earlier names: pods that are bound under them keep their cards
 */
public record ResourceNames(Map<ShareKind, String> names, Map<ShareKind, Set<String>> former) {
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
        checked(names.getOrDefault(ShareKind.MEMORY, ""));
        checked(names.getOrDefault(ShareKind.WHOLE_CARDS, ""));
        Map<ShareKind, String> counted = new EnumMap<>(names);
        counted.values().removeIf(String::isEmpty);
        counted.values().forEach(ResourceNames::checked);
        names = Collections.unmodifiableMap(counted);
        String memory = names.getOrDefault(ShareKind.MEMORY, "");
        if (memory.equals(names.get(ShareKind.WHOLE_CARDS))) {
            throw new IllegalArgumentException(
                    "the memory resource and the card resource must have different names, both are '" + memory + "'");
        }
        Set<String> used = new TreeSet<>(Set.of(memory, names.getOrDefault(ShareKind.WHOLE_CARDS, "")));
        Map<ShareKind, Set<String>> earlier = new EnumMap<>(ShareKind.class);
        former.forEach((kind, written) -> earlier.put(kind, former(written, used)));
        former = Collections.unmodifiableMap(earlier);
        former.values().forEach(used::addAll);
        for (ShareKind kind : ShareKind.BESIDE) {
            if (!used.add(names.getOrDefault(kind, kind.toString()))) {
                throw new IllegalArgumentException(
                        kind.countedAlone()
                                ? "--hami needs " + names.get(kind) + " for HAMi's requests: no other resource, present"
                                        + " or former, may have that name"
                                : "the " + kind.device() + " resource must have another name than the other resources,"
                                        + " present and former, and not '" + names.get(kind) + "'");
            }
        }
    }

    /** Names of a cluster that counts nothing beside memory and cards. */
    public ResourceNames(String memory, String cards, Set<String> formerMemory, Set<String> formerCards) {
        this(
                Map.of(ShareKind.MEMORY, memory, ShareKind.WHOLE_CARDS, cards),
                Map.of(ShareKind.MEMORY, formerMemory, ShareKind.WHOLE_CARDS, formerCards));
    }

    /** Names that replaced gpushare's, if they are others. */
    public ResourceNames(String memory, String cards) {
        this(memory, cards, Set.of(GPUSHARE_MEMORY), Set.of(GPUSHARE_CARDS));
    }

    /** The same names, and this one for that kind; empty if it is not counted. */
    public ResourceNames with(ShareKind kind, String name) {
        Map<ShareKind, String> changed = new EnumMap<>(names);
        changed.put(kind, name);
        return new ResourceNames(changed, former);
    }

    /** The same names, and HAMi's for slots. */
    public ResourceNames withHami() {
        return with(ShareKind.SLOTS, HamiRequests.CARDS);
    }

    public String memory() {
        return of(ShareKind.MEMORY);
    }

    public String cards() {
        return of(ShareKind.WHOLE_CARDS);
    }

    /** The kinds of shares that are one resource in this cluster. MIG instances are one for each profile. */
    public Set<ShareKind> kinds() {
        return names.keySet();
    }

    private static Set<String> former(Set<String> written, Set<String> present) {
        Set<String> former = new TreeSet<>(written);
        former.forEach(ResourceNames::checked);
        former.removeAll(present);
        return Set.copyOf(former);
    }

    /** Whether one of the resources has the name that NVIDIA's and HAMi's device plugins offer. */
    public boolean haveNvidias() {
        return of(ShareKind.SLOTS).equals(HamiRequests.CARDS) || cards().equals(HamiRequests.CARDS);
    }

    /** Whether devices of that resource are cards, or parts of some, under a present or former name. */
    public boolean counts(String resource) {
        return all().contains(resource) || resource.startsWith(INSTANCES);
    }

    /** All names, present and former. */
    public Set<String> all() {
        Set<String> all = new TreeSet<>(names.values());
        former.values().forEach(all::addAll);
        return all;
    }

    /**
     * The ID of a device of that resource, by which it is known here. Under the name of the slots, HAMi's plugin has
     * IDs in the form of our memory units, and so has NVIDIA's where it shares cards in time: they become IDs that are
     * not ours.
     */
    public String deviceId(String resource, String id) {
        boolean foreign = resource.equals(HamiRequests.CARDS)
                && !memory().equals(resource)
                && !formerOf(ShareKind.MEMORY).contains(resource)
                && DeviceId.parse(id)
                        .valid()
                        .filter(DeviceId.MemoryUnitOf.class::isInstance)
                        .isPresent();
        return foreign ? resource + "=" + id : id;
    }

    /** The former resources of that kind of share. */
    public Set<String> formerOf(ShareKind kind) {
        return former.getOrDefault(kind, Set.of());
    }

    /** The resource of that kind of share; empty if it is none of the {@link #kinds}. */
    public String of(ShareKind kind) {
        return names.getOrDefault(kind, "");
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
