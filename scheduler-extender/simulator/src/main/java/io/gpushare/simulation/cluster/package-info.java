/** A cluster whose pods are placed by the extender's ledger, policies and verbs, without HTTP and without an API server. */
@NullMarked
package io.gpushare.simulation.cluster;

import org.jspecify.annotations.NullMarked;
