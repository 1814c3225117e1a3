/**
 * Defragmentation: which few pods, moved to other cards, would free whole cards or make a waiting pod fit. It searches
 * by {@code search}, and reads the pods of a plan from the API server. It reserves and evicts nothing.
 */
@NullMarked
package io.gpushare.insight.defrag;

import org.jspecify.annotations.NullMarked;
