/**
 * Watches the measured usage and the Xid errors, and acts on them: Events on pods, evictions, and the figures for
 * metrics. Best-effort: nothing here may affect the calls of the kubelet.
 */
@NullMarked
package io.gpushare.plugin.node.monitor;

import org.jspecify.annotations.NullMarked;
