package io.gpushare.e2e.cluster.admission;

import dev.cel.bundle.Cel;
import dev.cel.bundle.CelFactory;
import dev.cel.common.CelFunctionDecl;
import dev.cel.common.CelOverloadDecl;
import dev.cel.common.CelValidationException;
import dev.cel.common.types.CelType;
import dev.cel.common.types.ListType;
import dev.cel.common.types.SimpleType;
import dev.cel.common.values.NullValue;
import dev.cel.extensions.CelExtensions;
import dev.cel.parser.CelStandardMacro;
import dev.cel.runtime.CelEvaluationException;
import dev.cel.runtime.CelFunctionBinding;
import io.kubernetes.client.custom.Quantity;
import java.io.IOException;
import java.math.BigDecimal;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;
import org.yaml.snakeyaml.Yaml;

/**
 * The ValidatingAdmissionPolicies of {@code deploy/admission}, evaluated with a CEL library as the API
 * server documents it: resource rules, match conditions, variables in order, validations. Of MutatingAdmissionPolicies
 * the variables are evaluated, from which their patches are written.
 */
public final class AdmissionPolicies {
    private static final ListType NUMBERS = ListType.create(SimpleType.INT);
    private static final Cel CEL = CelFactory.plannerCelBuilder()
            .setStandardMacros(CelStandardMacro.STANDARD_MACROS)
            .addVar("object", SimpleType.DYN)
            .addVar("oldObject", SimpleType.DYN)
            .addVar("namespaceObject", SimpleType.DYN)
            .addVar("request", SimpleType.DYN)
            .addVar("variables", SimpleType.DYN)
            .addCompilerLibraries(CelExtensions.strings())
            .addRuntimeLibraries(CelExtensions.strings())
            .addFunctionDeclarations(
                    CelFunctionDecl.newFunctionDeclaration(
                            "quantity",
                            CelOverloadDecl.newGlobalOverload("to_quantity", SimpleType.STRING, SimpleType.STRING)),
                    member("compareTo", "compare_quantities", SimpleType.INT, SimpleType.STRING, SimpleType.STRING),
                    member("isInteger", "quantity_is_integer", SimpleType.BOOL, SimpleType.STRING),
                    member("asInteger", "quantity_as_integer", SimpleType.INT, SimpleType.STRING),
                    member("sum", "list_sum", SimpleType.INT, NUMBERS),
                    member("max", "list_max", SimpleType.INT, NUMBERS),
                    member("indexOf", "list_index", SimpleType.INT, ListType.create(SimpleType.DYN), SimpleType.DYN))
            .addFunctionBindings(
                    CelFunctionBinding.from("to_quantity", String.class, text -> text),
                    CelFunctionBinding.from(
                            "compare_quantities", String.class, String.class, AdmissionPolicies::compareQuantities),
                    CelFunctionBinding.from("quantity_is_integer", String.class, AdmissionPolicies::isInteger),
                    CelFunctionBinding.from(
                            "quantity_as_integer",
                            String.class,
                            text -> new Quantity(text).getNumber().longValueExact()),
                    CelFunctionBinding.from(
                            "list_sum", List.class, list -> numbers(list).sum()),
                    CelFunctionBinding.from(
                            "list_max", List.class, list -> numbers(list).max().orElseThrow()),
                    CelFunctionBinding.from(
                            "list_index", List.class, Object.class, (list, each) -> (long) list.indexOf(each)))
            .build();

    /**
     * A request to the API server.
     *
     * @param user the user, and after an @ the node that its token names, if it names one
     * @param resource includes its subresource, such as pods/binding
     * @param namespaceLabels the labels of the object's namespace
     */
    public record Request(
            String user,
            String operation,
            String resource,
            Map<String, Object> object,
            @Nullable Map<String, Object> oldObject,
            Map<String, String> namespaceLabels) {
        private Map<String, Object> userInfo() {
            String[] parts = user.split("@", 2);
            return parts.length == 1
                    ? Map.of("username", user)
                    : Map.of(
                            "username",
                            parts[0],
                            "extra",
                            Map.of("authentication.kubernetes.io/node-name", List.of(parts[1])));
        }

        private Object namespace() {
            return map(object.get("metadata")).getOrDefault("namespace", "");
        }
    }

    private final List<Map<String, Object>> policies = new ArrayList<>();
    private final List<Map<String, Object>> mutating = new ArrayList<>();

    public AdmissionPolicies(Path folder) throws IOException {
        this(folder, UnaryOperator.identity());
    }

    /** @param changed the text of each file, as the chart changes it */
    public AdmissionPolicies(Path folder, UnaryOperator<String> changed) throws IOException {
        try (DirectoryStream<Path> files = Files.newDirectoryStream(folder, "*.yaml")) {
            for (Path file : files) {
                add(changed.apply(Files.readString(file)));
            }
        }
    }

    /** Those of the chart in that output of Helm. */
    public AdmissionPolicies(String rendered) {
        add(rendered);
    }

    private void add(String documents) {
        for (Object document : new Yaml().loadAll(documents)) {
            if ("ValidatingAdmissionPolicy".equals(map(document).get("kind"))) {
                policies.add(map(document));
            }
            if ("MutatingAdmissionPolicy".equals(map(document).get("kind"))) {
                mutating.add(map(document));
            }
        }
    }

    /** The messages of the failed validations; empty if the request is admitted. */
    public List<String> refusals(Request request) throws CelValidationException, CelEvaluationException {
        List<String> refusals = new ArrayList<>();
        for (Map<String, Object> policy : policies) {
            Map<String, Object> spec = map(policy.get("spec"));
            Map<String, Object> given = given(request);
            if (matches(spec, request) && holdAll(list(spec.get("matchConditions")), given)) {
                given.put("variables", variables(list(spec.get("variables")), given));
                for (Map<String, Object> validation : list(spec.get("validations"))) {
                    if (!truth(validation, given)) {
                        refusals.add(message(validation, given));
                    }
                }
            }
        }
        return refusals;
    }

    /** The variables of the first MutatingAdmissionPolicy. */
    public Map<String, Object> mutation(Request request) throws CelValidationException, CelEvaluationException {
        return variables(list(map(mutating.getFirst().get("spec")).get("variables")), given(request));
    }

    private static Map<String, Object> given(Request request) {
        String[] names = request.resource().split("/", 2);
        Map<String, Object> given = new HashMap<>();
        given.put("object", request.object());
        given.put("oldObject", request.oldObject() == null ? NullValue.NULL_VALUE : request.oldObject());
        given.put("namespaceObject", Map.of("metadata", Map.of("labels", request.namespaceLabels())));
        given.put(
                "request",
                Map.of(
                        "userInfo", request.userInfo(),
                        "operation", request.operation(),
                        "namespace", request.namespace(),
                        "subResource", names.length > 1 ? names[1] : "",
                        "resource", Map.of("group", "", "version", "v1", "resource", names[0])));
        return given;
    }

    private static boolean matches(Map<String, Object> spec, Request request) {
        for (Map<String, Object> rule : list(map(spec.get("matchConstraints")).get("resourceRules"))) {
            if (strings(rule.get("resources")).contains(request.resource())
                    && strings(rule.get("operations")).contains(request.operation())) {
                return true;
            }
        }
        return false;
    }

    private static boolean holdAll(List<Map<String, Object>> conditions, Map<String, Object> given)
            throws CelValidationException, CelEvaluationException {
        for (Map<String, Object> condition : conditions) {
            if (!truth(condition, given)) {
                return false;
            }
        }
        return true;
    }

    private static Map<String, Object> variables(List<Map<String, Object>> declared, Map<String, Object> given)
            throws CelValidationException, CelEvaluationException {
        Map<String, Object> variables = new HashMap<>();
        Map<String, Object> known = new HashMap<>(given);
        for (Map<String, Object> variable : declared) {
            known.put("variables", Map.copyOf(variables));
            variables.put(String.valueOf(variable.get("name")), value(variable, known));
        }
        return variables;
    }

    private static String message(Map<String, Object> validation, Map<String, Object> given)
            throws CelValidationException, CelEvaluationException {
        Object expression = validation.get("messageExpression");
        return String.valueOf(
                expression == null ? validation.get("message") : value(Map.of("expression", expression), given));
    }

    /** Of Kubernetes' library of quantities, which are text here. */
    private static long compareQuantities(String one, String other) {
        return new Quantity(one).getNumber().compareTo(new Quantity(other).getNumber());
    }

    private static boolean isInteger(String quantity) {
        BigDecimal number = new Quantity(quantity).getNumber();
        return number.stripTrailingZeros().scale() <= 0
                && number.abs().compareTo(BigDecimal.valueOf(Long.MAX_VALUE)) <= 0;
    }

    private static LongStream numbers(List<?> list) {
        return list.stream().mapToLong(each -> ((Number) each).longValue());
    }

    private static CelFunctionDecl member(String name, String overload, CelType result, CelType... parameters) {
        return CelFunctionDecl.newFunctionDeclaration(
                name, CelOverloadDecl.newMemberOverload(overload, result, List.of(parameters)));
    }

    private static boolean truth(Map<String, Object> holder, Map<String, Object> given)
            throws CelValidationException, CelEvaluationException {
        return (boolean) value(holder, given);
    }

    private static Object value(Map<String, Object> holder, Map<String, Object> given)
            throws CelValidationException, CelEvaluationException {
        String expression = String.valueOf(holder.get("expression"));
        return CEL.createProgram(CEL.compile(expression).getAst()).eval(given);
    }

    @SuppressWarnings("unchecked") // YAML's objects have names as keys
    public static Map<String, Object> map(@Nullable Object value) {
        return value == null ? Map.of() : (Map<String, Object>) value;
    }

    public static List<Map<String, Object>> list(@Nullable Object value) {
        return value == null
                ? List.of()
                : ((List<?>) value).stream().map(AdmissionPolicies::map).toList();
    }

    public static List<String> strings(@Nullable Object value) {
        return value == null
                ? List.of()
                : ((List<?>) value).stream().map(String::valueOf).toList();
    }
}
