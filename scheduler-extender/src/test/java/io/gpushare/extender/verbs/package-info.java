/** kube-scheduler's verbs on both wires: its requests, and the calls of the API server. */
@NullMarked
package io.gpushare.extender.verbs;

import org.jspecify.annotations.NullMarked;
