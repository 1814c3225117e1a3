/** What kube-scheduler requires of a node for a pod, apart from resources. Values only: no client, no I/O. */
@NullMarked
package io.gpushare.kubernetes.scheduling;

import org.jspecify.annotations.NullMarked;
