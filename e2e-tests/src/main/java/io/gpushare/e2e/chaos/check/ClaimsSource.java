package io.gpushare.e2e.chaos.check;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.gpushare.e2e.chaos.check.pod.ClaimView;
import io.gpushare.e2e.chaos.check.pod.HeldCards;
import io.gpushare.e2e.cluster.ApiServer;
import io.gpushare.e2e.cluster.LocalCluster;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * What the API server and the nodes have of claims.
 *
 * @param serving the nodes that serve claims before the first fault and after the last one; without any, nothing is
 *     read
 */
public record ClaimsSource(LocalCluster cluster, ApiServer api, ClusterCards cards, Set<String> serving) {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final String GROUP = "/apis/resource.k8s.io/v1/";
    private static final String CLAIMS = GROUP + "namespaces/" + ClusterWatcher.NAMESPACE + "/resourceclaims";
    private static final String FILES = "gpushare.io-claim_*";
    /** Without those that a driver is writing. */
    private static final String FINISHED = FILES + ".json";

    public ClaimsSource {
        serving = Set.copyOf(serving);
    }

    /** The claims in the API server; empty while it does not respond. */
    Optional<List<ClaimView>> claims() {
        if (serving.isEmpty()) {
            return Optional.of(List.of());
        }
        try {
            return Optional.of(list(CLAIMS).stream().map(ClaimView::of).toList());
        } catch (IOException e) {
            return Optional.empty();
        }
    }

    private List<JsonNode> list(String path) throws IOException {
        ApiServer.Response response = api.get(path);
        if (!response.succeeded()) {
            throw new IOException(path + ": " + response.code());
        }
        return response.body().path("items").valueStream().toList();
    }

    /** The cards of the claims that are prepared on these nodes, as their files record them. */
    List<HeldCards> prepared(List<String> nodes) {
        List<HeldCards> prepared = new ArrayList<>();
        if (!serving.isEmpty()) {
            for (Path file : files(nodes, FINISHED)) {
                prepared.addAll(held(file));
            }
        }
        return prepared;
    }

    private static List<HeldCards> held(Path file) {
        try {
            JsonNode annotations = JSON.readTree(Files.readString(file)).path("annotations");
            String[] claim = annotations.path("gpushare.io/claim").asText().split("/", -1);
            List<HeldCards> held = HeldCards.annotated(
                    claim[0],
                    claim[claim.length - 1],
                    annotations.path("gpushare.io/allocation").asText());
            if (held.isEmpty()) {
                throw new IllegalStateException(file + " names no cards: " + annotations);
            }
            return held;
        } catch (NoSuchFileException e) {
            return List.of(); // its claim has just ended
        } catch (IOException e) {
            throw new IllegalStateException(file + " can't be read", e);
        }
    }

    private List<Path> files(List<String> nodes, String pattern) {
        List<Path> files = new ArrayList<>();
        for (String node : nodes) {
            try (DirectoryStream<Path> found = Files.newDirectoryStream(cluster.cdiFolder(node), pattern)) {
                found.forEach(files::add);
            } catch (NoSuchFileException e) {
                // No program has run there.
            } catch (IOException e) {
                throw new IllegalStateException("the files of claims can't be listed", e);
            }
        }
        return files;
    }

    /** What is left of claims when no pod is there any more, and what slices do not offer. */
    List<String> left(List<String> nodes) throws IOException {
        List<String> left = new ArrayList<>();
        if (serving.isEmpty()) {
            return left;
        }
        list(CLAIMS).forEach(claim -> left.add("claim " + ClaimView.of(claim)));
        files(nodes, FILES).forEach(file -> left.add("file " + file));
        Set<String> missing = new HashSet<>(cards.nodes().keySet());
        missing.removeIf(card -> !serving.contains(cards.nodes().get(card)));
        for (JsonNode slice : list(GROUP + "resourceslices")) {
            for (JsonNode device : slice.at("/spec/devices")) {
                boolean tainted = device.has("taints");
                if (!missing.remove(ClaimView.card(device.path("name").asText())) || tainted) {
                    left.add("device " + device + " of "
                            + slice.at("/spec/nodeName").asText());
                }
            }
        }
        missing.forEach(card -> left.add(card + " is in no slice"));
        return left;
    }

    /** Whether that node serves claims, and offers no resources. */
    boolean serves(String node) {
        return serving.contains(node);
    }
}
