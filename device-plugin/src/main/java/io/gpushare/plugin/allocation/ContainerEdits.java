package io.gpushare.plugin.allocation;

import io.gpushare.api.deviceplugin.v1beta1.CDIDevice;
import io.gpushare.api.deviceplugin.v1beta1.ContainerAllocateResponse;
import io.gpushare.api.deviceplugin.v1beta1.DeviceSpec;
import io.gpushare.api.deviceplugin.v1beta1.Mount;
import io.gpushare.model.request.ContainerResources;
import io.gpushare.plugin.isolation.ContainerIsolation;
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

    /** The same without variables that the container sets itself; which cards it sees is not its choice. */
    public ContainerEdits without(Set<String> own) {
        Map<String, String> left = new LinkedHashMap<>(environment);
        left.keySet().removeIf(name -> own.contains(name) && !name.equals(ContainerSettings.VISIBLE_DEVICES));
        if (own.contains(ContainerResources.JAX_FRACTION)) {
            left.remove(FrameworkVariables.FORMER_JAX_FRACTION);
        }
        return new ContainerEdits(left, cdiDevices, deviceFiles, mounts);
    }

    /** As the response to Allocate. */
    public ContainerAllocateResponse response() {
        ContainerAllocateResponse.Builder response =
                ContainerAllocateResponse.newBuilder().putAllEnvs(environment);
        cdiDevices.forEach(name -> response.addCdiDevices(CDIDevice.newBuilder().setName(name)));
        deviceFiles.forEach(file -> response.addDevices(
                DeviceSpec.newBuilder().setHostPath(file).setContainerPath(file).setPermissions("rw")));
        mounts.forEach(mount -> response.addMounts(Mount.newBuilder()
                .setHostPath(mount.hostPath())
                .setContainerPath(mount.containerPath())
                .setReadOnly(mount.readOnly())));
        return response.build();
    }
}
