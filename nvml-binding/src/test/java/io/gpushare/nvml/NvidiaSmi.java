package io.gpushare.nvml;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import javax.xml.parsers.DocumentBuilderFactory;
import org.w3c.dom.Document;
import org.w3c.dom.Element;

/** Runs nvidia-smi, the tool in NVIDIA's driver. */
final class NvidiaSmi {
    private NvidiaSmi() {}

    /** One map of field values per card; a field without a value is missing. */
    static List<Map<String, String>> cards(String... fields) {
        return query("--query-gpu=", fields);
    }

    static List<Map<String, String>> processes(String... fields) {
        return query("--query-compute-apps=", fields);
    }

    private static List<Map<String, String>> query(String what, String... fields) {
        String answer = run(what + String.join(",", fields), "--format=csv,noheader,nounits");
        return answer.lines()
                .filter(line -> !line.isBlank())
                .map(line -> row(fields, Arrays.asList(line.split(",", -1))))
                .toList();
    }

    private static Map<String, String> row(String[] fields, List<String> values) {
        if (values.size() != fields.length) {
            throw new AssertionError("nvidia-smi returned " + values + " for " + Arrays.toString(fields));
        }
        Map<String, String> row = new HashMap<>();
        for (int i = 0; i < fields.length; i++) {
            String value = values.get(i).strip();
            if (!value.startsWith("[") && !value.equals("N/A")) {
                row.put(fields[i], value);
            }
        }
        return row;
    }

    /** The whole report, with values that the queries lack, such as minor numbers. */
    static Element report() throws Exception {
        var factory = DocumentBuilderFactory.newInstance();
        factory.setFeature("http://apache.org/xml/features/nonvalidating/load-external-dtd", false);
        Document document = factory.newDocumentBuilder()
                .parse(new ByteArrayInputStream(run("-q", "-x").getBytes(StandardCharsets.UTF_8)));
        return document.getDocumentElement();
    }

    static Optional<String> text(Element parent, String name) {
        return Optional.ofNullable(parent.getElementsByTagName(name).item(0))
                .map(node -> node.getTextContent().strip());
    }

    private static String run(String... arguments) {
        List<String> command = new ArrayList<>(List.of("nvidia-smi"));
        command.addAll(List.of(arguments));
        try {
            Process process =
                    new ProcessBuilder(command).redirectErrorStream(true).start();
            String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            int status = process.waitFor();
            if (status != 0) {
                throw new AssertionError(String.join(" ", command) + " ended with " + status + ": " + output);
            }
            return output;
        } catch (IOException e) {
            throw new AssertionError(
                    "-Preal-nvml compares with nvidia-smi, which can't be started: run it on a machine with an NVIDIA"
                            + " card and its driver, with nvidia-smi on the PATH",
                    e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError("interrupted", e);
        }
    }
}
