package io.gpushare.plugin.claims.prepare;

import com.fasterxml.jackson.databind.JsonNode;
import io.gpushare.kubernetes.wire.Json;
import io.gpushare.model.Allocation;
import io.gpushare.model.PodRef;
import io.gpushare.model.claims.ResourceClaim;
import io.gpushare.model.codec.AllocationCodec;
import io.gpushare.plugin.node.container.ContainerEdits;
import io.gpushare.plugin.node.isolation.ContainerIsolation;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The file of one claim: a device for each of its requests, with what a container that uses the request gets. Its
 * annotations record what the claim has; pods have the same annotation where the extender places them.
 */
final class CdiDocument {
    static final String KIND = "gpushare.io/claim";

    /** A directory of its own: a volume at a directory that images have may be read-only. */
    static final String MOUNT_POINTS = "/.gpushare/";

    /** The first version with annotations. */
    private static final String VERSION = "0.6.0";

    private static final String CLAIM = "gpushare.io/claim";
    /** The pod for which it was prepared. */
    private static final String POD = "gpushare.io/pod";

    /** What a file records. */
    record Recorded(ResourceClaim claim, Allocation allocation) {}

    private CdiDocument() {}

    /**
     * The document.
     *
     * @param file where it is written; a container that got its edits has it mounted, which its mount points tell
     * @param edits of the containers, by request
     */
    static Map<String, Object> of(
            Path file, ResourceClaim claim, Allocation allocation, Map<String, ContainerEdits> edits) {
        return of(file, claim, AllocationCodec.annotationsOfAssigned(allocation), edits);
    }

    /** The same of a claim that has nothing of its cards. */
    static Map<String, Object> watching(Path file, ResourceClaim claim, Map<String, ContainerEdits> edits) {
        return of(file, claim, Map.of(), edits);
    }

    private static Map<String, Object> of(
            Path file, ResourceClaim claim, Map<String, String> has, Map<String, ContainerEdits> edits) {
        Map<String, String> annotations = new LinkedHashMap<>(has);
        annotations.put(CLAIM, claim.uid() + "/" + claim);
        claim.pods().stream().findFirst().ifPresent(pod -> annotations.put(POD, pod.uid() + "/" + pod));
        List<Map<String, Object>> devices = new ArrayList<>();
        edits.forEach((request, edit) -> {
            List<ContainerIsolation.Mount> mounts = new ArrayList<>(edit.mounts());
            mounts.add(new ContainerIsolation.Mount(file.toString(), mountPoint(claim.uid(), request), true));
            devices.add(Map.of("name", device(claim, request), "containerEdits", containerEdits(edit, mounts)));
        });
        return Map.of("cdiVersion", VERSION, "kind", KIND, "annotations", annotations, "devices", devices);
    }

    /** The qualified name of the device of that request. */
    static String name(ResourceClaim claim, String request) {
        return KIND + "=" + device(claim, request);
    }

    /** The name of a request has a slash where it is one of several alternatives. */
    private static String device(ResourceClaim claim, String request) {
        return claim.uid() + "_" + request.replace('/', '.');
    }

    /** Where a container has the file of the claim with that uid, once the runtime has applied that request of it. */
    static String mountPoint(String uid, String request) {
        return MOUNT_POINTS + uid + "_" + request.replace('/', '.');
    }

    private static Map<String, Object> containerEdits(ContainerEdits edits, List<ContainerIsolation.Mount> mounts) {
        Map<String, Object> document = new LinkedHashMap<>();
        document.put(
                "env",
                edits.environment().entrySet().stream()
                        .map(variable -> variable.getKey() + "=" + variable.getValue())
                        .toList());
        if (!edits.deviceFiles().isEmpty()) {
            document.put(
                    "deviceNodes",
                    edits.deviceFiles().stream()
                            .map(file -> Map.of("path", file, "hostPath", file, "permissions", "rw"))
                            .toList());
        }
        document.put("mounts", mounts.stream().map(CdiDocument::mount).toList());
        return document;
    }

    private static Map<String, Object> mount(ContainerIsolation.Mount mount) {
        return Map.of(
                "hostPath",
                mount.hostPath(),
                "containerPath",
                mount.containerPath(),
                "options",
                List.of("rbind", "rprivate", mount.readOnly() ? "ro" : "rw"));
    }

    /** What that file records; empty if it is not complete. */
    static Optional<Recorded> recorded(JsonNode document) {
        Map<String, String> annotations = Json.texts(document, "annotations");
        String[] claim = annotations.getOrDefault(CLAIM, "").split("/", -1);
        if (claim.length != 3) {
            return Optional.empty();
        }
        String[] pod = annotations.getOrDefault(POD, "").split("/", -1);
        List<PodRef> pods = pod.length == 3 ? List.of(new PodRef(pod[0], pod[1], pod[2])) : List.of();
        return AllocationCodec.decode(annotations)
                .valid()
                .map(allocation -> new Recorded(
                        new ResourceClaim(claim[0], claim[1], claim[2], pods, List.of(), List.of()), allocation));
    }
}
