/** The edge to Prometheus: counts requests and renders the ledger's figures as metrics. */
@NullMarked
package io.gpushare.insight.metrics;

import org.jspecify.annotations.NullMarked;
