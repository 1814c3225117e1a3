/** Tests of the admission policies, on the API server's own library and on the manifests. */
@NullMarked
package io.gpushare.e2e.cluster.admission;

import org.jspecify.annotations.NullMarked;
