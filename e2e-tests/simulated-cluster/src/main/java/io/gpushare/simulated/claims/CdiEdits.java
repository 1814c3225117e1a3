package io.gpushare.simulated.claims;

import static io.gpushare.simulated.claims.PodClaims.text;

import com.fasterxml.jackson.databind.JsonNode;
import io.gpushare.simulated.client.ApiClient;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What a container runtime adds for CDI devices: the variables, which win over those of the container, and the mounts.
 *
 * @param mounts the path on the host by the path in the container
 */
public record CdiEdits(Map<String, String> environment, Map<String, String> mounts) {
    /** Those of these devices in the files of that directory. Names of other directories add nothing. */
    public static CdiEdits of(Path directory, List<String> devices) {
        CdiEdits edits = new CdiEdits(new LinkedHashMap<>(), new LinkedHashMap<>());
        if (devices.isEmpty() || !Files.isDirectory(directory)) {
            return edits;
        }
        try (DirectoryStream<Path> files = Files.newDirectoryStream(directory, "*.json")) {
            for (Path file : files) {
                JsonNode document = ApiClient.document(Files.readString(file));
                for (JsonNode device : document.path("devices")) {
                    if (devices.contains(text(document, "kind") + "=" + text(device, "name"))) {
                        edits.add(device.path("containerEdits"));
                    }
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException("the files of CDI in " + directory + " can't be read", e);
        }
        return edits;
    }

    private void add(JsonNode device) {
        device.path("env").forEach(variable -> {
            String[] parts = variable.asText().split("=", 2);
            environment.put(parts[0], parts[1]);
        });
        device.path("mounts").forEach(mount -> mounts.put(text(mount, "containerPath"), text(mount, "hostPath")));
    }
}
