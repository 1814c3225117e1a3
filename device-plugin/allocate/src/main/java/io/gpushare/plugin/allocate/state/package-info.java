/**
 * The one shared mutable object, the latest snapshot of the node, with the classes that bring it up to date and publish
 * it: pod-resources, the cards with their cordons, and the device lists. It does no I/O of its own; the edges are
 * passed in.
 */
@NullMarked
package io.gpushare.plugin.allocate.state;

import org.jspecify.annotations.NullMarked;
