package io.gpushare.e2e.cluster;

import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.function.UnaryOperator;

/** The path of the API that {@code kubectl get} reads with some arguments, for the resources that scenarios poll. */
final class GetPath {
    private static final String CORE = "/api/v1";

    /**
     * A resource.
     *
     * @param group the API group; empty for the core
     * @param version of the group; empty where that depends on the Kubernetes
     */
    private record Resource(String plural, String group, String version, boolean namespaced) {
        boolean named(String word) {
            return word.equals(plural) || (word + "s").equals(plural);
        }

        String prefix(UnaryOperator<String> preferredVersion) {
            return group.isEmpty()
                    ? CORE
                    : "/apis/" + group + "/" + (version.isEmpty() ? preferredVersion.apply(group) : version);
        }
    }

    private static final List<Resource> RESOURCES = List.of(
            new Resource("nodes", "", "v1", false),
            new Resource("pods", "", "v1", true),
            new Resource("events", "", "v1", true),
            new Resource("secrets", "", "v1", true),
            new Resource("services", "", "v1", true),
            new Resource("resourcequotas", "", "v1", true),
            new Resource("persistentvolumeclaims", "", "v1", true),
            new Resource("deployments", "apps", "v1", true),
            new Resource("jobs", "batch", "v1", true),
            new Resource("leases", "coordination.k8s.io", "v1", true),
            new Resource("resourceslices", "resource.k8s.io", "", false),
            new Resource("resourceclaims", "resource.k8s.io", "", true),
            new Resource("resourceclaimtemplates", "resource.k8s.io", "", true));

    private final List<String> words = new ArrayList<>();
    private final List<String> query = new ArrayList<>();
    private String namespace = "default";
    private boolean known = true;

    private GetPath(List<String> arguments) {
        Iterator<String> rest = arguments.iterator();
        while (rest.hasNext()) {
            String word = rest.next();
            switch (word) {
                case "-n" -> namespace = rest.next();
                case "-A" -> namespace = "";
                case "-l" -> query.add("labelSelector=" + URLEncoder.encode(rest.next(), StandardCharsets.UTF_8));
                case "--field-selector" ->
                    query.add("fieldSelector=" + URLEncoder.encode(rest.next(), StandardCharsets.UTF_8));
                default -> {
                    known &= !word.startsWith("-") && !word.contains("/");
                    words.add(word);
                }
            }
        }
    }

    /**
     * The path for these arguments of kubectl; empty if only kubectl knows it.
     *
     * @param preferredVersion the version of an API group that the API server prefers
     */
    static Optional<String> of(UnaryOperator<String> preferredVersion, String... arguments) {
        GetPath path = new GetPath(Arrays.asList(arguments));
        int size = path.words.size();
        return !path.known || size < 2 || size > 3 || !path.words.getFirst().equals("get")
                ? Optional.empty()
                : RESOURCES.stream()
                        .filter(resource -> resource.named(path.words.get(1)))
                        .findFirst()
                        .map(resource -> path.to(resource, resource.prefix(preferredVersion)));
    }

    private String to(Resource resource, String prefix) {
        boolean inNamespace = resource.namespaced && !namespace.isEmpty();
        return prefix + (inNamespace ? "/namespaces/" + namespace : "") + "/" + resource.plural
                + (words.size() > 2 ? "/" + words.get(2) : "")
                + (query.isEmpty() ? "" : "?" + String.join("&", query));
    }
}
