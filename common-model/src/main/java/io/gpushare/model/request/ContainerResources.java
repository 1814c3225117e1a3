package io.gpushare.model.request;

import io.gpushare.model.ContainerRole;
import io.gpushare.model.text.Quantity;
import java.math.BigDecimal;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The resources of one container in the API: quantities by name, requests and limits merged. */
public record ContainerResources(String name, ContainerRole role, Map<String, String> quantities) {
    /**
     * The variable by which JAX reads its fraction of a card's memory. With its former name beside it,
     * {@code XLA_PYTHON_CLIENT_MEM_FRACTION}, JAX does not use the card.
     */
    public static final String JAX_FRACTION = "XLA_CLIENT_MEM_FRACTION";

    private static final BigDecimal MOST = BigDecimal.valueOf(Integer.MAX_VALUE);
    private static final List<String> SUFFIXES = List.of("Ti", "Gi", "Mi", "T", "G", "M");

    public ContainerResources {
        quantities = Map.copyOf(quantities);
    }

    /** The number of MIG instances of all profiles. */
    int instances() {
        return instanceNames().mapToInt(this::amount).sum();
    }

    /** The profile of the MIG instances; null if there are none. Several are refused with a sentence. */
    @Nullable
    String profile() {
        List<String> profiles = instanceNames()
                .filter(resource -> amount(resource) > 0)
                .map(resource -> resource.substring(ResourceNames.INSTANCES.length()))
                .sorted()
                .toList();
        if (profiles.size() > 1) {
            throw new IllegalArgumentException("container '" + name + "' requests MIG instances of the profiles "
                    + profiles + ": a program can use one instance only, request one profile");
        }
        return profiles.isEmpty() ? null : profiles.getFirst();
    }

    private Stream<String> instanceNames() {
        return quantities.keySet().stream().filter(resource -> resource.startsWith(ResourceNames.INSTANCES));
    }

    /** The resources of that kind that it names with the amount 0. */
    Set<String> zeros(Predicate<String> kind) {
        return quantities.keySet().stream()
                .filter(resource -> kind.test(resource) && !requests(resource))
                .collect(Collectors.toSet());
    }

    /** Whether the container names that resource with another amount than 0, valid or not. */
    boolean requests(String resource) {
        @Nullable String written = quantities.get(resource);
        return written != null
                && Quantity.parse(written).map(BigDecimal::signum).orElse(1) != 0;
    }

    /**
     * The amount of that resource; 0 if the container does not name it.
     *
     * @throws IllegalArgumentException with a sentence for the user if it is no whole number
     */
    int amount(String resource) {
        @Nullable String written = quantities.get(resource);
        if (written == null) {
            return 0;
        }
        BigDecimal amount = Quantity.parse(written)
                .orElseThrow(() -> new IllegalArgumentException("container '" + name + "' requests " + resource + ": '"
                        + written + "' is not a quantity; write a whole number"));
        if (amount.stripTrailingZeros().scale() > 0) {
            throw new IllegalArgumentException(
                    "container '" + name + "' requests " + resource + ": " + written + " is not a whole number");
        }
        if (amount.compareTo(MOST) > 0) {
            throw new IllegalArgumentException(tooLarge(resource, amount));
        }
        return amount.intValueExact();
    }

    /**
     * A sentence about an amount that no node can have. Users write {@code 3Gi}, which the API server turns into a
     * number of bytes.
     */
    String tooLarge(String resource, BigDecimal amount) {
        String sentence = "container '" + name + "' requests " + resource + ": ";
        for (String suffix : SUFFIXES) {
            BigDecimal[] parts =
                    amount.divideAndRemainder(Quantity.parse("1" + suffix).orElseThrow());
            if (parts[1].signum() == 0 && parts[0].compareTo(MOST) <= 0) {
                return sentence + amount.toPlainString() + " is " + parts[0].toPlainString() + suffix
                        + ", and the amount is a number without a suffix: write " + parts[0].toPlainString();
            }
        }
        return sentence + amount.toPlainString() + " is more than any node could have";
    }
}
