package io.gpushare.simulated.kubelet.devices;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.gpushare.api.deviceplugin.v1beta1.ContainerAllocateResponse;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileTime;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The kubelet's checkpoint {@value #NAME} in the plugins' folder, in the form of Kubernetes 1.20 and newer
 * (pkg/kubelet/cm/devicemanager/checkpoint). Its checksum is not computed: only a kubelet verifies it.
 */
public final class CheckpointFile {
    public static final String NAME = "kubelet_internal_checkpoint";

    private static final ObjectMapper MAPPER = new ObjectMapper();

    /** One answered Allocate call. */
    public record Entry(
            String podUid, String container, String resource, Set<String> devices, ContainerAllocateResponse response) {
        public Entry {
            devices = Set.copyOf(devices);
        }
    }

    private final Path file;
    private final InstantSource clock;
    private int written;

    /** @param clock for the time of the file, which differs after each write */
    public CheckpointFile(Path plugins, InstantSource clock) {
        this.file = plugins.resolve(NAME);
        this.clock = clock;
    }

    /** Replaces the whole file in one step. */
    public void write(List<Entry> entries, Map<String, Set<String>> registered) throws IOException {
        ObjectNode document = MAPPER.createObjectNode();
        ObjectNode data = document.putObject("Data");
        ArrayNode list = data.putArray("PodDeviceEntries");
        for (Entry entry : entries) {
            ObjectNode into = list.addObject()
                    .put("PodUID", entry.podUid())
                    .put("ContainerName", entry.container())
                    .put("ResourceName", entry.resource());
            ArrayNode ids = into.putObject("DeviceIDs").putArray("-1");
            entry.devices().forEach(ids::add);
            into.put("AllocResp", entry.response().toByteArray());
        }
        ObjectNode devices = data.putObject("RegisteredDevices");
        registered.forEach((resource, ids) -> {
            ArrayNode healthy = devices.putArray(resource);
            ids.forEach(healthy::add);
        });
        document.put("Checksum", 0);
        Path next = file.resolveSibling("." + NAME);
        Files.write(next, MAPPER.writeValueAsBytes(document));
        Files.setLastModifiedTime(next, FileTime.from(clock.instant().plusNanos(written++)));
        Files.move(next, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    }
}
