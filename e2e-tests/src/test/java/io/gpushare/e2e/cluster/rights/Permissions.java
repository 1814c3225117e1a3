package io.gpushare.e2e.cluster.rights;

import io.gpushare.e2e.cluster.admission.AdmissionPolicies;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.yaml.snakeyaml.Yaml;

/**
 * The permissions of the service accounts, one line per verb, such as {@code gpu-share-device-plugin: list pods}. Core
 * resources are without their group; a permission for a single object includes the object's name.
 */
final class Permissions {
    private Permissions() {}

    /** The permissions in the table of deploy/docs/operate/security.md. */
    static Set<String> documented(Path root) throws IOException {
        Set<String> all = new TreeSet<>();
        for (String line : Files.readAllLines(root.resolve("deploy/docs/operate/security.md"))) {
            if (line.startsWith("| `gpu-share-")) {
                List<String> cells = Stream.of(line.split("\\|"))
                        .map(cell -> cell.replace("`", "").strip())
                        .toList();
                for (String verb : cells.get(4).split(", ")) {
                    all.add(cells.get(1) + ": " + verb + " " + cells.get(3)
                            + (cells.get(2).equals("cluster") ? "" : " in " + cells.get(2)));
                }
            }
        }
        return all;
    }

    /** The permissions in the roles of deploy/manifests, each bound to the account of the same name. */
    static Set<String> granted(Path root) throws IOException {
        Set<String> all = new TreeSet<>();
        for (Map<String, Object> role : roles(root)) {
            Map<String, Object> metadata = AdmissionPolicies.map(role.get("metadata"));
            boolean everywhere = "ClusterRole".equals(role.get("kind"));
            rules(role, metadata.get("name") + ": ", everywhere ? "" : " in " + metadata.get("namespace"), all);
        }
        return all;
    }

    /** The roles in deploy/manifests. */
    static List<Map<String, Object>> roles(Path root) throws IOException {
        List<Map<String, Object>> roles = new ArrayList<>();
        try (DirectoryStream<Path> files = Files.newDirectoryStream(root.resolve("deploy/manifests"), "*.yaml")) {
            for (Path file : files) {
                for (Object document : new Yaml().loadAll(Files.readString(file))) {
                    Map<String, Object> object = AdmissionPolicies.map(document);
                    if (Set.of("ClusterRole", "Role").contains(String.valueOf(object.get("kind")))) {
                        roles.add(object);
                    }
                }
            }
        }
        return roles;
    }

    private static void rules(Map<String, Object> role, String account, String where, Set<String> into) {
        for (Map<String, Object> rule : AdmissionPolicies.list(role.get("rules"))) {
            for (String group : AdmissionPolicies.strings(rule.get("apiGroups"))) {
                for (String resource : AdmissionPolicies.strings(rule.get("resources"))) {
                    String full = (group.isEmpty() ? resource : resource + "." + group) + names(rule);
                    AdmissionPolicies.strings(rule.get("verbs"))
                            .forEach(verb -> into.add(account + verb + " " + full + where));
                }
            }
        }
    }

    private static String names(Map<String, Object> rule) {
        List<String> names = AdmissionPolicies.strings(rule.get("resourceNames"));
        return names.isEmpty() ? "" : " " + String.join(" ", names);
    }

    /** The permissions in the output of {@code kubectl auth can-i --list}, whose columns are padded with spaces. */
    static Set<String> parse(String account, String namespace, String printed) {
        Set<String> all = new TreeSet<>();
        printed.lines().skip(1).forEach(line -> {
            String[] resource = line.split(" +\\[", 2);
            if (!resource[0].isBlank()) { // other lines are paths such as /healthz
                String[] cells = resource[1].split("] +\\[");
                String name = cells[1].isBlank() ? "" : " " + cells[1];
                String verbs = cells[2].replace("]", "");
                Arrays.stream(verbs.strip().split(" "))
                        .forEach(verb -> all.add(account + ": " + verb + " " + resource[0] + name + namespace));
            }
        });
        return all;
    }
}
