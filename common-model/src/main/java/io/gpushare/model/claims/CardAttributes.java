package io.gpushare.model.claims;

import io.gpushare.model.card.Card;
import io.gpushare.model.card.Inventory;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The facts of a card by which claims select it, as the API has them. What is unknown is left out.
 *
 * @see <a href="https://kubernetes.io/docs/reference/node/dra-standard-device-attributes/">the attributes that are the
 *     same for the devices of all drivers</a>
 */
final class CardAttributes {
    private static final int LONGEST_TEXT = 64;
    /** The domain of the attributes that Kubernetes defines for the devices of all drivers. */
    private static final String STANDARD = "resource.kubernetes.io/";

    // The API takes semantic versions only, and refuses the zero in NVIDIA's 580.65.06: with it the whole slice.
    private static final Pattern VERSION = Pattern.compile("([0-9]{1,9})\\.([0-9]{1,9})(?:\\.([0-9]{1,9}))?.*");

    private final Map<String, Object> attributes = new TreeMap<>();

    private CardAttributes() {}

    static Map<String, Object> of(Card card, Inventory.@Nullable Driver driver, PcieRoots roots) {
        CardAttributes of = new CardAttributes();
        of.text("uuid", card.id().uuid());
        of.text("type", card.id().instance() ? "mig" : "gpu");
        of.text("productName", card.model());
        of.text("isolation", card.isolation().inForce().toString());
        of.whole("index", card.index());
        of.whole("memoryMiB", card.memory().mib());
        if (card.details().ecc() != null) {
            of.attributes.put("ecc", Map.of("bool", card.details().ecc()));
        }
        if (card.details().numaNode() != null) {
            of.whole("numaNode", card.details().numaNode());
            of.whole(STANDARD + "numaNode", card.details().numaNode());
        }
        if (card.details().pciAddress() != null) {
            of.text(STANDARD + "pciBusID", card.details().pciAddress());
            roots.of(card.details().pciAddress()).ifPresent(root -> of.text(STANDARD + "pcieRoot", root));
        }
        if (card.details().compute() != null) {
            of.version("cudaComputeCapability", card.details().compute().toString());
        }
        if (card.details().instance() != null) {
            of.text("profile", card.details().instance().profile());
            of.text("parentUUID", card.details().instance().parent().uuid());
        }
        if (driver != null) {
            of.version("driverVersion", driver.version());
            of.version("cudaDriverVersion", driver.cuda());
        }
        return of.attributes;
    }

    private void text(String name, String text) {
        if (!text.isEmpty() && text.length() <= LONGEST_TEXT) {
            attributes.put(name, Map.of("string", text));
        }
    }

    private void whole(String name, long number) {
        attributes.put(name, Map.of("int", number));
    }

    private void version(String name, String text) {
        Matcher matcher = VERSION.matcher(text);
        if (matcher.matches()) {
            int patch = matcher.group(3) == null ? 0 : Integer.parseInt(matcher.group(3));
            attributes.put(
                    name,
                    Map.of(
                            "version",
                            Integer.parseInt(matcher.group(1)) + "." + Integer.parseInt(matcher.group(2)) + "."
                                    + patch));
        }
    }
}
