package io.gpushare.plugin.kubelet;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.google.protobuf.InvalidProtocolBufferException;
import io.gpushare.api.deviceplugin.v1beta1.CDIDevice;
import io.gpushare.api.deviceplugin.v1beta1.ContainerAllocateResponse;
import io.gpushare.api.deviceplugin.v1beta1.DeviceSpec;
import io.gpushare.model.card.CardId;
import io.gpushare.plugin.snapshot.KubeletCheckpoint;
import io.gpushare.plugin.snapshot.KubeletCheckpoint.NamedCard;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Parses the checkpoint of the kubelet's device manager (pkg/kubelet/cm/devicemanager/checkpoint). It reads a stream, skips
 * the devices that are not allocated, and ignores unknown fields. The checksum is the kubelet's own matter.
 */
final class CheckpointParser {
    /** The device lists of the three resources have at most 4 MiB each, and the file contains them at most twice. */
    static final int LARGEST = 32 << 20;

    static final int MOST_ENTRIES = 10_000;

    private static final JsonFactory JSON = JsonFactory.builder()
            .streamReadConstraints(
                    StreamReadConstraints.builder().maxDocumentLength(LARGEST).build())
            .build();
    private static final String VISIBLE_DEVICES = "NVIDIA_VISIBLE_DEVICES";
    private static final String CDI_KIND = "nvidia.com/gpu=";
    private static final Pattern UUID = Pattern.compile("GPU-[A-Za-z0-9-]{1,76}");
    private static final Pattern INDEX = Pattern.compile("[0-9]{1,4}");
    private static final Pattern DEVICE_FILE = Pattern.compile("/dev/nvidia([0-9]{1,4})");

    @FunctionalInterface
    private interface Field {
        void read(String name) throws IOException;
    }

    @FunctionalInterface
    private interface Value {
        void read() throws IOException;
    }

    private final JsonParser json;
    private final List<KubeletCheckpoint.Entry> entries = new ArrayList<>();
    private int read;

    private CheckpointParser(JsonParser json) {
        this.json = json;
    }

    /** Reads the checkpoint; throws IOException if it is malformed or too large. */
    static KubeletCheckpoint parse(InputStream in) throws IOException {
        try (JsonParser json = JSON.createParser(in)) {
            CheckpointParser parser = new CheckpointParser(json);
            json.nextToken();
            parser.object(name -> parser.child(name.equals("Data"), () -> parser.object(parser::data)));
            return KubeletCheckpoint.of(parser.entries);
        }
    }

    private void data(String name) throws IOException {
        child(name.equals("PodDeviceEntries"), () -> {
            expect(JsonToken.START_ARRAY);
            while (json.nextToken() != JsonToken.END_ARRAY) {
                if (++read > MOST_ENTRIES) {
                    throw new IOException("it has more than " + MOST_ENTRIES + " entries");
                }
                entry();
            }
        });
    }

    private void entry() throws IOException {
        String[] texts = {"", "", ""};
        Set<String> ids = new HashSet<>();
        byte[][] response = {{}};
        object(name -> {
            switch (name) {
                case "PodUID" -> texts[0] = text();
                case "ContainerName" -> texts[1] = text();
                case "ResourceName" -> texts[2] = text();
                case "DeviceIDs" -> devices(ids);
                case "AllocResp" ->
                    response[0] = json.currentToken() == JsonToken.VALUE_NULL ? new byte[0] : json.getBinaryValue();
                default -> json.skipChildren();
            }
        });
        List<NamedCard> cards = cards(response[0]);
        if (!cards.isEmpty()) {
            entries.add(new KubeletCheckpoint.Entry(texts[0], texts[1], texts[2], ids, cards));
        }
    }

    /** By NUMA node since Kubernetes 1.20, a plain array before. */
    private void devices(Set<String> ids) throws IOException {
        if (json.currentToken() == JsonToken.START_OBJECT) {
            object(_ -> devices(ids));
        } else if (json.currentToken() != JsonToken.VALUE_NULL) {
            expect(JsonToken.START_ARRAY);
            while (json.nextToken() != JsonToken.END_ARRAY) {
                ids.add(text());
            }
        }
    }

    /** The cards that a response names; none if that is unknown, or if the response gives no card. */
    private static List<NamedCard> cards(byte[] response) throws InvalidProtocolBufferException {
        ContainerAllocateResponse parsed = ContainerAllocateResponse.parseFrom(response);
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

    /** Reads each field of the object at which the parser is. */
    private void object(Field field) throws IOException {
        expect(JsonToken.START_OBJECT);
        while (json.nextToken() != JsonToken.END_OBJECT) {
            expect(JsonToken.FIELD_NAME);
            String name = json.currentName();
            json.nextToken();
            field.read(name);
        }
    }

    /** Reads the present value if it is wanted; Go writes null for an empty list. */
    private void child(boolean wanted, Value value) throws IOException {
        if (wanted && json.currentToken() != JsonToken.VALUE_NULL) {
            value.read();
        } else {
            json.skipChildren();
        }
    }

    private String text() throws IOException {
        expect(JsonToken.VALUE_STRING);
        return json.getText();
    }

    private void expect(JsonToken token) throws IOException {
        if (json.currentToken() != token) {
            throw new IOException("at line " + json.currentLocation().getLineNr() + ", column "
                    + json.currentLocation().getColumnNr() + " is " + json.currentToken() + " instead of " + token);
        }
    }
}
