/**
 * The scorings of the policies: what it costs to place a pod, by what is known of the cluster and of earlier pods. Pure
 * functions of their arguments.
 */
@NullMarked
package io.gpushare.extender.policy.scoring;

import org.jspecify.annotations.NullMarked;
