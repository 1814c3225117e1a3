/** Scenarios with no more rights than the manifests give, and with a token that was taken. */
@NullMarked
package io.gpushare.e2e.cluster.rights;

import org.jspecify.annotations.NullMarked;
