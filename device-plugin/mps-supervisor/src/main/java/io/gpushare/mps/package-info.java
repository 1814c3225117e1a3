/**
 * The supervisor of MPS on a node: one control daemon for each card that memory pods share. It is a program of its own, since
 * its end is its clients' end, and the plugin's is not.
 */
@NullMarked
package io.gpushare.mps;

import org.jspecify.annotations.NullMarked;
