/**
 * The edge to the API server: informers that feed the ledger, leader election, and writes to pods. It decides nothing.
 */
@NullMarked
package io.gpushare.extender.cluster;

import org.jspecify.annotations.NullMarked;
