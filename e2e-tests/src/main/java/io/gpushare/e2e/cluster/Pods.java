package io.gpushare.e2e.cluster;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Predicate;

/** Creates, reads and awaits the pods of the tests' namespace. */
public final class Pods {
    private static final String NAMESPACE = "default";
    // The kubelet reports a change of allocatable within 10 s, and kube-scheduler waits up to 10 s between attempts.
    private static final Duration LIMIT = Duration.ofSeconds(60);

    // A busy kubelet terminates a few pods per second.
    private static final Duration ENDING = Duration.ofMinutes(4);

    private final Cluster cluster;

    public Pods(Cluster cluster) {
        this.cluster = cluster;
    }

    /** The manifest of a pod. Its containers, given as name to limits, print the card that they see. */
    public String manifest(String name, Map<String, String> containers) {
        return manifest(name, Map.of(), containers);
    }

    /** The manifest of a pod with these annotations. */
    public String manifest(String name, Map<String, String> annotations, Map<String, String> containers) {
        StringBuilder metadata = new StringBuilder();
        annotations.forEach((key, value) -> metadata.append(metadata.isEmpty() ? "" : ", ")
                .append(key)
                .append(": '")
                .append(value)
                .append('\''));
        StringBuilder yaml = new StringBuilder("""
            ---
            apiVersion: v1
            kind: Pod
            metadata: {name: %s, namespace: %s, annotations: {%s}}
            spec:
              terminationGracePeriodSeconds: 1
              containers:
            """.formatted(name, NAMESPACE, metadata));
        new TreeMap<>(containers)
                .forEach((container, limit) -> yaml.append("""
                      - name: %s
                        image: %s
                        imagePullPolicy: IfNotPresent
                        command: ["sh", "-c", "echo card: $NVIDIA_VISIBLE_DEVICES; exec sleep 100000"]
                        resources: {limits: {%s}}
                    """.formatted(container, cluster.workloadImage(), limit)));
        return yaml.toString();
    }

    public void createMemory(String name, int units) {
        cluster.kubectl().apply(manifest(name, Map.of("main", "aliyun.com/gpu-mem: " + units)));
    }

    public void createWhole(String name, int cards) {
        cluster.kubectl().apply(manifest(name, Map.of("main", "aliyun.com/gpu-count: " + cards)));
    }

    public JsonNode pod(String name) {
        return cluster.kubectl().json("-n", NAMESPACE, "get", "pod", name);
    }

    public JsonNode all() {
        return cluster.kubectl().json("-n", NAMESPACE, "get", "pods").get("items");
    }

    /** Waits until all containers of the pod are ready. */
    public JsonNode running(String name) {
        return until(name, "runs", Pods::ready);
    }

    public static boolean ready(JsonNode pod) {
        JsonNode statuses = pod.at("/status/containerStatuses");
        boolean ready = statuses.size() > 0;
        for (JsonNode status : statuses) {
            ready &= status.path("ready").booleanValue();
        }
        return ready;
    }

    /** Waits until kube-scheduler reports the pod as unschedulable with a message that contains the text. */
    public JsonNode refused(String name, String words) {
        return until(
                name, "waits with '" + words + "'", pod -> unschedulable(pod).contains(words));
    }

    /** kube-scheduler's message for an unschedulable pod; empty for others. */
    public static String unschedulable(JsonNode pod) {
        for (JsonNode condition : pod.at("/status/conditions")) {
            if (condition.path("type").asText().equals("PodScheduled")
                    && condition.path("status").asText().equals("False")) {
                return condition.path("message").asText();
            }
        }
        return "";
    }

    private JsonNode until(String name, String what, Predicate<JsonNode> holds) {
        return Await.until(LIMIT, "pod " + name + " " + what, () -> pod(name), holds);
    }

    /** The card UUIDs that the container sees, from its log. */
    public String sees(String pod, String container) {
        String printed = Await.until(
                LIMIT,
                pod + "/" + container + " prints its card",
                () -> cluster.kubectl().run("-n", NAMESPACE, "logs", pod, "-c", container),
                log -> log.startsWith("card: "));
        return printed.substring("card: ".length()).strip();
    }

    /** Creates a Deployment of one pod, which replaces a pod that the kubelet rejects. */
    public void deployMemory(String name, int units) {
        String template = manifest(name, Map.of("main", "aliyun.com/gpu-mem: " + units));
        String spec = template.substring(template.indexOf("spec:")).indent(4);
        cluster.kubectl().apply("""
            apiVersion: apps/v1
            kind: Deployment
            metadata: {name: %s, namespace: %s}
            spec:
              selector: {matchLabels: {app: %s}}
              template:
                metadata: {labels: {app: %s}}
            """.formatted(name, NAMESPACE, name, name) + spec);
    }

    /** Creates a Job of short pods, four at a time. It would count a rejected pod as failed, and end. */
    public void createJob(String name, int completions) {
        cluster.kubectl().apply("""
            apiVersion: batch/v1
            kind: Job
            metadata: {name: %s, namespace: %s}
            spec:
              completions: %d
              parallelism: 4
              backoffLimit: 0
              template:
                spec:
                  restartPolicy: Never
                  terminationGracePeriodSeconds: 1
                  containers:
                    - name: main
                      image: %s
                      imagePullPolicy: IfNotPresent
                      command: [sh, -c, 'sleep 1']
                      resources: {limits: {aliyun.com/gpu-mem: 2}}
            """.formatted(name, NAMESPACE, completions, cluster.workloadImage()));
    }

    /** Waits until a pod of that Deployment runs, and returns its name. */
    public String deployed(String name, Duration limit) {
        JsonNode running = Await.until(
                limit,
                "a pod of Deployment " + name + " runs",
                () -> cluster.kubectl()
                        .json("-n", NAMESPACE, "get", "pods", "-l", "app=" + name)
                        .get("items"),
                items -> items.valueStream().anyMatch(Pods::ready));
        return running.valueStream()
                .filter(Pods::ready)
                .findFirst()
                .orElseThrow()
                .at("/metadata/name")
                .textValue();
    }

    public void undeploy(String name) {
        cluster.kubectl().run("-n", NAMESPACE, "delete", "deployment", name, "--wait=true", "--cascade=foreground");
    }

    public void delete(String... names) {
        String[] arguments = new String[names.length + 5];
        System.arraycopy(new String[] {"-n", NAMESPACE, "delete", "pod", "--wait=true"}, 0, arguments, 0, 5);
        System.arraycopy(names, 0, arguments, 5, names.length);
        cluster.kubectl().run(arguments);
    }

    /**
     * Deletes all pods, Deployments and ReplicaSets and waits until no pod is left. A ReplicaSet can outlive its
     * Deployment and replace a deleted pod, so ReplicaSets are deleted as well. kubectl waits only for the pods that it
     * listed, so this method waits for later pods. Deletion in the foreground would ignore the short grace period.
     */
    public void deleteEverything() {
        cluster.kubectl()
                .run(
                        ENDING,
                        "-n",
                        NAMESPACE,
                        "delete",
                        "deployments,replicasets,pods",
                        "--all",
                        "--wait=true",
                        "--grace-period=1");
        Await.until(ENDING, "no pod is left", this::all, JsonNode::isEmpty);
    }
}
