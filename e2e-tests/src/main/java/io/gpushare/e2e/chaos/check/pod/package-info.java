/**
 * What pods request and hold, as the API server and pod-resources report it. The package checks nothing.
 */
@NullMarked
package io.gpushare.e2e.chaos.check.pod;

import org.jspecify.annotations.NullMarked;
