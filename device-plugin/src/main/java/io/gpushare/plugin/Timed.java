package io.gpushare.plugin;

import io.gpushare.plugin.allocation.HandOver;
import io.gpushare.plugin.allocation.Resource;
import io.gpushare.plugin.kubelet.Doorkeeper;
import io.gpushare.plugin.metrics.Metrics;
import java.util.List;
import java.util.Objects;

/** Measures how long the kubelet waits for its answers. */
record Timed(Doorkeeper answers, Metrics metrics) implements Doorkeeper {
    Timed {
        Objects.requireNonNull(answers);
        Objects.requireNonNull(metrics);
    }

    @Override
    public List<String> preferred(Resource resource, List<String> available, List<String> mustInclude, int size) {
        long begin = System.nanoTime();
        try {
            return answers.preferred(resource, available, mustInclude, size);
        } finally {
            metrics.took(Metrics.Call.GET_PREFERRED_ALLOCATION, System.nanoTime() - begin);
        }
    }

    @Override
    public HandOver allocate(Resource resource, List<String> ids) {
        long begin = System.nanoTime();
        try {
            return answers.allocate(resource, ids);
        } finally {
            metrics.took(Metrics.Call.ALLOCATE, System.nanoTime() - begin);
        }
    }
}
