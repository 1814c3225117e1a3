package io.gpushare.plugin.claims.slices;

import io.gpushare.model.claims.PcieRoots;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.StreamSupport;

/**
 * Reads the roots in sysfs, where {@code bus/pci/devices/<address>} is a link to the device below its root. A container
 * sees the node's.
 *
 * @param directory where sysfs is mounted, {@code /sys}
 */
public record SysfsRoots(Path directory) implements PcieRoots {
    private static final Pattern ROOT = Pattern.compile("pci[0-9a-f]{4,8}:[0-9a-f]{2}");

    @Override
    public Optional<String> of(String pciAddress) {
        try {
            Path device =
                    Files.readSymbolicLink(directory.resolve("bus/pci/devices").resolve(pciAddress));
            return StreamSupport.stream(device.spliterator(), false)
                    .map(Path::toString)
                    .filter(name -> ROOT.matcher(name).matches())
                    .findFirst();
        } catch (IOException | UnsupportedOperationException e) {
            // A node without PCI, or one that hides it.
            return Optional.empty();
        }
    }
}
