package io.gpushare.plugin.allocate.kubelet;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonSetter;
import com.fasterxml.jackson.annotation.Nulls;
import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.gpushare.api.deviceplugin.v1beta1.CDIDevice;
import io.gpushare.api.deviceplugin.v1beta1.ContainerAllocateResponse;
import io.gpushare.api.deviceplugin.v1beta1.DeviceSpec;
import io.gpushare.model.card.CardId;
import io.gpushare.model.codec.AnnotationKeys;
import io.gpushare.model.request.ResourceNames;
import io.gpushare.plugin.allocate.snapshot.KubeletCheckpoint;
import io.gpushare.plugin.allocate.snapshot.KubeletCheckpoint.NamedCard;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Parses the checkpoint of the kubelet's device manager (pkg/kubelet/cm/devicemanager/checkpoint). It skips the devices
 * that are not allocated, and ignores unknown fields. The checksum is the kubelet's own matter.
 */
final class CheckpointParser {
    /** The device lists of the three resources have at most 4 MiB each, and the file contains them at most twice. */
    static final int LARGEST = 32 << 20;

    static final int MOST_ENTRIES = 10_000;

    // Go writes null for what is empty.
    private static final JsonMapper JSON = JsonMapper.builder(JsonFactory.builder()
                    .streamReadConstraints(StreamReadConstraints.builder()
                            .maxDocumentLength(LARGEST)
                            .build())
                    .build())
            .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
            .defaultSetterInfo(JsonSetter.Value.forValueNulls(Nulls.AS_EMPTY))
            .build();
    private static final String VISIBLE_DEVICES = "NVIDIA_VISIBLE_DEVICES";
    /** The index in a response of gpushare's plugin that gives no card; for the kubelet it is a success. */
    private static final String NO_CARD = "-1";

    private static final String CDI_KIND = "nvidia.com/gpu=";
    private static final Pattern UUID =
            Pattern.compile("GPU-[A-Za-z0-9-]{1,76}|MIG-[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}");
    private static final Pattern INDEX = Pattern.compile("[0-9]{1,4}");
    private static final Pattern DEVICE_FILE = Pattern.compile("/dev/nvidia([0-9]{1,4})");

    private record File(
            @JsonProperty("Data") @JsonSetter(nulls = Nulls.SET) @Nullable
            Data data) {}

    private record Data(
            @JsonProperty("PodDeviceEntries") List<Entry> entries,
            @JsonProperty("RegisteredDevices") Map<String, Set<String>> registered) {}

    private record Entry(
            @JsonProperty("PodUID") String podUid,
            @JsonProperty("ContainerName") String container,
            @JsonProperty("ResourceName") String resource,
            @JsonProperty("DeviceIDs") JsonNode devices,
            @JsonProperty("AllocResp") JsonNode response) {}

    private CheckpointParser() {}

    private static Data data(InputStream in) throws IOException {
        @Nullable File file = JSON.readValue(in, File.class);
        if (file == null || file.data() == null) {
            throw new IOException("it has no data");
        }
        return file.data();
    }

    /** The healthy devices of each resource; throws IOException if the checkpoint is malformed or too large. */
    static Map<String, Set<String>> registered(InputStream in) throws IOException {
        return data(in).registered();
    }

    /** Reads the checkpoint; throws IOException if it is malformed or too large. */
    static KubeletCheckpoint parse(InputStream in, ResourceNames names) throws IOException {
        List<Entry> recorded = data(in).entries();
        if (recorded.size() > MOST_ENTRIES) {
            throw new IOException("it has more than " + MOST_ENTRIES + " entries");
        }
        List<KubeletCheckpoint.Entry> entries = new ArrayList<>();
        Map<String, Set<String>> refused = new HashMap<>();
        Map<String, Set<String>> unnamed = new HashMap<>();
        for (Entry entry : recorded) {
            ContainerAllocateResponse response = ContainerAllocateResponse.parseFrom(
                    entry.response().isTextual() ? entry.response().binaryValue() : new byte[0]);
            boolean refusal =
                    response.getEnvsOrDefault(AnnotationKeys.LEGACY_INDEX, "").equals(NO_CARD);
            if (refusal) {
                refused.computeIfAbsent(entry.podUid(), _ -> new HashSet<>()).add(entry.container());
            }
            List<NamedCard> cards = cards(response);
            if (cards.isEmpty() && !refusal && names.counts(entry.resource())) {
                unnamed.computeIfAbsent(entry.podUid(), _ -> new HashSet<>()).add(entry.container());
            }
            if (!cards.isEmpty()) {
                Set<String> ids = ids(entry.devices()).stream()
                        .map(id -> names.deviceId(entry.resource(), id))
                        .collect(Collectors.toSet());
                entries.add(
                        new KubeletCheckpoint.Entry(entry.podUid(), entry.container(), entry.resource(), ids, cards));
            }
        }
        // The response about another resource of the same container may name its cards.
        entries.forEach(
                entry -> unnamed.getOrDefault(entry.podUid(), new HashSet<>()).remove(entry.container()));
        unnamed.values().removeIf(Set::isEmpty);
        return KubeletCheckpoint.of(entries, refused, unnamed.keySet());
    }

    /** By NUMA node since Kubernetes 1.20, a plain array before. */
    private static Set<String> ids(JsonNode devices) throws IOException {
        Set<String> ids = new HashSet<>();
        for (JsonNode each : devices) {
            if (each.isArray()) {
                ids.addAll(ids(each));
            } else if (each.isTextual()) {
                ids.add(each.textValue());
            } else if (!each.isNull()) {
                throw new IOException("'" + each + "' is not the ID of a device");
            }
        }
        return ids;
    }

    /** The cards that a response names; none if that is unknown, or if the response gives no card. */
    private static List<NamedCard> cards(ContainerAllocateResponse parsed) {
        String visible = parsed.getEnvsOrDefault(VISIBLE_DEVICES, "");
        if (!visible.isEmpty() && !visible.equals("void")) {
            return named(Stream.of(visible.split(",", -1)));
        }
        if (parsed.getCdiDevicesCount() > 0) {
            return named(parsed.getCdiDevicesList().stream()
                    .map(CDIDevice::getName)
                    .filter(name -> name.startsWith(CDI_KIND))
                    .map(name -> name.substring(CDI_KIND.length())));
        }
        return parsed.getDevicesList().stream()
                .map(DeviceSpec::getHostPath)
                .map(DEVICE_FILE::matcher)
                .filter(Matcher::matches)
                .<NamedCard>map(file -> new NamedCard.ByMinor(Integer.parseInt(file.group(1))))
                .toList();
    }

    private static List<NamedCard> named(Stream<String> names) {
        List<Optional<NamedCard>> cards = names.map(CheckpointParser::named).toList();
        return cards.contains(Optional.<NamedCard>empty())
                ? List.of()
                : cards.stream().flatMap(Optional::stream).toList();
    }

    private static Optional<NamedCard> named(String name) {
        if (UUID.matcher(name).matches()) {
            return Optional.of(new NamedCard.ByUuid(new CardId(name)));
        }
        return INDEX.matcher(name).matches()
                ? Optional.of(new NamedCard.ByIndex(Integer.parseInt(name)))
                : Optional.empty();
    }
}
