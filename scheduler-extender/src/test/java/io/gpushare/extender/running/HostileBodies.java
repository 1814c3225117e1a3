package io.gpushare.extender.running;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.random.RandomGenerator;

/** Bodies that kube-scheduler never sends, most of them close to ones that it does. */
public final class HostileBodies {
    private static final String POD = """
        {"metadata":{"name":"p","namespace":"default","uid":"uid-p","annotations":{"a":"b"}},"spec":{"initContainers":[\
        {"name":"i","restartPolicy":"Always","resources":{"limits":{"aliyun.com/gpu-mem":"1"}}}],"containers":[{"name":\
        "main","image":"x","resources":{"limits":{"aliyun.com/gpu-mem":"3"},"requests":{"aliyun.com/gpu-mem":"3"}}}]}}\
        """;
    private static final String BY_NAME = "{\"Pod\":" + POD + ",\"Nodes\":null,\"NodeNames\":[\"n1\",\"n2\"]}";
    private static final String WHOLE = "{\"Pod\":" + POD
            + ",\"Nodes\":{\"metadata\":{},\"items\":[{\"metadata\":{\"name\":\"n1\"},\"status\":{}}]},\"NodeNames\":null}";
    private static final String BY_UID = "{\"Pod\":" + POD
            + ",\"NodeNameToMetaVictims\":{\"n1\":{\"Pods\":[{\"UID\":\"uid-q\"}],\"NumPDBViolations\":1}}}";
    private static final String BY_POD = "{\"Pod\":" + POD + ",\"NodeNameToVictims\":{\"n1\":{\"Pods\":[" + POD
            + "],\"NumPDBViolations\":0}},\"NodeNameToMetaVictims\":null}";
    private static final String BIND =
            "{\"PodName\":\"p\",\"PodNamespace\":\"default\",\"PodUID\":\"uid-p\",\"Node\":\"n1\"}";
    private static final List<String> VALUES = List.of(
            "null",
            "true",
            "-1",
            "1e999",
            "0.5",
            "9223372036854775808",
            "\"9223372036854775807\"",
            "\"-3\"",
            "\"1Ki\"",
            "\"3e9\"",
            "\"\"",
            "\"\\u0000\"",
            "\"\\ud800\"",
            "{}",
            "[]",
            "[null]",
            "[[[[]]]]",
            "{\"\":{}}",
            "{\"aliyun.com/gpu-mem\":\"1\",\"aliyun.com/gpu-count\":\"1\"}",
            "\"../../etc/passwd\"",
            "\"x\\r\\nHost: y\"");
    private static final List<String> METHODS = List.of("GET", "HEAD", "PUT", "DELETE", "OPTIONS", "TRACE", "NONSENSE");
    private static final List<String> ROOTS = List.of(
            "/",
            "/gpushare-scheduler/inspect/",
            "/healthz",
            "/readyz",
            "/readyz/replica",
            "/version",
            "/metrics",
            "/debug/pprof",
            "/bind");

    private final RandomGenerator random;

    public HostileBodies(RandomGenerator random) {
        this.random = random;
    }

    public String method() {
        return pick(METHODS);
    }

    public String path() {
        StringBuilder path = new StringBuilder(pick(ROOTS));
        for (int i = random.nextInt(40); i > 0; i--) {
            char c = (char) random.nextInt('!', '~');
            path.append(c == '#' ? '%' : c);
        }
        return path.toString();
    }

    public byte[] next(String verb) {
        String valid = switch (verb) {
            case "bind" -> BIND;
            case "preempt" -> random.nextBoolean() ? BY_UID : BY_POD;
            default -> random.nextBoolean() ? BY_NAME : WHOLE;
        };
        byte[] bytes = valid.getBytes(StandardCharsets.UTF_8);
        return switch (random.nextInt(10)) {
            case 0, 1 -> Arrays.copyOf(bytes, random.nextInt(bytes.length));
            case 2, 3 -> flipped(bytes);
            case 4, 5, 6 -> revalued(valid);
            case 7 -> noise(random.nextInt(2000));
            case 8 -> spliced(bytes);
            default -> monstrous(valid);
        };
    }

    private byte[] flipped(byte[] bytes) {
        for (int i = random.nextInt(1, 8); i > 0; i--) {
            bytes[random.nextInt(bytes.length)] = (byte) random.nextInt(256);
        }
        return bytes;
    }

    /** Replaces values or names in some places. */
    private byte[] revalued(String valid) {
        StringBuilder body = new StringBuilder(valid);
        for (int i = random.nextInt(1, 4); i > 0; i--) {
            int from = body.indexOf(random.nextInt(8) == 0 ? "," : ":", random.nextInt(body.length()));
            if (from >= 0) {
                int to = from + 1;
                while (to < body.length() && ",}]".indexOf(body.charAt(to)) < 0) {
                    to++;
                }
                body.replace(from + 1, random.nextInt(4) == 0 ? from + 1 : to, pick(VALUES));
            }
        }
        return body.toString().getBytes(StandardCharsets.UTF_8);
    }

    private byte[] noise(int length) {
        byte[] bytes = new byte[length];
        random.nextBytes(bytes);
        return bytes;
    }

    private byte[] spliced(byte[] bytes) {
        int cut = random.nextInt(bytes.length);
        int again = random.nextInt(bytes.length);
        byte[] result = Arrays.copyOf(bytes, cut + bytes.length - again);
        System.arraycopy(bytes, again, result, cut, bytes.length - again);
        return result;
    }

    /** Deep, long, or with many elements. */
    private byte[] monstrous(String valid) {
        int size = 1 << random.nextInt(4, random.nextInt(50) == 0 ? 20 : 12);
        String body = switch (random.nextInt(5)) {
            case 0 -> "[".repeat(size);
            case 1 -> "{\"Pod\":".repeat(size) + "1" + "}".repeat(size);
            case 2 -> valid.replaceFirst("\"(p|default)\"", "\"" + "é".repeat(size) + "\"");
            case 3 -> valid.replace("\"n1\"", "\"n1\",".repeat(Math.min(size, 1 << 15)) + "\"n1\"");
            default -> valid.replace("\"3\"", "1".repeat(size)).replace("\"uid-p\"", "1".repeat(size));
        };
        return body.getBytes(StandardCharsets.UTF_8);
    }

    private String pick(List<String> from) {
        return from.get(random.nextInt(from.size()));
    }
}
