/**
 * The edge to the Kubernetes API: the pods of this node, as they change and as they are right now, and the node's
 * inventory annotation. Decides nothing.
 */
@NullMarked
package io.gpushare.plugin.cluster;

import org.jspecify.annotations.NullMarked;
