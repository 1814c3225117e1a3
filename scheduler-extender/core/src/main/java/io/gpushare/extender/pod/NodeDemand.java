package io.gpushare.extender.pod;

import io.gpushare.model.Demand;
import io.gpushare.model.node.NodeRules;

/** What a pod requires of one node: its cards, and the node itself. Pods with equal ones wait for the same reason. */
public record NodeDemand(Demand cards, NodeRules nodes) {}
