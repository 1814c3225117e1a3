package io.gpushare.plugin.node.container;

import io.gpushare.model.request.ContainerResources;
import io.gpushare.plugin.node.isolation.ContainerIsolation;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * What a container runtime adds to a container with cards.
 *
 * @param cdiDevices the names of the cards in NVIDIA's files of the Container Device Interface
 * @param deviceFiles the device files, which have the same path in the container
 */
public record ContainerEdits(
        Map<String, String> environment,
        List<String> cdiDevices,
        List<String> deviceFiles,
        List<ContainerIsolation.Mount> mounts) {
    public ContainerEdits {
        environment = Collections.unmodifiableMap(new LinkedHashMap<>(environment));
        cdiDevices = List.copyOf(cdiDevices);
        deviceFiles = List.copyOf(deviceFiles);
        mounts = List.copyOf(mounts);
    }

    /**
     * Whether a container can have these edits together with others of this kind: the cards are named, or have their
     * files, and nothing is said of a share. The variables of one share would replace those of another.
     */
    public boolean addsUp() {
        return mounts.isEmpty()
                && environment.equals(Map.of(ContainerSettings.VISIBLE_DEVICES, ContainerSettings.VOID));
    }

    /** The same for a container that sees cards and computes on none: NVIDIA's runtime gives it no library for that. */
    public ContainerEdits onlyWatching() {
        Map<String, String> more = new LinkedHashMap<>(environment);
        more.put("NVIDIA_DRIVER_CAPABILITIES", "utility");
        return new ContainerEdits(more, cdiDevices, deviceFiles, mounts);
    }

    /** The same without variables that the container sets itself; which cards it sees is not its choice. */
    public ContainerEdits without(Set<String> own) {
        Map<String, String> left = new LinkedHashMap<>(environment);
        left.keySet().removeIf(name -> own.contains(name) && !name.equals(ContainerSettings.VISIBLE_DEVICES));
        if (own.contains(ContainerResources.JAX_FRACTION)) {
            left.remove(FrameworkVariables.FORMER_JAX_FRACTION);
        }
        return new ContainerEdits(left, cdiDevices, deviceFiles, mounts);
    }
}
