package io.gpushare.plugin.allocate.allocation;

import io.gpushare.api.deviceplugin.v1beta1.CDIDevice;
import io.gpushare.api.deviceplugin.v1beta1.ContainerAllocateResponse;
import io.gpushare.api.deviceplugin.v1beta1.DeviceSpec;
import io.gpushare.api.deviceplugin.v1beta1.Mount;
import io.gpushare.plugin.node.container.ContainerEdits;

/** What a container gets, as the response to Allocate. */
public final class AllocateResponse {
    private AllocateResponse() {}

    public static ContainerAllocateResponse of(ContainerEdits edits) {
        ContainerAllocateResponse.Builder response =
                ContainerAllocateResponse.newBuilder().putAllEnvs(edits.environment());
        edits.cdiDevices()
                .forEach(name -> response.addCdiDevices(CDIDevice.newBuilder().setName(name)));
        edits.deviceFiles()
                .forEach(file -> response.addDevices(DeviceSpec.newBuilder()
                        .setHostPath(file)
                        .setContainerPath(file)
                        .setPermissions("rw")));
        edits.mounts()
                .forEach(mount -> response.addMounts(Mount.newBuilder()
                        .setHostPath(mount.hostPath())
                        .setContainerPath(mount.containerPath())
                        .setReadOnly(mount.readOnly())));
        return response.build();
    }
}
