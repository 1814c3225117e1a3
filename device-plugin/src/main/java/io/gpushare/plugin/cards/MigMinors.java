package io.gpushare.plugin.cards;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The numbers of the device files of MIG instances, from the driver's {@code mig-minors}: lines such as {@code
 * gpu0/gi1/access 12} and {@code gpu0/gi1/ci0/access 13} for {@code /dev/nvidia-caps/nvidia-cap12} and 13.
 */
final class MigMinors {
    private static final Logger LOG = LoggerFactory.getLogger(MigMinors.class);

    private final Path file;
    private boolean failing;

    /** @param proc the node's proc file system */
    MigMinors(Path proc) {
        file = proc.resolve("driver/nvidia-caps/mig-minors");
    }

    /** The files of that GPU instance and its compute instance; none if the driver lists them not both. */
    List<Integer> of(int minor, int gpuInstance, int computeInstance) {
        Map<String, Integer> caps = read();
        String instance = "gpu" + minor + "/gi" + gpuInstance;
        List<Integer> found = new ArrayList<>();
        for (String access : List.of(instance + "/access", instance + "/ci" + computeInstance + "/access")) {
            @Nullable Integer cap = caps.get(access);
            if (cap == null) {
                return List.of();
            }
            found.add(cap);
        }
        return found;
    }

    private Map<String, Integer> read() {
        Map<String, Integer> caps = new HashMap<>();
        try {
            for (String line : Files.readAllLines(file)) {
                String[] words = line.strip().split("\\s+");
                if (words.length == 2 && words[1].matches("[0-9]{1,9}")) {
                    caps.put(words[0], Integer.parseInt(words[1]));
                }
            }
            failing = false;
        } catch (IOException e) {
            if (!failing) {
                LOG.warn("the numbers of the device files of MIG instances can't be read: {}", e.toString());
            }
            failing = true;
        }
        return caps;
    }
}
