package io.gpushare.extender.view;

import com.fasterxml.jackson.core.JsonGenerator;
import io.gpushare.extender.waste.PodOnCard;
import io.gpushare.extender.waste.Sums;
import io.gpushare.extender.waste.WasteReport;
import io.gpushare.extender.waste.WasteReport.Group;
import io.gpushare.extender.waste.WasteReport.NodeWaste;
import io.gpushare.extender.waste.WasteReport.Sample;
import io.gpushare.model.Quota;
import java.io.IOException;
import java.util.List;

/**
 * Writes what is wasted: the sums, by namespace and workload, the pods that waste most, the last hours, and the quotas
 * of namespaces.
 */
public final class WasteJson {
    private WasteJson() {}

    /**
     * Writes the report.
     *
     * @param since the time of the report that the caller has; only the time is written if it is of this one
     */
    public static void write(JsonGenerator json, WasteReport report, String since) throws IOException {
        json.writeStartObject();
        json.writeNumberField("version", 1);
        if (report.known()) {
            json.writeStringField("at", report.at().toString());
        }
        if (!report.at().toString().equals(since)) {
            report(json, report);
        }
        json.writeEndObject();
    }

    private static void report(JsonGenerator json, WasteReport report) throws IOException {
        json.writeNumberField("nodes", report.nodes());
        json.writeNumberField("reporting", report.reporting());
        json.writeNumberField("capacityBytes", report.capacity());
        json.writeNumberField("allocatedBytes", report.allocated());
        json.writeNumberField("freeBytes", report.free());
        json.writeNumberField("unusableBytes", report.unusable());
        json.writeObjectFieldStart("total");
        sums(json, report.total());
        json.writeEndObject();
        groups(json, "namespaces", report.namespaces());
        groups(json, "workloads", report.workloads());
        pods(json, "pods", report.pods());
        json.writeArrayFieldStart("byNode");
        for (NodeWaste node : report.byNode()) {
            node(json, node);
        }
        json.writeEndArray();
        json.writeArrayFieldStart("history");
        for (Sample sample : report.history()) {
            sample(json, sample);
        }
        json.writeEndArray();
        json.writeArrayFieldStart("quotas");
        for (Quota quota : report.quotas()) {
            quota(json, quota);
        }
        json.writeEndArray();
    }

    /** Writes pods alone. */
    public static void pods(JsonGenerator json, List<PodOnCard> pods) throws IOException {
        json.writeStartObject();
        json.writeNumberField("version", 1);
        pods(json, "pods", pods);
        json.writeEndObject();
    }

    private static void sums(JsonGenerator json, Sums sums) throws IOException {
        json.writeNumberField("pods", sums.pods());
        json.writeNumberField("allocatedBytes", sums.allocated());
        json.writeNumberField("measuredBytes", sums.measured());
        json.writeNumberField("usedBytes", sums.used());
        json.writeNumberField("unusedBytes", sums.unused());
        json.writeNumberField("overBytes", sums.over());
        json.writeNumberField("idleBytes", sums.idle());
        json.writeNumberField("podsOver", sums.podsOver());
        json.writeNumberField("podsIdle", sums.podsIdle());
    }

    private static void groups(JsonGenerator json, String field, List<Group> groups) throws IOException {
        json.writeArrayFieldStart(field);
        for (Group group : groups) {
            json.writeStartObject();
            json.writeStringField("namespace", group.namespace());
            if (!group.workload().isEmpty()) {
                json.writeStringField("workload", group.workload());
            }
            sums(json, group.sums());
            json.writeEndObject();
        }
        json.writeEndArray();
    }

    private static void pods(JsonGenerator json, String field, List<PodOnCard> pods) throws IOException {
        json.writeArrayFieldStart(field);
        for (PodOnCard pod : pods) {
            json.writeStartObject();
            json.writeStringField("namespace", pod.pod().namespace());
            json.writeStringField("name", pod.pod().name());
            json.writeStringField("workload", pod.workload());
            json.writeStringField("node", pod.node());
            json.writeNumberField("card", pod.card());
            json.writeNumberField("units", pod.units());
            flag(json, "whole", pod.whole());
            json.writeNumberField("allocatedBytes", pod.allocatedBytes());
            if (pod.usedBytes() != null) {
                json.writeNumberField("usedBytes", pod.usedBytes());
            }
            if (pod.idleSeconds() != null) {
                json.writeNumberField("idleSeconds", pod.idleSeconds());
            }
            flag(json, "over", pod.over());
            flag(json, "idle", pod.idle());
            json.writeEndObject();
        }
        json.writeEndArray();
    }

    private static void node(JsonGenerator json, NodeWaste node) throws IOException {
        json.writeStartObject();
        json.writeStringField("name", node.name());
        json.writeNumberField("usedBytes", node.used());
        json.writeNumberField("unusedBytes", node.unused());
        flag(json, "over", node.over());
        flag(json, "idle", node.idle());
        flag(json, "unusable", node.unusable());
        json.writeEndObject();
    }

    private static void flag(JsonGenerator json, String field, boolean value) throws IOException {
        if (value) {
            json.writeBooleanField(field, true);
        }
    }

    private static void quota(JsonGenerator json, Quota quota) throws IOException {
        json.writeStartObject();
        json.writeStringField("namespace", quota.namespace());
        json.writeStringField("name", quota.name());
        json.writeStringField(
                "of",
                switch (quota.kind()) {
                    case MEMORY -> "units";
                    case WHOLE_CARDS -> "cards";
                    case CORES -> "coresPercent";
                });
        if (!quota.scope().isEmpty()) {
            json.writeStringField("scope", quota.scope());
        }
        json.writeNumberField("used", quota.used());
        json.writeNumberField("hard", quota.hard());
        json.writeEndObject();
    }

    private static void sample(JsonGenerator json, Sample sample) throws IOException {
        json.writeStartObject();
        json.writeStringField("at", sample.at().toString());
        json.writeNumberField("capacityBytes", sample.capacity());
        json.writeNumberField("allocatedBytes", sample.allocated());
        json.writeNumberField("usedBytes", sample.used());
        json.writeNumberField("unusedBytes", sample.unused());
        json.writeNumberField("unusableBytes", sample.unusable());
        json.writeNumberField("overBytes", sample.over());
        json.writeEndObject();
    }
}
