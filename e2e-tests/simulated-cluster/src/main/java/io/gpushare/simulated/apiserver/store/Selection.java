package io.gpushare.simulated.apiserver.store;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The selection of a list or watch: a namespace (empty for all), field selectors and label selectors ({@code =},
 * {@code !=}, and for labels also presence). Set selectors ({@code in}, {@code notin}) lead to a 400.
 */
public record Selection(String namespace, List<Term> fields, List<Term> labels) {

    /** Every object. */
    public static final Selection ALL = new Selection("", List.of(), List.of());

    /** One comparison; a null value tests only the presence of the label. */
    record Term(String key, boolean equal, @Nullable String value) {}

    public Selection {
        fields = List.copyOf(fields);
        labels = List.copyOf(labels);
    }

    public static Selection parse(
            ApiResource resource, String namespace, @Nullable String fieldSelector, @Nullable String labelSelector) {
        List<Term> fields = terms(fieldSelector);
        for (Term term : fields) {
            if (!resource.selectableBy(term.key()) || term.value() == null) {
                throw ApiError.badRequest("field label not supported: " + term.key());
            }
        }
        return new Selection(namespace, fields, terms(labelSelector));
    }

    private static List<Term> terms(@Nullable String selector) {
        List<Term> terms = new ArrayList<>();
        if (selector == null) {
            return terms;
        }
        if (selector.contains("(")) {
            throw ApiError.badRequest("the simulated API server knows no set selectors (in, notin): " + selector);
        }
        for (String part : selector.split(",")) {
            if (!part.isBlank()) {
                terms.add(term(part.strip()));
            }
        }
        return terms;
    }

    private static Term term(String part) {
        int unequal = part.indexOf("!=");
        int equal = part.indexOf('=');
        if (unequal > 0) {
            return new Term(part.substring(0, unequal), false, part.substring(unequal + 2));
        }
        if (equal > 0) {
            String value = part.substring(equal + 1);
            return new Term(part.substring(0, equal), true, value.startsWith("=") ? value.substring(1) : value);
        }
        return part.startsWith("!") ? new Term(part.substring(1), false, null) : new Term(part, true, null);
    }

    /** Whether it selects the object. */
    public boolean matches(ObjectNode object) {
        if (!namespace.isEmpty() && !namespace.equals(Documents.text(object, "metadata.namespace"))) {
            return false;
        }
        for (Term term : fields) {
            if (Documents.text(object, term.key()).equals(term.value()) != term.equal()) {
                return false;
            }
        }
        JsonNode present = object.path("metadata").path("labels");
        for (Term term : labels) {
            JsonNode label = present.path(term.key());
            boolean same =
                    term.value() == null ? label.isTextual() : label.asText("").equals(term.value());
            if (same != term.equal()) {
                return false;
            }
        }
        return true;
    }

    /** The node that selected pods must be bound to, by which lists and watches use the index. */
    Optional<String> node() {
        for (Term term : fields) {
            if (term.key().equals("spec.nodeName") && term.equal() && term.value() != null) {
                return Optional.of(term.value());
            }
        }
        return Optional.empty();
    }
}
