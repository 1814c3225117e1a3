/**
 * The device plugin: its options, and the wiring of its edges by hand. Here and nowhere else the edges meet: cards and
 * pods flow into one {@link io.gpushare.plugin.LatestPicture}, and from it the lists and answers for the kubelet.
 */
@NullMarked
package io.gpushare.plugin;

import org.jspecify.annotations.NullMarked;
