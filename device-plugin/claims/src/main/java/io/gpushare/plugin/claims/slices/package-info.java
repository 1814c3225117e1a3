/** Edge to the API server: publishes the node's cards as ResourceSlices. */
@NullMarked
package io.gpushare.plugin.claims.slices;

import org.jspecify.annotations.NullMarked;
