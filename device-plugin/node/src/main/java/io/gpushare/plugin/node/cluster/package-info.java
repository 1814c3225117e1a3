/**
 * The edge to the Kubernetes API: reads the pods of this node and its cordons, writes the inventory, the labels and the
 * allocation annotations, and records Events on pods. It makes no allocation decisions.
 */
@NullMarked
package io.gpushare.plugin.node.cluster;

import org.jspecify.annotations.NullMarked;
