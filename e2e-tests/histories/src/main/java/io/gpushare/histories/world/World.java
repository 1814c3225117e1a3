package io.gpushare.histories.world;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.gpushare.histories.machine.SimulatedMachine;
import io.gpushare.histories.machine.Turns;
import io.gpushare.model.card.Card;
import io.gpushare.model.card.Inventory;
import io.gpushare.model.card.Memory;
import io.gpushare.model.card.MemoryUnit;
import io.gpushare.model.codec.AnnotationKeys;
import io.gpushare.simulated.apiserver.store.ApiResource;
import io.gpushare.simulated.claims.ClaimController;
import io.gpushare.simulated.client.ApiClient;
import io.gpushare.simulated.client.PodDocument;
import io.gpushare.simulated.kubelet.devices.KubeletVersion;
import io.gpushare.simulated.scheduler.ExtenderConfig;
import io.gpushare.simulated.scheduler.SimulatedScheduler;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A cluster: its API servers, kube-scheduler, two extenders, and nodes with cards. */
public final class World {
    private static final Logger LOG = LoggerFactory.getLogger(World.class);
    /** The resources that pods request. */
    public static final String MEMORY = "aliyun.com/gpu-mem";

    public static final String CARDS = "aliyun.com/gpu-count";
    /** More than any card has units, and any node cards. */
    private static final int MOST_ASKED = 17;

    private static final String CLASS = "gpushare";
    /** What a pod asks for is in an annotation of it too, for the judge. */
    private static final String ASKS = "histories/";

    private static final String SKIPS = "histories/skips-kube-scheduler";

    private static final Duration CALL = Duration.ofSeconds(5);
    private static final Duration RESTART = Duration.ofSeconds(2);
    private static final Duration GRACE = Duration.ofSeconds(30);

    private final Turns turns;
    private final Network network;
    private final LocalApi api;
    private final CardUse use = new CardUse();
    private final WrittenCards written;
    /** The pods, by UID, that were deleted by force, and how long their processes compute on. */
    private final Map<String, Duration> outliving = new TreeMap<>();
    /** The pods, by name, whose annotations somebody is to edit, and whether they get those of another pod. */
    private final Map<String, Boolean> editing = new TreeMap<>();
    /** The pods, by UID, whose annotations somebody edited. */
    private final Set<String> edited = new TreeSet<>();
    /** The nodes whose plugins end at the next Binding, and for how long their kubelets pause then. */
    private final Map<String, Duration> ending = new TreeMap<>();

    private final Map<String, ExtenderProcess> extenders = new TreeMap<>();
    private final List<String> story = new ArrayList<>();
    private final List<GpuNode> nodes = new ArrayList<>();
    private final Path directory;
    /** The nodes on which somebody did what kube-scheduler can't know. */
    private final Set<String> disturbed = new TreeSet<>();

    private SimulatedMachine scheduler;
    private int started;

    /**
     * A cluster without nodes, whose programs have not run yet.
     *
     * @param directory for the files of kubelets; a short path
     */
    public World(Turns turns, Path directory) {
        this.turns = turns;
        this.directory = directory;
        network = new Network(turns);
        api = new LocalApi(turns, network);
        written = new WrittenCards(use);
        api.onBinding(this::bound);
        api.objects().put(deviceClass());
        SimulatedMachine controller = turns.machine("claim-controller");
        controller.start("main", () -> ClaimController.start(new ApiClient(api.wire(controller))));
        scheduler = startScheduler();
        for (String pod : List.of("extender-a", "extender-b")) {
            api.objects().put(extenderPod(pod));
            startExtender(pod);
        }
    }

    public Network network() {
        return network;
    }

    public LocalApi api() {
        return api;
    }

    public CardUse use() {
        return use;
    }

    WrittenCards written() {
        return written;
    }

    void after(Duration time, Runnable work) {
        turns.after(time, work);
    }

    /** What happened, each with its time. */
    public List<String> story() {
        return story;
    }

    /** Notes what happens now. */
    public void tell(String what) {
        story.add(turns.time().toMillis() + " ms  " + what);
    }

    /** The machine of the extender in that pod. */
    public SimulatedMachine machine(String pod) {
        ExtenderProcess process = extenders.get(pod);
        if (process == null) {
            throw new IllegalArgumentException("no extender in " + pod);
        }
        return process.machine();
    }

    /** The nodes with cards. */
    public List<GpuNode> nodes() {
        return nodes;
    }

    /** What the extenders still count of pods that are gone, and who still has a card, when nobody may. */
    public List<String> leftOver() {
        Set<String> present = pods().stream()
                .filter(pod -> !pod.ended())
                .map(PodDocument::title)
                .collect(Collectors.toSet());
        List<String> left = new ArrayList<>();
        extenders.forEach((extender, process) -> nodes.forEach(node -> process.counted(node.name()).stream()
                .filter(holder -> !present.contains(holder))
                .forEach(holder -> left.add(extender + " still counts " + holder + " on " + node.name()))));
        use.users().forEach(user -> left.add("pod " + user + " still has a card"));
        return left;
    }

    /**
     * What {@code why} says of pods that nobody has created, and is not so: on which nodes they would fit. A node
     * counts where all pods have ended: one whose claim is allocated holds a card also where its node has moved, and it
     * waits.
     */
    public List<String> untrue() {
        List<String> untrue = new ArrayList<>();
        Set<String> used = pods().stream()
                .filter(pod -> !pod.ended())
                .map(PodDocument::node)
                .collect(Collectors.toSet());
        for (int amount = 1; amount <= MOST_ASKED; amount++) {
            for (String resource : List.of(MEMORY, CARDS)) {
                int asked = amount;
                Set<String> fits = nodes.stream()
                        .filter(node -> !node.byClaims() && offers(node, resource, asked))
                        .map(GpuNode::name)
                        .collect(Collectors.toCollection(TreeSet::new));
                fits.removeAll(used);
                extenders.forEach((extender, process) -> process.fits(resource, asked)
                        .map(said -> said.stream()
                                .filter(node -> !used.contains(node))
                                .collect(Collectors.toSet()))
                        .filter(said -> !said.equals(fits))
                        .ifPresent(said -> untrue.add(extender + " says that " + asked + " of " + resource + " fit on "
                                + said + ", and they fit on " + fits)));
            }
        }
        return untrue;
    }

    private boolean offers(GpuNode node, String resource, int amount) {
        return resource.equals(CARDS)
                ? amount <= node.cards().size()
                : node.cards().stream()
                        .anyMatch(card -> amount <= use.capacity(card.id().uuid()));
    }

    private static ObjectNode extenderPod(String name) {
        ObjectNode pod = ApiClient.document().put("kind", "Pod");
        pod.putObject("metadata")
                .put("name", name)
                .put("namespace", ExtenderProcess.NAMESPACE)
                .put("uid", name)
                .put("creationTimestamp", "2030-01-01T00:00:00Z");
        pod.putObject("spec")
                .put("nodeName", "control")
                .putArray("containers")
                .addObject()
                .put("name", "extender");
        pod.putObject("status").put("phase", "Running");
        return pod;
    }

    private ExtenderProcess startExtender(String pod) {
        SimulatedMachine machine = turns.machine(pod + "-" + started++);
        ExtenderProcess process = new ExtenderProcess(machine, pod, api);
        machine.onFailure((thread, failure) -> {
            failed(thread, failure);
            kill(pod);
        });
        extenders.put(pod, process);
        process.start();
        return process;
    }

    /** Kills the extender in that pod; its kubelet starts it again. */
    public void kill(String pod) {
        SimulatedMachine machine = machine(pod);
        if (!machine.dead()) {
            machine.kill();
            turns.after(RESTART, () -> startExtender(pod));
        }
    }

    /** Ends the extender in that pod as SIGTERM does; its kubelet starts it again. */
    public void terminate(String pod) {
        ExtenderProcess process = extenders.get(pod);
        if (process != null && !process.machine().dead()) {
            process.terminate();
            turns.after(GRACE, () -> {
                if (process == extenders.get(pod)) {
                    process.machine().kill();
                    startExtender(pod);
                }
            });
        }
    }

    /** Ends the extender that leads, if one does. */
    public void terminateLeader() {
        Optional.ofNullable(ExtenderProcess.leader(api)).ifPresent(this::terminate);
    }

    /** Lets nothing of the extender that leads run for that time, from so long after it is next asked to bind a pod. */
    public void pauseLeaderAtBinding(Duration after, Duration time) {
        Optional.ofNullable(ExtenderProcess.leader(api))
                .map(extenders::get)
                .ifPresent(process -> process.atBinding(
                        () -> turns.after(after, () -> process.machine().pauseFor(time))));
    }

    /** Lets nothing of the extender that leads run for that time, from so long after it next renews its Lease. */
    public void pauseLeaderAtRenewal(Duration after, Duration time) {
        Optional.ofNullable(ExtenderProcess.leader(api))
                .map(this::machine)
                .ifPresent(leader -> api.atLease(leader, () -> turns.after(after, () -> leader.pauseFor(time))));
    }

    /** Watches tell the extenders nothing for that time; with {@code next} only those that do not lead. */
    public void holdWatches(boolean next, Duration time) {
        String leader = ExtenderProcess.leader(api);
        extenders.forEach((pod, process) -> {
            if (!next || !pod.equals(leader)) {
                network.holdWatches(process.machine(), time);
            }
        });
    }

    private SimulatedMachine startScheduler() {
        SimulatedMachine machine = turns.machine("scheduler-" + started++);
        machine.start(
                "main",
                () -> SimulatedScheduler.start(
                        Set.of("default-scheduler"),
                        new ApiClient(api.wire(machine)),
                        new ServiceWire(turns, network, api, machine, extenders),
                        new ExtenderConfig(URI.create("http://extender"), 1, Set.of(MEMORY, CARDS), CALL),
                        turns.random().nextLong(),
                        machine::now));
        return machine;
    }

    /** kube-scheduler is killed and starts again. */
    public void killScheduler() {
        scheduler.kill();
        turns.after(RESTART, () -> {
            scheduler.kill();
            scheduler = startScheduler();
        });
    }

    /** The name of the node with that number, from 0. */
    public static String node(int number) {
        return "n" + number;
    }

    /**
     * Adds a node with that many cards of that memory, whose kubelet is of that version.
     *
     * @param byClaims whether it offers them by claims
     */
    public void addNode(int cards, int gib, KubeletVersion version, boolean byClaims) {
        String name = node(nodes.size());
        List<Card> all = new ArrayList<>();
        for (int i = 0; i < cards; i++) {
            all.add(Card.of("GPU-" + name + "-" + i, i, Memory.ofGib(gib)));
        }
        nodes.add(new GpuNode(
                turns,
                api,
                this,
                name,
                directory.resolve(name),
                new Inventory(MemoryUnit.GIB, null, all),
                version,
                byClaims));
    }

    /** A thread of a program failed. */
    void failed(Thread thread, Throwable failure) {
        String what = "thread " + thread.getName() + " failed: " + failure;
        LOG.warn("{}", what, failure);
        use.violation(what);
        tell(what);
    }

    /**
     * A pod that a user wants.
     *
     * @param amount units of one card's memory, or whole cards
     * @param byClaim whether it has a claim for them, in place of limits
     * @param grace how long its containers compute on when it is deleted
     * @param node for which it skips kube-scheduler; empty for none
     */
    public record Wanted(
            String name,
            String resource,
            int amount,
            boolean byClaim,
            int priority,
            Duration runs,
            Duration grace,
            String node) {
        @Override
        public String toString() {
            return name + " with " + amount + " " + resource + (byClaim ? " by a claim" : "") + ", priority "
                    + priority + ", runs for " + runs + ", ends in " + grace
                    + (node.isEmpty() ? "" : ", bound to " + node + " by its user");
        }
    }

    /** Moves that node to the other offer. */
    public void move(GpuNode node) {
        disturbed.add(node.name());
        node.move();
    }

    /** Creates a pod as a user does. */
    public void createPod(Wanted wanted) {
        ObjectNode pod = ApiClient.document().put("kind", "Pod");
        pod.putObject("metadata")
                .put("name", wanted.name())
                .put("namespace", "default")
                .putObject("annotations")
                .put("sandbox.gpushare.io/run-for", wanted.runs().toSeconds() + "s")
                .put(ASKS + wanted.resource(), wanted.amount() + "")
                .put(SKIPS, !wanted.node().isEmpty() + "");
        ObjectNode spec = pod.putObject("spec")
                .put("priority", wanted.priority())
                .put("terminationGracePeriodSeconds", wanted.grace().toSeconds());
        if (!wanted.node().isEmpty()) {
            spec.put("nodeName", wanted.node());
            disturbed.add(wanted.node());
        }
        ObjectNode container = spec.putArray("containers").addObject().put("name", "main");
        ObjectNode resources = container.putObject("resources");
        if (wanted.byClaim()) {
            String template = template(wanted.resource(), wanted.amount());
            spec.putArray("resourceClaims").addObject().put("name", "gpu").put("resourceClaimTemplateName", template);
            resources.putArray("claims").addObject().put("name", "gpu");
        } else {
            String amount = Integer.toString(wanted.amount());
            resources.putObject("limits").put(wanted.resource(), amount);
            resources.putObject("requests").put(wanted.resource(), amount);
        }
        api.request("POST", "/api/v1/namespaces/default/pods", pod);
    }

    /** The template of such claims, which it makes if there is none. */
    private String template(String resource, int amount) {
        boolean whole = resource.equals(CARDS);
        String name = (whole ? "cards-" : "memory-") + amount;
        ObjectNode template = ApiClient.document().put("kind", "ResourceClaimTemplate");
        template.putObject("metadata").put("name", name).put("namespace", "default");
        ObjectNode request = template.putObject("spec")
                .putObject("spec")
                .putObject("devices")
                .putArray("requests")
                .addObject()
                .put("name", "gpu");
        ObjectNode exactly = request.putObject("exactly").put("deviceClassName", CLASS);
        if (whole) {
            exactly.put("count", amount);
        } else {
            exactly.putObject("capacity").putObject("requests").put("memory", amount + "Gi");
        }
        api.request("POST", "/apis/resource.k8s.io/v1/namespaces/default/resourceclaimtemplates", template);
        return name;
    }

    private static ObjectNode deviceClass() {
        ObjectNode made = ApiClient.document().put("kind", "DeviceClass");
        made.putObject("metadata").put("name", CLASS);
        made.putObject("spec")
                .putArray("selectors")
                .addObject()
                .putObject("cel")
                .put("expression", "device.driver == 'gpushare.io'");
        return made;
    }

    /** The units that the pod asks for, by limits or a claim. */
    public static int memory(PodDocument pod) {
        return asked(pod, MEMORY);
    }

    /** The whole cards that the pod asks for, by limits or a claim. */
    public static int cards(PodDocument pod) {
        return asked(pod, CARDS);
    }

    private static int asked(PodDocument pod, String resource) {
        String amount = pod.annotation(ASKS + resource);
        return amount.isEmpty() ? 0 : Integer.parseInt(amount);
    }

    /** Whether it asks by a claim. */
    public static boolean byClaim(PodDocument pod) {
        return pod.document().path("spec").has("resourceClaims");
    }

    /** Whether its user bound it to a node. */
    boolean skipsScheduler(PodDocument pod) {
        return pod.annotation(SKIPS).equals("true");
    }

    /** Deletes a pod as a user does, with its grace period. */
    public void deletePod(String name) {
        api.request("DELETE", "/api/v1/namespaces/default/pods/" + name, ApiClient.document());
    }

    /** Deletes a pod by force; its processes end after that time. */
    public void deleteByForce(String name, Duration processes) {
        pods().stream().filter(pod -> pod.name().equals(name)).forEach(pod -> outliving.put(pod.uid(), processes));
        api.request(
                "DELETE",
                "/api/v1/namespaces/default/pods/" + name,
                ApiClient.document().put("gracePeriodSeconds", 0));
    }

    /** How long the processes of that pod compute on after it has ended for its kubelet. */
    Optional<Duration> outlives(PodDocument pod) {
        return Optional.ofNullable(outliving.get(pod.uid()));
    }

    /**
     * Somebody edits what a pod's annotations say of its cards.
     *
     * @param copies whether it gets those of another pod, of its node if it has one; otherwise it loses its own
     */
    public void editAnnotations(String name, boolean copies) {
        ObjectNode annotations = ApiClient.document();
        String node = pod(name).map(PodDocument::node).orElse("");
        PodDocument from = !copies
                ? null
                : pods().stream()
                        .filter(pod -> !pod.name().equals(name) && !pod.ended())
                        .filter(pod -> node.isEmpty() || pod.node().equals(node))
                        .filter(pod ->
                                !pod.annotation(AnnotationKeys.ALLOCATION).isEmpty())
                        .findFirst()
                        .orElse(null);
        for (String key : List.of(
                AnnotationKeys.ALLOCATION,
                AnnotationKeys.LEGACY_INDEX,
                AnnotationKeys.LEGACY_CARD_UNITS,
                AnnotationKeys.LEGACY_ASSIGNED)) {
            String value = from == null ? "" : from.annotation(key);
            if (value.isEmpty()) {
                annotations.putNull(key);
            } else {
                annotations.put(key, value);
            }
        }
        pod(name).ifPresent(pod -> {
            edited.add(pod.uid());
            disturbed.add(pod.node());
            ObjectNode patch = ApiClient.document();
            patch.putObject("metadata").set("annotations", annotations);
            api.request("PATCH", pod.path(), patch);
        });
    }

    /** The same in the moment in which the pod is bound. */
    public void editAtBinding(String name, boolean copies) {
        editing.put(name, copies);
    }

    /** Ends the plugin of that node as SIGTERM does when the next pod is bound there, and pauses the kubelet. */
    public void terminatePluginAtBinding(int node, Duration slow) {
        ending.put(node(node), slow);
    }

    private void bound() {
        List<PodDocument> pods = pods();
        for (GpuNode node : nodes) {
            if (ending.containsKey(node.name())
                    && pods.stream()
                            .anyMatch(pod -> pod.node().equals(node.name()) && !written.known(pod) && !pod.ended())) {
                node.pauseKubelet(Objects.requireNonNull(ending.remove(node.name())));
                turns.after(network.delay(), node::terminatePlugin);
            }
        }
        written.check(pods.stream().filter(pod -> !skipsScheduler(pod)).toList());
        for (PodDocument pod : pods) {
            Boolean copies = pod.node().isEmpty() ? null : editing.remove(pod.name());
            if (copies != null) {
                editAnnotations(pod.name(), copies);
            }
            if (edited(pod)) {
                disturbed.add(pod.node());
            }
        }
    }

    private Optional<PodDocument> pod(String name) {
        return pods().stream().filter(pod -> pod.name().equals(name)).findFirst();
    }

    /** Whether somebody edited its annotations. */
    boolean edited(PodDocument pod) {
        return edited.contains(pod.uid());
    }

    /** Whether some node offers such cards now, when nobody uses them. A pod that is bound fits nowhere else. */
    public boolean fits(PodDocument pod) {
        return nodes.stream()
                .filter(node -> pod.node().isEmpty() || node.name().equals(pod.node()))
                .anyMatch(node -> byClaim(pod) == node.byClaims()
                        && offers(node, CARDS, cards(pod))
                        && offers(node, MEMORY, memory(pod)));
    }

    /**
     * The pods that a kubelet refused because others have their cards, although on its node nobody has skipped
     * kube-scheduler or edited an annotation, and nobody has moved it.
     */
    public List<String> refused() {
        return pods().stream()
                .filter(pod -> pod.phase().equals("Failed") && !disturbed.contains(pod.node()))
                .filter(pod -> message(pod).contains("in use by other pods"))
                .map(pod -> "pod " + pod.name() + " was refused by " + pod.node() + ": " + message(pod))
                .toList();
    }

    /** The pods that did not start, for whatever reason. */
    public List<String> rejected() {
        return pods().stream()
                .filter(pod -> pod.phase().equals("Failed"))
                .map(pod -> "pod " + pod.name() + " was rejected by " + pod.node() + ", and nothing failed: "
                        + message(pod))
                .toList();
    }

    private static String message(PodDocument pod) {
        return pod.document().path("status").path("message").asText("");
    }

    /** The users' pods. */
    public List<PodDocument> pods() {
        return api.objects().list(ApiResource.PODS).stream()
                .map(PodDocument::new)
                .filter(pod -> pod.namespace().equals("default"))
                .toList();
    }
}
