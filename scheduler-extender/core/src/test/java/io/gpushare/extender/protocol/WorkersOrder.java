package io.gpushare.extender.protocol;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Random;

/**
 * The order in which kube-scheduler names nodes: several workers filter them in parallel, each takes a run of
 * consecutive nodes, and nodes are listed as they pass (findNodesThatPassFilters; the length of a run is the square
 * root of the number of nodes, parallelize.chunkSizeFor).
 */
final class WorkersOrder {
    // Of kube-scheduler's 16 workers as many run in parallel as it has processors.
    private static final int WORKERS = 8;

    private WorkersOrder() {}

    static List<String> of(List<String> names, Random random) {
        int run = (int) Math.sqrt(names.size()) + 1;
        List<Deque<String>> runs = new ArrayList<>();
        for (int from = 0; from < names.size(); from += run) {
            runs.add(new ArrayDeque<>(names.subList(from, Math.min(from + run, names.size()))));
        }
        List<String> mixed = new ArrayList<>();
        while (!runs.isEmpty()) {
            int worker = random.nextInt(Math.min(WORKERS, runs.size()));
            mixed.add(runs.get(worker).remove());
            if (runs.get(worker).isEmpty()) {
                runs.remove(worker);
            }
        }
        return mixed;
    }
}
