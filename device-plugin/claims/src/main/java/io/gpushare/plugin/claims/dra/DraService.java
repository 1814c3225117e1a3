package io.gpushare.plugin.claims.dra;

import io.gpushare.api.dra.v1.Claim;
import io.gpushare.api.dra.v1.DRAPluginGrpc;
import io.gpushare.api.dra.v1.Device;
import io.gpushare.api.dra.v1.NodePrepareResourceResponse;
import io.gpushare.api.dra.v1.NodePrepareResourcesRequest;
import io.gpushare.api.dra.v1.NodePrepareResourcesResponse;
import io.gpushare.api.dra.v1.NodeUnprepareResourceResponse;
import io.gpushare.api.dra.v1.NodeUnprepareResourcesRequest;
import io.gpushare.api.dra.v1.NodeUnprepareResourcesResponse;
import io.gpushare.model.PodRef;
import io.gpushare.model.text.Printable;
import io.gpushare.plugin.claims.prepare.NodeClaims;
import io.gpushare.plugin.claims.prepare.Prepared;
import io.grpc.Context;
import io.grpc.stub.StreamObserver;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The kubelet's calls for claims. Each claim of a call has its own answer, and fails alone. */
final class DraService extends DRAPluginGrpc.DRAPluginImplBase {
    private static final Logger LOG = LoggerFactory.getLogger(DraService.class);
    private static final int LONGEST_REASON = 1024;

    private final NodeClaims claims;

    DraService(NodeClaims claims) {
        this.claims = claims;
    }

    @Override
    public void nodePrepareResources(
            NodePrepareResourcesRequest request, StreamObserver<NodePrepareResourcesResponse> kubelet) {
        NodePrepareResourcesResponse.Builder response = NodePrepareResourcesResponse.newBuilder();
        for (Claim claim : request.getClaimsList()) {
            response.putClaims(claim.getUid(), prepare(claim));
        }
        kubelet.onNext(response.build());
        kubelet.onCompleted();
    }

    private NodePrepareResourceResponse prepare(Claim claim) {
        NodePrepareResourceResponse.Builder response = NodePrepareResourceResponse.newBuilder();
        try {
            PodRef ref = new PodRef(claim.getUid(), claim.getNamespace(), claim.getName());
            switch (claims.prepare(ref, Context.current()::isCancelled)) {
                case Prepared.Ready(var devices) -> devices.forEach(device -> response.addDevices(message(device)));
                case Prepared.Refused(String reason) -> response.setError(Printable.line(reason, LONGEST_REASON));
            }
        } catch (RuntimeException e) {
            LOG.error("preparing claim {} failed", claim.getUid(), e);
            response.setError(failed(e));
        }
        return response.build();
    }

    private static Device message(Prepared.Device device) {
        Device.Builder message = Device.newBuilder()
                .addRequestNames(device.request())
                .setPoolName(device.pool())
                .setDeviceName(device.device())
                .addAllCdiDeviceIds(device.cdi());
        if (!device.shareId().isEmpty()) {
            message.setShareId(device.shareId());
        }
        return message.build();
    }

    @Override
    public void nodeUnprepareResources(
            NodeUnprepareResourcesRequest request, StreamObserver<NodeUnprepareResourcesResponse> kubelet) {
        NodeUnprepareResourcesResponse.Builder response = NodeUnprepareResourcesResponse.newBuilder();
        for (Claim claim : request.getClaimsList()) {
            response.putClaims(
                    claim.getUid(),
                    NodeUnprepareResourceResponse.newBuilder()
                            .setError(unprepare(claim))
                            .build());
        }
        kubelet.onNext(response.build());
        kubelet.onCompleted();
    }

    private String unprepare(Claim claim) {
        try {
            return Printable.line(claims.unprepare(claim.getUid()).orElse(""), LONGEST_REASON);
        } catch (RuntimeException e) {
            LOG.error("unpreparing claim {} failed", claim.getUid(), e);
            return failed(e);
        }
    }

    private static String failed(RuntimeException e) {
        return Printable.line("the GPU driver failed, see its log: " + e, LONGEST_REASON);
    }
}
