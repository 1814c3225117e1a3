/** What kube-scheduler requires of a node for a pod, apart from resources. Values only: no client, no I/O. */
@NullMarked
package io.gpushare.model.node;

import org.jspecify.annotations.NullMarked;
