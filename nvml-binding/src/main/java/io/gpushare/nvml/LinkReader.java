package io.gpushare.nvml;

import com.sun.jna.Pointer;
import com.sun.jna.ptr.IntByReference;
import io.gpushare.nvml.library.NvmlCalls;
import io.gpushare.nvml.library.NvmlException;
import io.gpushare.nvml.library.NvmlLibrary;
import io.gpushare.nvml.library.NvmlLibrary.nvmlPciInfo_t;
import java.util.Optional;
import java.util.OptionalInt;

/** Reads the link between two cards. */
final class LinkReader {
    private final NvmlCalls calls;

    LinkReader(NvmlCalls calls) {
        this.calls = calls;
    }

    LinkLevel link(Pointer one, Pointer other) throws NvmlException {
        OptionalInt level = calls.numberIfSupported(
                "nvmlDeviceGetTopologyCommonAncestor",
                (nvml, number) -> nvml.nvmlDeviceGetTopologyCommonAncestor(one, other, number));
        Optional<LinkLevel.Pcie> pcie = level.isPresent() ? LinkLevel.Pcie.of(level.getAsInt()) : Optional.empty();
        Ends ofOne = ends(one, new CardReader(calls, other).pciBusId());
        if (ofOne.toPeer > 0 || ofOne.toSwitch == 0) {
            return new LinkLevel(pcie, ofOne.toPeer);
        }
        Ends ofOther = ends(other, new CardReader(calls, one).pciBusId());
        return new LinkLevel(pcie, Math.min(ofOne.toSwitch, ofOther.toSwitch));
    }

    /**
     * The active links of one card: to the peer, and to an NVSwitch, which links it to all other cards on the switch.
     */
    private record Ends(int toPeer, int toSwitch) {}

    private Ends ends(Pointer device, Optional<String> peerBusId) throws NvmlException {
        int toPeer = 0;
        int toSwitch = 0;
        for (int link = 0; link < NvmlLibrary.NVML_NVLINK_MAX_LINKS; link++) {
            int number = link;
            var active = new IntByReference();
            if (!calls.succeeds(
                    "nvmlDeviceGetNvLinkState", nvml -> nvml.nvmlDeviceGetNvLinkState(device, number, active))) {
                break; // this card has neither this link nor any after it
            }
            if (active.getValue() != NvmlLibrary.NVML_FEATURE_ENABLED) {
                continue;
            }
            if (leadsTo(device, number, peerBusId)) {
                toPeer++;
            } else if (leadsToSwitch(device, number)) {
                toSwitch++;
            }
        }
        return new Ends(toPeer, toSwitch);
    }

    private boolean leadsTo(Pointer device, int link, Optional<String> peerBusId) throws NvmlException {
        var remote = new nvmlPciInfo_t();
        return calls.succeeds(
                        "nvmlDeviceGetNvLinkRemotePciInfo_v2",
                        nvml -> nvml.nvmlDeviceGetNvLinkRemotePciInfo_v2(device, link, remote))
                && peerBusId
                        .filter(NvmlCalls.text(remote.busId)::equalsIgnoreCase)
                        .isPresent();
    }

    private boolean leadsToSwitch(Pointer device, int link) throws NvmlException {
        var type = new IntByReference();
        return calls.succeeds(
                        "nvmlDeviceGetNvLinkRemoteDeviceType",
                        nvml -> nvml.nvmlDeviceGetNvLinkRemoteDeviceType(device, link, type))
                && type.getValue() == NvmlLibrary.NVML_NVLINK_DEVICE_TYPE_SWITCH;
    }
}
