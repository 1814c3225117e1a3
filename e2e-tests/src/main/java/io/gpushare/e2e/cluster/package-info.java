/**
 * A real Kubernetes with both programs installed from their images: kind where a Docker engine responds, otherwise a
 * local one from Debian's packages. The tests drive it through kubectl, as an administrator does.
 */
@NullMarked
package io.gpushare.e2e.cluster;

import org.jspecify.annotations.NullMarked;
