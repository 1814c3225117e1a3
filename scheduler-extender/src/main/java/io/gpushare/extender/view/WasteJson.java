package io.gpushare.extender.view;

import com.fasterxml.jackson.core.JsonGenerator;
import io.gpushare.extender.placement.LedgerStats.Amounts;
import io.gpushare.extender.waste.PodOnCard;
import io.gpushare.extender.waste.Sums;
import io.gpushare.extender.waste.WasteReport;
import io.gpushare.extender.waste.WasteReport.Group;
import io.gpushare.extender.waste.WasteReport.NodeWaste;
import io.gpushare.extender.waste.WasteReport.Sample;
import java.io.IOException;
import java.util.List;

/** Writes what is wasted: the sums, by namespace and workload, the pods that waste most, and the last hours. */
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
            json.writeStringField("at", report.now().at().toString());
        }
        if (!report.now().at().toString().equals(since)) {
            report(json, report);
        }
        json.writeEndObject();
    }

    private static void report(JsonGenerator json, WasteReport report) throws IOException {
        json.writeNumberField("nodes", report.nodes());
        json.writeNumberField("reporting", report.reporting());
        Amounts memory = report.now().memory();
        json.writeNumberField("capacityBytes", memory.capacity());
        json.writeNumberField("allocatedBytes", memory.allocated());
        json.writeNumberField("freeBytes", memory.free());
        json.writeNumberField("unusableBytes", memory.wasted());
        json.writeObjectFieldStart("total");
        sums(json, report.now().pods());
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
            ClusterJson.pod(json, pod.pod());
            json.writeStringField("workload", pod.workload());
            json.writeStringField("node", pod.node());
            json.writeNumberField("card", pod.card());
            json.writeNumberField("units", pod.share().units());
            flag(json, "whole", pod.share().whole());
            json.writeNumberField("allocatedBytes", pod.allocatedBytes());
            NodesJson.used(json, pod.usedBytes());
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
        json.writeNumberField("usedBytes", node.sums().used());
        json.writeNumberField("unusedBytes", node.sums().unused());
        flag(json, "over", node.sums().podsOver() > 0);
        flag(json, "idle", node.sums().podsIdle() > 0);
        flag(json, "unusable", node.unusable());
        json.writeEndObject();
    }

    private static void flag(JsonGenerator json, String field, boolean value) throws IOException {
        if (value) {
            json.writeBooleanField(field, true);
        }
    }

    private static void sample(JsonGenerator json, Sample sample) throws IOException {
        json.writeStartObject();
        json.writeStringField("at", sample.at().toString());
        json.writeNumberField("capacityBytes", sample.memory().capacity());
        json.writeNumberField("allocatedBytes", sample.memory().allocated());
        json.writeNumberField("usedBytes", sample.pods().used());
        json.writeNumberField("unusedBytes", sample.pods().unused());
        json.writeNumberField("unusableBytes", sample.memory().wasted());
        json.writeNumberField("overBytes", sample.pods().over());
        json.writeEndObject();
    }
}
