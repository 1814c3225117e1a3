/**
 * The choice of a policy, what policies learn from pods, and what a pod costs on each node. Pure: pods, capacity and
 * free nodes are passed in.
 */
@NullMarked
package io.gpushare.extender.policy;

import org.jspecify.annotations.NullMarked;
