package io.gpushare.plugin.node.isolation.hami;

import io.gpushare.model.card.Card;
import io.gpushare.model.card.CardId;
import io.gpushare.model.card.Inventory;
import io.gpushare.plugin.node.holdings.Holder;
import io.gpushare.plugin.node.holdings.Holdings;
import io.gpushare.plugin.node.isolation.ContainerIsolation;
import io.gpushare.plugin.node.isolation.ContainerIsolation.Limit;
import io.gpushare.plugin.node.isolation.ContainerIsolation.Mount;
import io.gpushare.plugin.node.isolation.IsolationProvider;
import io.gpushare.plugin.node.isolation.StartingContainer;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Limits memory and cores by the library of project HAMi-core, which all programs of a container preload. It lies on
 * the node. The variables and the paths in the container are those of HAMi's device plugin, which the library reads.
 */
public final class HamiCoreIsolation implements IsolationProvider {
    private static final Logger LOG = LoggerFactory.getLogger(HamiCoreIsolation.class);
    /** The library opens itself at this path. */
    private static final String LIBRARY = "/usr/local/vgpu/libvgpu.so";

    private final HamiCoreLibrary library;
    private final HamiCoreDirectory directory;
    private String problem = "";

    public HamiCoreIsolation(HamiCoreLibrary library, HamiCoreDirectory directory) {
        this.library = library;
        this.directory = directory;
    }

    @Override
    public Optional<String> missing(Card card, Inventory inventory) {
        if (card.id().instance()) {
            return Optional.of("HAMi-core does not serve MIG instances");
        }
        return library.missing().or(() -> directory.prepare(LIBRARY));
    }

    @Override
    public ContainerIsolation settings(StartingContainer container, Map<CardId, Limit> limits) {
        CardId first = container.allocation().visibleCards().iterator().next();
        return new ContainerIsolation.Settings(
                environment(container, limits),
                List.of(
                        mount(directory.of(container), "/usr/local/vgpu", false),
                        mount(library.file(), LIBRARY, true),
                        mount(directory.preload(), "/etc/ld.so.preload", true),
                        mount(directory.lock(first), "/tmp/vgpulock", false)),
                limits);
    }

    private static Mount mount(Path from, String to, boolean readOnly) {
        return new Mount(from.toString(), to, readOnly);
    }

    private static Map<String, String> environment(StartingContainer container, Map<CardId, Limit> limits) {
        Map<String, String> environment = new LinkedHashMap<>();
        // The library numbers the cards as CUDA does in the container.
        int index = 0;
        for (CardId card : container.allocation().visibleCards()) {
            Limit limit = limits.get(card);
            if (limit != null) {
                environment.put(
                        "CUDA_DEVICE_MEMORY_LIMIT_" + index, limit.memory().mib() + "m");
            }
            index++;
        }
        limits.values().stream()
                .mapToInt(limit -> limit.percents().cores())
                .filter(percent -> percent > 0)
                .max()
                .ifPresent(percent -> environment.put("CUDA_DEVICE_SM_LIMIT", String.valueOf(percent)));
        environment.put("CUDA_DEVICE_MEMORY_SHARED_CACHE", "/usr/local/vgpu/gpushare.cache");
        return environment;
    }

    @Override
    public Optional<String> enforce(StartingContainer container, Holdings holdings) {
        if (container.sharedCards().isEmpty()) {
            return Optional.empty();
        }
        Optional<String> missing = library.missing().or(() -> directory.prepare(LIBRARY));
        if (missing.isPresent()) {
            return missing;
        }
        Optional<Holder> holder = holdings.holder(container.pod().uid());
        return holder.filter(known -> !known.isPod()).isPresent()
                ? ofClaim(container, holdings)
                : directory.renew(container, ofItsPod(container, holder));
    }

    /** A directory is of one claim's request, and a repeated call may come while its container runs. */
    private Optional<String> ofClaim(StartingContainer request, Holdings holdings) {
        List<Holder.User> users = holdings
                .users(request.pod(), request.allocation().name())
                .stream()
                .sorted(Comparator.comparing(HamiCoreIsolation::name))
                .toList();
        return users.stream()
                .flatMap(one -> users.stream()
                        .filter(other -> !other.equals(one) && other.beside(one))
                        .map(other -> "containers " + name(one) + " and " + name(other) + " use it, and HAMi-core adds"
                                + " up the processes of one container only: write a request for each container"))
                .findFirst()
                .or(() -> directory.make(List.of(request)));
    }

    private static String name(Holder.User user) {
        return "'" + user.container() + "' of pod " + user.pod();
    }

    /**
     * The containers of the pod that have shares. One of them may be the one that starts: the kubelet gives the devices
     * of an init container to a later container as well, and names only devices.
     */
    private static List<StartingContainer> ofItsPod(StartingContainer container, Optional<Holder> pod) {
        return pod.flatMap(Holder::allocation).stream()
                .flatMap(allocation -> allocation.containers().stream())
                .map(each -> new StartingContainer(container.pod(), each))
                .filter(each -> !each.sharedCards().isEmpty())
                .toList();
    }

    /** Removes the directories of pods and claims that are gone. */
    @Override
    public void reconcile(Holdings holdings) {
        // Before, directories of running pods look unused.
        if (!holdings.complete()) {
            return;
        }
        try {
            directory.retain(holdings.present());
            problem = "";
        } catch (IOException e) {
            String now = e.toString();
            if (!now.equals(problem)) {
                LOG.warn("directories of ended pods in {} can't be removed: {}", directory, now);
            }
            problem = now;
        }
    }
}
