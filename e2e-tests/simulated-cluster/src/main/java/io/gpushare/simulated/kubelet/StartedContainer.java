package io.gpushare.simulated.kubelet;

import io.gpushare.api.deviceplugin.v1beta1.CDIDevice;
import io.gpushare.api.deviceplugin.v1beta1.ContainerAllocateResponse;
import io.gpushare.api.deviceplugin.v1beta1.DeviceSpec;
import io.gpushare.simulated.claims.CdiEdits;
import io.gpushare.simulated.client.PodDocument;
import io.gpushare.simulated.kubelet.devices.DeviceTable;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * The environment, mounts and devices that a container would have on a real node.
 *
 * @param environment the plugins' variables (the first response wins), overridden by those of the spec, and these by
 *     the CDI devices of claims
 * @param mounts the plugins' mounts: the path on the host by the path in the container
 * @param cdiDevices names that the container runtime would resolve
 * @param deviceNodes paths on the host
 * @param devices device IDs by resource, as in the kubelet's device table
 */
public record StartedContainer(
        Map<String, String> environment,
        Map<String, String> mounts,
        List<String> cdiDevices,
        List<String> deviceNodes,
        Map<String, Set<String>> devices) {

    public StartedContainer {
        environment = Map.copyOf(environment);
        mounts = Map.copyOf(mounts);
        cdiDevices = List.copyOf(cdiDevices);
        deviceNodes = List.copyOf(deviceNodes);
        devices = Map.copyOf(devices);
    }

    /** @param cdi where the files of {@code claimed}, the CDI devices of its claims, are */
    static StartedContainer of(
            Map<String, DeviceTable.Held> held, Map<String, String> own, List<String> claimed, Path cdi) {
        Map<String, String> environment = new LinkedHashMap<>();
        Map<String, String> mounts = new LinkedHashMap<>();
        List<String> cdiDevices = new ArrayList<>();
        List<String> deviceNodes = new ArrayList<>();
        Map<String, Set<String>> devices = new TreeMap<>();
        held.forEach((resource, holding) -> {
            ContainerAllocateResponse response = holding.response();
            response.getEnvsMap().forEach(environment::putIfAbsent);
            response.getMountsList().forEach(mount -> mounts.put(mount.getContainerPath(), mount.getHostPath()));
            response.getCdiDevicesList().stream().map(CDIDevice::getName).forEach(cdiDevices::add);
            response.getDevicesList().stream().map(DeviceSpec::getHostPath).forEach(deviceNodes::add);
            devices.put(resource, new TreeSet<>(holding.devices()));
        });
        environment.putAll(own);
        CdiEdits edits = CdiEdits.of(cdi, claimed);
        environment.putAll(edits.environment());
        mounts.putAll(edits.mounts());
        cdiDevices.addAll(claimed);
        return new StartedContainer(environment, mounts, cdiDevices, deviceNodes, devices);
    }

    /** The ID of a pod's container: 64 hexadecimal digits, as container runtimes assign. */
    public static String id(PodDocument pod, String container) {
        try {
            byte[] name = (pod.uid() + "/" + container).getBytes(StandardCharsets.UTF_8);
            return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(name));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("each Java has it", e);
        }
    }
}
