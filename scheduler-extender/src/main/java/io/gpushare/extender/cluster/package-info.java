/** The edge to the API server: informers that feed the ledger, and the calls that a bind makes. It decides nothing. */
@NullMarked
package io.gpushare.extender.cluster;

import org.jspecify.annotations.NullMarked;
