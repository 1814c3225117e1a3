/**
 * A real Kubernetes with both programs installed from their images: kind where a Docker engine answers, otherwise a
 * local one from Debian's packages. It is driven as an administrator would, through kubectl.
 */
@NullMarked
package io.gpushare.e2e.cluster;

import org.jspecify.annotations.NullMarked;
