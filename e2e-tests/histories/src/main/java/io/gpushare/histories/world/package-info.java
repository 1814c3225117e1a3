/** What the programs run in: an API server, kube-scheduler, kubelets, cards, and what fails of them. */
@NullMarked
package io.gpushare.histories.world;

import org.jspecify.annotations.NullMarked;
