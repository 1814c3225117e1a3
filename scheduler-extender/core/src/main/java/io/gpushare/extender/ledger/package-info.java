/**
 * The ledger: what is allocated and assumed on each card of the cluster, in immutable entries that are replaced
 * atomically. Values only: no HTTP, no Kubernetes client, and time is a parameter.
 */
@NullMarked
package io.gpushare.extender.ledger;

import org.jspecify.annotations.NullMarked;
