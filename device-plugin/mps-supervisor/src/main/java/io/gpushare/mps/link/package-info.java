/**
 * The files by which the plugin and the supervisor of MPS know of each other: one writer each, replaced in one step.
 * And how both remove what containers wrote into a directory of theirs.
 */
@NullMarked
package io.gpushare.mps.link;

import org.jspecify.annotations.NullMarked;
