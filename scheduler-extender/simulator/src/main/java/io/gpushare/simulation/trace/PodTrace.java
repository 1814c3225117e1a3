package io.gpushare.simulation.trace;

import io.gpushare.extender.pod.PodRequest;
import io.gpushare.model.card.Share;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;

/** The pods of a trace, in the order of the file. */
public final class PodTrace {
    private static final int MAX_PODS = 1_000_000;
    private static final int MAX_MODELS = 64;

    private PodTrace() {}

    /**
     * Reads openb's columns {@code name,cpu_milli,memory_mib,num_gpu,gpu_milli} and perhaps {@code gpu_spec}, or ours,
     * {@code pod,cpu_milli,memory_mib,units,cards,models} and perhaps {@code mig}, the profile of an instance that the
     * pod takes whole, and {@code count}.
     */
    public static List<PodRequest> read(Path path) throws BadInputException {
        Csv csv = Csv.read(path);
        List<PodRequest> pods = new ArrayList<>();
        for (Csv.Row row : csv.rows()) {
            PodRequest pod = csv.has("num_gpu") ? openb(row) : ours(row);
            pods.addAll(Collections.nCopies(count(row, pods.size()), pod));
        }
        if (pods.stream().noneMatch(PodRequest::gpu)) {
            throw new BadInputException(path + " lists no pod that requests a card or a part of one");
        }
        return pods;
    }

    /**
     * Reads pods with their times: openb's columns {@code creation_time,deletion_time}, or ours, {@code
     * created,duration}, in seconds.
     *
     * @param nodes where they may run
     */
    public static List<TimedPod> readTimed(Path path, NodeTrace nodes) throws BadInputException {
        Csv csv = Csv.read(path);
        UnaryOperator<PodRequest> resolver = nodes.resolver();
        List<TimedPod> pods = new ArrayList<>();
        for (Csv.Row row : csv.rows()) {
            TimedPod pod = csv.has("num_gpu") ? openbTimed(row) : oursTimed(row);
            pod = pod.with(resolver.apply(pod.request()));
            pods.addAll(Collections.nCopies(count(row, pods.size()), pod));
        }
        if (pods.stream().noneMatch(pod -> pod.request().gpu())) {
            throw new BadInputException(path + " lists no pod that requests a card or a part of one");
        }
        return pods;
    }

    private static TimedPod oursTimed(Csv.Row row) throws BadInputException {
        return new TimedPod(ours(row), row.number("created", 0), row.number("duration", 0));
    }

    private static TimedPod openbTimed(Csv.Row row) throws BadInputException {
        int created = row.number("creation_time", 0);
        return new TimedPod(openb(row), created, row.number("deletion_time", created) - created);
    }

    private static int count(Csv.Row row, int before) throws BadInputException {
        int count = row.count();
        if (count > MAX_PODS - before) {
            throw row.invalid("the list has more than " + MAX_PODS + " pods by here: reduce count");
        }
        return count;
    }

    private static PodRequest ours(Csv.Row row) throws BadInputException {
        PodRequest pod = pod(
                row,
                Share.memory(row.number("units", 0)),
                row.number("cards", 0, NodeTrace.MAX_CARDS),
                row.text("models"));
        return row.optional("mig").isEmpty() ? pod : instance(row, pod);
    }

    /** A pod that takes a MIG instance of that profile whole, of one of its models. */
    private static PodRequest instance(Csv.Row row, PodRequest pod) throws BadInputException {
        MigProfile profile = row.profile(row.text("mig"));
        if (pod.gpu()) {
            throw row.invalid("the pod takes an instance whole and has units or cards as well: leave these empty,"
                    + " or use two pods");
        }
        Set<String> titles = pod.models().isEmpty()
                ? Set.of(MigProfile.title("", profile.name()))
                : pod.models().stream()
                        .map(model -> MigProfile.title(model, profile.name()))
                        .collect(Collectors.toSet());
        return new PodRequest(pod.cpuMilli(), pod.memoryMib(), Share.INSTANCE.withUnits(profile.gib()), 0, titles);
    }

    private static PodRequest openb(Csv.Row row) throws BadInputException {
        int cards = row.number("num_gpu", 0, NodeTrace.MAX_CARDS);
        int milli = row.number("gpu_milli", 0);
        boolean whole = milli == NodeTrace.MILLI && cards > 0;
        boolean share = milli > 0 && milli < NodeTrace.MILLI && cards == 1;
        if (!whole && !share && (cards > 0 || milli > 0)) {
            throw row.invalid("num_gpu " + cards + " with gpu_milli " + milli
                    + ": a pod has a share of one card, or cards of 1000 each");
        }
        return pod(row, Share.memory(share ? milli : 0), whole ? cards : 0, row.optional("gpu_spec"));
    }

    private static PodRequest pod(Csv.Row row, Share share, int cards, String models) throws BadInputException {
        return new PodRequest(
                row.number("cpu_milli", 0), row.number("memory_mib", 0), share, cards, models(row, models));
    }

    /** Models separated by {@code |}; some lists name one twice. */
    private static Set<String> models(Csv.Row row, String text) throws BadInputException {
        if (text.isEmpty()) {
            return Set.of();
        }
        Set<String> models = new HashSet<>();
        for (String model : text.split("\\|", -1)) {
            models.add(model.strip());
        }
        if (models.contains("") || models.size() > MAX_MODELS) {
            throw row.invalid("write 1 to " + MAX_MODELS + " models, such as A100|H100, or nothing for any model");
        }
        return models;
    }
}
