package io.gpushare.plugin.admission;

import io.gpushare.plugin.allocation.AllocationResponse;
import io.gpushare.plugin.devices.DeviceResource;
import io.gpushare.plugin.kubelet.CallHandler;
import io.gpushare.plugin.metrics.PluginMetrics;
import java.util.List;
import java.util.Objects;

/** Measures how long the kubelet waits for its answers. */
public record TimedCallHandler(CallHandler answers, PluginMetrics metrics) implements CallHandler {
    public TimedCallHandler {
        Objects.requireNonNull(answers);
        Objects.requireNonNull(metrics);
    }

    @Override
    public List<String> preferred(DeviceResource resource, List<String> available, List<String> mustInclude, int size) {
        long begin = System.nanoTime();
        try {
            return answers.preferred(resource, available, mustInclude, size);
        } finally {
            metrics.took(PluginMetrics.Call.GET_PREFERRED_ALLOCATION, System.nanoTime() - begin);
        }
    }

    @Override
    public AllocationResponse allocate(DeviceResource resource, List<String> ids) {
        long begin = System.nanoTime();
        try {
            return answers.allocate(resource, ids);
        } finally {
            metrics.took(PluginMetrics.Call.ALLOCATE, System.nanoTime() - begin);
        }
    }
}
