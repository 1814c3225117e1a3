package io.gpushare.plugin.admission;

import io.gpushare.plugin.allocation.AllocationResponse;
import io.gpushare.plugin.allocation.Outcome;
import io.gpushare.plugin.devices.DeviceResource;
import io.gpushare.plugin.kubelet.CallHandler;
import io.gpushare.plugin.metrics.PluginMetrics;
import java.util.List;
import java.util.Optional;

/** Measures how long the kubelet waits for the responses. */
public record TimedCallHandler(CallHandler handler, PluginMetrics metrics) implements CallHandler {
    @Override
    public List<String> preferred(DeviceResource resource, List<String> available, List<String> mustInclude, int size) {
        long begin = System.nanoTime();
        try {
            return handler.preferred(resource, available, mustInclude, size);
        } finally {
            metrics.observe(PluginMetrics.Call.GET_PREFERRED_ALLOCATION, System.nanoTime() - begin);
        }
    }

    @Override
    public boolean gatesStart() {
        return handler.gatesStart();
    }

    @Override
    public Optional<String> start(DeviceResource resource, List<String> ids) {
        long begin = System.nanoTime();
        try {
            return handler.start(resource, ids);
        } finally {
            metrics.observe(PluginMetrics.Call.PRE_START_CONTAINER, System.nanoTime() - begin);
        }
    }

    @Override
    public Outcome<AllocationResponse> allocate(DeviceResource resource, List<String> ids) {
        long begin = System.nanoTime();
        try {
            return handler.allocate(resource, ids);
        } finally {
            metrics.observe(PluginMetrics.Call.ALLOCATE, System.nanoTime() - begin);
        }
    }
}
