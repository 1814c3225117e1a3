/**
 * Whole programs and clusters, driven over their wires: no room below may reach into the plugin or the extender. What
 * they say is read from the API, the kubelet's sockets and the containers, as a user would.
 */
@NullMarked
package io.gpushare.e2e;

import org.jspecify.annotations.NullMarked;
