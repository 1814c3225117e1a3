package io.gpushare.model.request;

import io.gpushare.model.Demand;
import io.gpushare.model.card.Inventory;
import io.gpushare.model.card.Share;
import io.gpushare.model.foreign.ForeignPod;
import io.gpushare.model.selector.CardSelector;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;

/**
 * A vocabulary in which pods request cards: names of resources, annotations, and what they mean. {@link FrontEnds}
 * lists them, and everything else asks {@link DemandCodec}. What a method throws is an IllegalArgumentException whose
 * message is a sentence for the user.
 */
interface FrontEnd {
    /** The resources by which containers request cards in it, as far as this cluster counts them. */
    Set<String> resources();

    /** The annotations that it reads on pods, and the most characters of each. */
    Map<String, Integer> annotations();

    /** Those of them that select cards, with their parsers, in the order in which they are read. */
    Map<String, Function<String, CardSelector>> selectors();

    /** What is wrong with the key of an annotation that looks like one of its own; empty for any other key. */
    Optional<String> misspelt(String key);

    /** What a container of a pod without cards requests over all of them. Throws if that is invalid. */
    Share request(ContainerResources container, Map<String, String> annotations);

    /** The same for a pod that has its cards, whatever is counted now. */
    Share requestOfBound(ContainerResources container, Map<String, String> annotations);

    /** What the container of such a pod requests by earlier names of resources. */
    default Share former(ContainerResources container) {
        return Share.NONE;
    }

    /** The resource by which a container requests that, for sentences. */
    String resource(Share request);

    /** What is wrong with a pod, each of whose containers requests something valid or nothing. */
    default Optional<String> mistake(
            Demand amounts, List<ContainerResources> containers, Map<String, String> annotations) {
        return Optional.empty();
    }

    /** Over how many cards the pod splits its memory. Throws if it can't. */
    default int split(Demand amounts, Map<String, String> annotations) {
        return 1;
    }

    /** Which cards the pod accepts by the way in which it requests them, beside the {@link #selectors}. */
    default CardSelector selector(Demand amounts, Map<String, String> annotations) {
        return CardSelector.ANY;
    }

    /** The policy that the pod asks for. */
    default Optional<NamedPolicy> policy(Optional<Demand> demand, Map<String, String> annotations) {
        return Optional.empty();
    }

    /** What has another effect than the pod's user may expect: sentences without a full stop. */
    default List<String> notes(Demand demand, List<ContainerResources> containers, Map<String, String> annotations) {
        return List.of();
    }

    /** How the node's device plugin counts in another way, as a sentence; empty if it does not. */
    default Optional<String> difference(Inventory node) {
        return Optional.empty();
    }

    /** The pod as the scheduler sees it from which the vocabulary comes; empty for a pod that is none of its own. */
    default Optional<ForeignPod> foreign(
            List<ContainerResources> containers, Map<String, String> annotations, String node) {
        return Optional.empty();
    }
}
