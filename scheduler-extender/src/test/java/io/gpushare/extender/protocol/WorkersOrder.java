package io.gpushare.extender.protocol;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Random;

/**
 * The order in which kube-scheduler names nodes: it judges them by several workers at once, each of which takes a run of
 * nodes that follow each other, and lists them as they come (findNodesThatPassFilters; a run is the root of their number,
 * parallelize.chunkSizeFor).
 */
final class WorkersOrder {
    // Of kube-scheduler's 16 as many run at once as it has processors.
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
