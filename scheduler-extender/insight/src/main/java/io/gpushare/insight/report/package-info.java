/**
 * What the ledger and filter say about pods that wait: dry runs for users, and the pods that kube-scheduler should
 * retry. It only reads the ledger.
 */
@NullMarked
package io.gpushare.insight.report;

import org.jspecify.annotations.NullMarked;
