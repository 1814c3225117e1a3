package io.gpushare.model.request;

import io.gpushare.model.ContainerDemand;
import io.gpushare.model.Demand;
import io.gpushare.model.card.Share;
import io.gpushare.model.card.ShareKind;
import io.gpushare.model.codec.AnnotationKeys;
import io.gpushare.model.foreign.AliyunPod;
import io.gpushare.model.foreign.ForeignPod;
import io.gpushare.model.selector.CardSelector;
import io.gpushare.model.selector.SelectorParser;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** gpushare's requests and this project's: extended resources of the names that the cluster has for them. */
final class OwnRequests implements FrontEnd {
    /** The number of cards over which each container's memory is split evenly; written by users. */
    static final String CARDS = "gpushare.io/cards";

    /** The policy that places a pod, instead of the extender's own; written by users. */
    static final String POLICY = "gpushare.io/policy";

    private static final String PREFIX = "gpushare.io/";
    private static final List<String> FOR_PODS = List.of(CARDS, POLICY, PodAnnotations.SELECT);
    private static final Pattern NUMBER_OF_CARDS = Pattern.compile("[1-9]|[1-5][0-9]|6[0-4]");

    // The name that the documents use for parts of a card's cores; by default there is no such resource.
    private static final String CORES = "aliyun.com/gpu-core.percentage";

    // No card has so many units, even of 1 MiB: the amount is in bytes.
    private static final int LEAST_BYTES = 1 << 20;

    private final ResourceNames names;
    private final Set<ShareKind> kinds;

    OwnRequests(ResourceNames names) {
        this.names = names;
        this.kinds = new TreeSet<>(names.kinds());
        this.kinds.removeIf(ShareKind::countedAlone);
    }

    @Override
    public Set<String> resources() {
        return kinds.stream().map(names::of).collect(Collectors.toSet());
    }

    @Override
    public Map<String, Integer> annotations() {
        return Map.of(PodAnnotations.SELECT, SelectorCodec.LONGEST, CARDS, 16, POLICY, 64);
    }

    @Override
    public Map<String, Function<String, CardSelector>> selectors() {
        return Map.of(PodAnnotations.SELECT, SelectorParser::parse);
    }

    @Override
    public Optional<String> misspelt(String key) {
        return key.startsWith(PREFIX) && !AnnotationKeys.ours(key) && !FOR_PODS.contains(key)
                ? Optional.of(PodAnnotations.misspelt(key, FOR_PODS, ": pods may have " + String.join(", ", FOR_PODS)))
                : Optional.empty();
    }

    @Override
    public Share request(ContainerResources container, Map<String, String> annotations) {
        Share request = requestOfBound(container, annotations);
        for (ShareKind kind : kinds) {
            if (kind.in(request) >= LEAST_BYTES) {
                throw new IllegalArgumentException(
                        container.tooLarge(names.of(kind), BigDecimal.valueOf(kind.in(request))));
            }
        }
        return request;
    }

    @Override
    public Share requestOfBound(ContainerResources container, Map<String, String> annotations) {
        return sum(container, kind -> Set.of(names.of(kind)));
    }

    @Override
    public Share former(ContainerResources container) {
        return sum(container, names::formerOf);
    }

    private Share sum(ContainerResources container, Function<ShareKind, Collection<String>> resources) {
        Share share = Share.NONE;
        for (ShareKind kind : kinds) {
            for (String resource : resources.apply(kind)) {
                share = share.plus(kind.share(container.amount(resource)));
            }
        }
        return share;
    }

    @Override
    public String resource(Share request) {
        return request.wholeCards() > 0 ? names.cards() : names.memory();
    }

    @Override
    public Optional<String> mistake(
            Demand amounts, List<ContainerResources> containers, Map<String, String> annotations) {
        return FOR_PODS.stream()
                .filter(key -> annotations.getOrDefault(key, "-").isBlank())
                .findFirst()
                .map(key -> "annotation " + key + " is empty: write a value, or remove the annotation");
    }

    @Override
    public int split(Demand amounts, Map<String, String> annotations) {
        String written = annotations.getOrDefault(CARDS, "").strip();
        if (!annotations.containsKey(CARDS)) {
            return 1;
        }
        if (!NUMBER_OF_CARDS.matcher(written).matches()) {
            throw new IllegalArgumentException("write over how many cards the memory is split, from 1 to 64");
        }
        if (amounts.slotted()) {
            throw new IllegalArgumentException("it splits memory in " + names.memory() + ", and the pod requests "
                    + names.of(ShareKind.SLOTS) + ", whose number says over how many cards: remove the annotation");
        }
        if (amounts.total().units() == 0) {
            throw new IllegalArgumentException("it splits memory over cards, and no container requests "
                    + names.memory() + "; for whole cards write their number in " + names.cards());
        }
        return Integer.parseInt(written);
    }

    @Override
    public Optional<NamedPolicy> policy(Optional<Demand> demand, Map<String, String> annotations) {
        return Optional.ofNullable(annotations.get(POLICY)).map(name -> new NamedPolicy(POLICY, name));
    }

    @Override
    public List<String> notes(Demand demand, List<ContainerResources> containers, Map<String, String> annotations) {
        return kinds.contains(ShareKind.CORES)
                ? List.of()
                : containers.stream()
                        .filter(container -> container.quantities().containsKey(CORES))
                        .map(container -> "container '" + container.name() + "' requests " + CORES
                                + ", which is not offered: set --core-resource=" + CORES
                                + " of both programs, and --isolation=mps of the device plugin")
                        .toList();
    }

    /** gpushare reads the memory alone; former resources count as well. */
    @Override
    public Optional<ForeignPod> foreign(
            List<ContainerResources> containers, Map<String, String> annotations, String node) {
        return Optional.of(AliyunPod.of(annotations, memory(containers)));
    }

    /** The containers that request memory, with the memory alone; none if an amount is invalid. */
    private List<ContainerDemand> memory(List<ContainerResources> containers) {
        List<ContainerDemand> demands = new ArrayList<>();
        try {
            for (ContainerResources container : containers) {
                int units = container.amount(names.memory());
                for (String former : names.formerOf(ShareKind.MEMORY)) {
                    units = Math.addExact(units, container.amount(former));
                }
                if (units > 0) {
                    demands.add(new ContainerDemand(container.name(), container.role(), Share.memory(units)));
                }
            }
            return demands.isEmpty() || DemandCodec.units(demands) > Integer.MAX_VALUE
                    ? List.of()
                    : new Demand(demands).containers();
        } catch (IllegalArgumentException | ArithmeticException e) {
            return List.of();
        }
    }
}
