/** kube-scheduler's verbs on both wires: its requests, and the calls of the API server. */
@NullMarked
package io.gpushare.insight.verbs;

import org.jspecify.annotations.NullMarked;
