package io.gpushare.extender.server;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Locale;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The names by which pods of this cluster reach the Services of the extender's namespace, and all Services by the
 * cluster's domain. Nobody outside of the cluster can give these to an address.
 *
 * @param namespace of the extender
 * @param domains such as svc.cluster.local
 */
public record ServiceNames(String namespace, Set<String> domains) implements Predicate<String> {
    /**
     * Reads the domain.
     *
     * @param resolver the pod's configuration of DNS, to which the kubelet writes the cluster's domain
     */
    public static ServiceNames of(String namespace, Path resolver) {
        try (Stream<String> lines = Files.lines(resolver)) {
            return new ServiceNames(
                    namespace,
                    lines.map(line -> line.toLowerCase(Locale.ROOT).strip().split("\\s+"))
                            .filter(words -> words[0].equals("search"))
                            .flatMap(Arrays::stream)
                            .filter(word -> word.startsWith("svc."))
                            .collect(Collectors.toSet()));
        } catch (IOException _) {
            return new ServiceNames(namespace, Set.of());
        }
    }

    @Override
    public boolean test(String host) {
        int dot = host.indexOf('.');
        return dot > 0
                && (host.substring(dot + 1).equals(namespace)
                        || domains.stream().anyMatch(domain -> host.endsWith("." + domain)));
    }
}
