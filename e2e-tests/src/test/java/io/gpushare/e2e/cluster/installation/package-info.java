/** Scenarios that install: images, the chart, TLS, and the way back to gpushare. */
@NullMarked
package io.gpushare.e2e.cluster.installation;

import org.jspecify.annotations.NullMarked;
