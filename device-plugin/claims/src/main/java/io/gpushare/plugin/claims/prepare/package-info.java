/**
 * The claims of this node: prepares and unprepares them, and keeps for each a file of the Container Device Interface,
 * which is also the record of what the claim has. It knows nothing of the kubelet's protocol.
 */
@NullMarked
package io.gpushare.plugin.claims.prepare;

import org.jspecify.annotations.NullMarked;
