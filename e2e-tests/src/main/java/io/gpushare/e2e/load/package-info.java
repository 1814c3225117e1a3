/**
 * Load on the real extender over HTTP, beside a bare handler that reads and answers as much and does nothing: the limit of
 * what can be tuned. It measures and prints; it judges nothing.
 */
@NullMarked
package io.gpushare.e2e.load;

import org.jspecify.annotations.NullMarked;
