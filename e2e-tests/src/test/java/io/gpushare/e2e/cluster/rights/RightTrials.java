package io.gpushare.e2e.cluster.rights;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.gpushare.e2e.cluster.ApiServer;
import io.gpushare.e2e.cluster.Cluster;
import io.gpushare.e2e.cluster.Installation;
import java.io.IOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;

/**
 * The effect of each right of the service accounts: something that a program does with the right and that users see.
 */
final class RightTrials {
    static final String PODS = "/api/v1/namespaces/default/pods";
    static final String EVENTS = "/api/v1/namespaces/default/events";
    private static final String PLUGIN = OutsidePrograms.PLUGIN;
    private static final String EXTENDER = OutsidePrograms.EXTENDER;
    private static final String LEASE =
            "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/gpushare-schd-extender";
    private static final String NODE_LEASES =
            "/apis/coordination.k8s.io/v1/namespaces/" + Installation.LEASES + "/leases/";
    /** A node without a kubelet, which would overwrite its status. */
    static final String NODE = "node-without-kubelet";

    private static final String CARD = "GPU-00000000-0000-4000-8000-000000000001";
    static final String CARDS = "card kind=T4 uuid=" + CARD + " memory=15GiB";

    private final Cluster cluster;
    private final ApiServer api;
    private final OutsidePrograms programs;
    private int pods;

    RightTrials(Cluster cluster, ApiServer api, OutsidePrograms programs) {
        this.cluster = cluster;
        this.api = api;
        this.programs = programs;
    }

    /** Triggers the effect of a right and returns whether it occurred. It may be repeated. */
    Callable<Boolean> of(MinimalRightsIT.Right right) throws IOException {
        return switch (right.toString()) {
            case PLUGIN + ": patch nodes/status" -> newInventory();
            case PLUGIN + ": get nodes" -> newCordon();
            case PLUGIN + ": list pods", PLUGIN + ": watch pods", PLUGIN + ": patch pods/status" ->
                () -> written(aPodOnTheNode(""));
            case PLUGIN + ": create leases" -> aLeaseMadeAnew(NODE_LEASES + cluster.node());
            case PLUGIN + ": patch leases" -> this::renews;
            case PLUGIN + ": create events" -> () -> hasEvent(aPodOnTheNode(""));
            case EXTENDER + ": list nodes",
                    EXTENDER + ": watch nodes",
                    EXTENDER + ": list pods",
                    EXTENDER + ": watch pods" -> programs::extenderReady;
            case EXTENDER + ": get pods" -> this::looksUpAPod;
            case EXTENDER + ": create pods/binding" -> this::binds;
            case EXTENDER + ": patch pods/status" -> aWaitingPodThatFits();
            case EXTENDER + ": create events" -> () -> hasEvent(aPodOnTheNode("nonsense"));
            case EXTENDER + ": create leases", EXTENDER + ": get leases", EXTENDER + ": patch leases" ->
                aLeaseMadeAnew(LEASE);
            case EXTENDER + ": list leases" -> programs::extenderReadsLeases;
            default -> throw new AssertionError("nothing here needs the right " + right + ": is it needed at all?");
        };
    }

    static boolean call(Callable<Boolean> act) {
        try {
            return act.call();
        } catch (Exception e) {
            return false;
        }
    }

    static void cards(Cluster cluster, String lines) throws IOException {
        Files.writeString(
                cluster.sharedFolder().resolve("cards"), "driver node=" + cluster.node() + "\n" + lines + "\n");
    }

    private String inventory() throws IOException {
        return api.get("/api/v1/nodes/" + cluster.node())
                .body()
                .at("/metadata/annotations/gpushare.io~1inventory")
                .asText();
    }

    /** Adds or removes a card and checks the number of cards in the inventory. */
    private Callable<Boolean> newInventory() throws IOException {
        String another = CARD.replaceFirst("1$", "2");
        boolean had = inventory().contains(another);
        return () -> {
            cards(cluster, had ? CARDS : CARDS + "\n" + CARDS.replace(CARD, another));
            return inventory().contains(another) != had;
        };
    }

    /** Cordons or uncordons a card and checks the inventory. */
    private Callable<Boolean> newCordon() throws IOException {
        boolean had = inventory().contains("\"cordoned\":true");
        return () -> {
            cluster.kubectl()
                    .run(
                            "annotate",
                            "node",
                            cluster.node(),
                            "--overwrite",
                            "gpushare.io/cordon" + (had ? "-" : "=" + CARD));
            return inventory().contains("\"cordoned\":true") != had;
        };
    }

    boolean offered() throws IOException {
        JsonNode offered = api.get("/api/v1/nodes/" + cluster.node()).body().at("/status/allocatable");
        return offered.path("aliyun.com/gpu-mem").asInt() > 0;
    }

    /** Creates a pod for a scheduler that does not exist, and returns its name. */
    private String aPodOnTheNode(String allocation) throws IOException {
        return pod("\"nodeName\":\"" + cluster.node() + "\",", allocation);
    }

    private String pod(String node, String allocation) throws IOException {
        String name = "pod-" + ++pods;
        ApiServer.Response answer = api.send("POST", PODS, """
            {"apiVersion":"v1","kind":"Pod","metadata":{"name":"%s","annotations":{%s}},
             "spec":{%s"schedulerName":"none","terminationGracePeriodSeconds":0,"containers":[
              {"name":"main","image":"%s","imagePullPolicy":"IfNotPresent","command":["sleep","1000"],
               "resources":{"limits":{"aliyun.com/gpu-mem":"1"}}}]}}\
            """.formatted(
                        name,
                        allocation.isEmpty() ? "" : "\"gpushare.io/allocation\":\"" + allocation + "\"",
                        node,
                        cluster.workloadImage()));
        assertThat(answer.succeeded()).as(answer.body().toString()).isTrue();
        return name;
    }

    private boolean written(String pod) throws Exception {
        return within(() -> api.get(PODS + "/" + pod)
                .body()
                .at("/metadata/annotations/gpushare.io~1allocation")
                .asText()
                .contains(CARD.substring(0, 30)));
    }

    private boolean hasEvent(String pod) throws Exception {
        return within(() -> api.get(EVENTS + "?fieldSelector=involvedObject.name=" + pod)
                .body()
                .path("items")
                .valueStream()
                .anyMatch(event -> event.path("reason").asText().startsWith("GpuAllocation")));
    }

    private boolean within(Callable<Boolean> looks) throws Exception {
        for (int i = 0; i < 25; i++) {
            if (looks.call()) {
                return true;
            }
            Thread.sleep(200);
        }
        return false;
    }

    private boolean binds() throws Exception {
        String name = pod("", "");
        String uid = api.get(PODS + "/" + name).body().at("/metadata/uid").asText();
        programs.bind(name, uid);
        return !api.get(PODS + "/" + name).body().at("/spec/nodeName").asText().isEmpty();
    }

    /** Binds a pod that the informer does not have, so that the extender reads it from the API server. */
    private boolean looksUpAPod() throws Exception {
        return programs.bind("never-created", "no-uid").contains("not found");
    }

    /** Creates an unschedulable pod that fits, which the extender must requeue. */
    private Callable<Boolean> aWaitingPodThatFits() throws IOException {
        String inventory = "{\"version\":1,\"unitMiB\":1024,\"cards\":[{\"uuid\":\"GPU-free\",\"index\":0,\"minor\":0,"
                + "\"model\":\"T4\",\"memoryMiB\":15360}]}";
        // A node without a kubelet, which would reset its allocatable.
        api.send("POST", "/api/v1/nodes", """
            {"apiVersion":"v1","kind":"Node","metadata":{"name":"%s","annotations":{"gpushare.io/inventory":"%s"}},
             "status":{"capacity":{"aliyun.com/gpu-mem":"15"},"allocatable":{"aliyun.com/gpu-mem":"15"}}}\
            """.formatted(NODE, inventory.replace("\"", "\\\"")));
        return () -> {
            String pod = PODS + "/" + pod("", "");
            ObjectNode refused = (ObjectNode) api.get(pod).body();
            refused.withObject("/status")
                    .putArray("conditions")
                    .addObject()
                    .put("type", "PodScheduled")
                    .put("status", "False")
                    .put("reason", "Unschedulable");
            api.send("PUT", pod + "/status", refused.toString());
            return within(() -> !api.get(pod)
                    .body()
                    .at("/metadata/annotations/gpushare.io~1room-seen")
                    .asText()
                    .isEmpty());
        };
    }

    /** Deletes the Lease and checks that it comes back with a holder. */
    private Callable<Boolean> aLeaseMadeAnew(String lease) throws IOException {
        List<Boolean> deleted = new ArrayList<>();
        return () -> {
            if (deleted.isEmpty()) {
                deleted.add(api.send("DELETE", lease, "").succeeded());
            }
            return !api.get(lease).body().at("/spec/holderIdentity").asText().isEmpty();
        };
    }

    /** Waits for a renewal of the node's Lease. */
    private boolean renews() throws Exception {
        String before = renewTime();
        return within(() -> !renewTime().equals(before));
    }

    private String renewTime() throws IOException {
        return api.get(NODE_LEASES + cluster.node())
                .body()
                .at("/spec/renewTime")
                .asText();
    }
}
