/**
 * Nodes in use that move to this project from another one, with its programs as doubles: they do what the cluster sees
 * of the originals, and nothing else.
 */
@NullMarked
package io.gpushare.e2e.sandbox.migration;

import org.jspecify.annotations.NullMarked;
