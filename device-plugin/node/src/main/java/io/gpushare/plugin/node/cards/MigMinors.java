package io.gpushare.plugin.node.cards;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The numbers of the device files of MIG instances, from the driver's {@code mig-minors}: lines such as {@code
 * gpu0/gi1/access 12} and {@code gpu0/gi1/ci0/access 13} for {@code /dev/nvidia-caps/nvidia-cap12} and 13. The driver
 * lists all instances that 32 cards can have, whether they exist or not: 4,322 lines, 109 KB.
 */
final class MigMinors {
    private static final Logger LOG = LoggerFactory.getLogger(MigMinors.class);
    private static final int MOST_BYTES = 1 << 20;

    private final Path file;
    private boolean failing;

    /** @param proc the node's proc file system */
    MigMinors(Path proc) {
        file = proc.resolve("driver/nvidia-caps/mig-minors");
    }

    /** The numbers by what they give access to, for example {@code gpu0/gi1/access}; none if they can't be read. */
    Map<String, Integer> read() {
        Map<String, Integer> caps = new HashMap<>();
        try (InputStream content = Files.newInputStream(file)) {
            byte[] bytes = content.readNBytes(MOST_BYTES + 1);
            if (bytes.length > MOST_BYTES) {
                throw new IOException(file + " has more than " + MOST_BYTES + " bytes");
            }
            new String(bytes, StandardCharsets.ISO_8859_1).lines().forEach(line -> {
                String[] words = line.strip().split("\\s+", 3);
                if (words.length == 2 && words[1].matches("[0-9]{1,9}")) {
                    caps.put(words[0], Integer.parseInt(words[1]));
                }
            });
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
