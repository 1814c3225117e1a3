/**
 * The scheduler extender protocol: reads kube-scheduler's requests, calls the verbs, and writes their responses.
 * Decides nothing, and knows nodes only by name and index.
 */
@NullMarked
package io.gpushare.extender.protocol;

import org.jspecify.annotations.NullMarked;
