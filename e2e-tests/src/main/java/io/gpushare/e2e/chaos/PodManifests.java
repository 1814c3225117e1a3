package io.gpushare.e2e.chaos;

import io.gpushare.e2e.chaos.check.ClusterWatcher;
import io.gpushare.e2e.chaos.check.Processes;
import io.gpushare.e2e.chaos.check.pod.ContainerRequest;
import io.gpushare.e2e.cluster.SimulatedMps;
import java.util.Optional;

/**
 * The manifests of the planned pods.
 *
 * @param image an image with a shell
 * @param tenant what programs need that allocate memory; empty if the containers only exist
 * @param claims whether some pods request by claims
 */
record PodManifests(String image, Optional<SimulatedMps.Tenant> tenant, boolean claims) {
    /** The priority class of urgent pods. */
    static final String URGENT = "gpushare-chaos-urgent";

    private static final int MIB_PER_UNIT = 1024;
    /** The plugin allows each process 8 MiB above the limit. */
    private static final int MORE_MIB = 64;
    /** A program that has lost its memory tries again, after the container was within its limit for a while. */
    private static final String LOOP = "while :; do %s %s %d; sleep 4; done >/dev/null 2>&1 & ";

    boolean byClaims(PlannedPod order) {
        return order.way(claims) == ContainerRequest.Way.CLAIMS;
    }

    /** The pod's manifest in JSON. */
    String of(PlannedPod order, String label) {
        boolean completes = order.ending() == PlannedPod.Ending.COMPLETES;
        String sleep = String.valueOf(completes ? order.life().toMillis() / 1000.0 : 100_000);
        ContainerRequest.Way way = order.way(claims);
        StringBuilder containers = new StringBuilder();
        StringBuilder ofContainers = new StringBuilder();
        for (int i = 0; i < order.requests().size(); i++) {
            ContainerRequest request = order.requests().get(i);
            String name = "c" + i;
            containers.append(i == 0 ? "" : ",").append("""
                {"name":"%s","image":"%s","imagePullPolicy":"IfNotPresent","command":["sh","-c","%sexec sleep %s"],
                 "env":[{"name":"%s","valueFrom":{"fieldRef":{"fieldPath":"metadata.uid"}}},
                        {"name":"%s","value":"%s"},{"name":"%s","value":"%s"},{"name":"%s","value":"%s"}%s],
                 "volumeMounts":[%s],
                 "resources":%s}\
                """.formatted(
                            name,
                            image,
                            programs(order, request),
                            sleep,
                            Processes.UID,
                            Processes.POD,
                            order.name(),
                            Processes.CONTAINER,
                            name,
                            Processes.REQUEST,
                            request.text(),
                            tenant.map(parts -> "," + parts.environment()).orElse(""),
                            tenant.map(SimulatedMps.Tenant::mounts).orElse(""),
                            request.resources(way, name)));
            if (way == ContainerRequest.Way.CLAIMS) {
                ofContainers.append(i == 0 ? "" : ",").append("""
                    {"name":"%s","resourceClaimTemplateName":"%s"}\
                    """.formatted(name, request.template()));
            }
        }
        return """
            {"apiVersion":"v1","kind":"Pod",
             "metadata":{"name":"%s","namespace":"%s","labels":{"order":"%s"}},
             "spec":{%s"terminationGracePeriodSeconds":1,"restartPolicy":"%s","automountServiceAccountToken":false,
              "hostPID":%s,"containers":[%s],"resourceClaims":[%s],"volumes":[%s]}}\
            """.formatted(
                        order.name(),
                        ClusterWatcher.NAMESPACE,
                        label,
                        order.urgent() ? "\"priorityClassName\":\"" + URGENT + "\"," : "",
                        completes ? "Never" : "Always",
                        tenant.isPresent(),
                        containers,
                        ofContainers,
                        tenant.map(SimulatedMps.Tenant::volumes).orElse(""));
    }

    /** Shell commands that start the programs of a container of memory. */
    private String programs(PlannedPod order, ContainerRequest request) {
        if (tenant.isEmpty() || request.whole()) {
            return "";
        }
        int mib = request.amount() * MIB_PER_UNIT;
        String honest = LOOP.formatted("", SimulatedMps.Tenant.PROGRAM, mib);
        if (!order.greedy()) {
            return honest;
        }
        // By turns: two programs that are each within the limit, and one without the variable of its own limit.
        return order.number() % 2 == 0
                ? honest + honest
                : LOOP.formatted(
                        "env -u CUDA_MPS_PINNED_DEVICE_MEM_LIMIT", SimulatedMps.Tenant.PROGRAM, mib + MORE_MIB);
    }
}
