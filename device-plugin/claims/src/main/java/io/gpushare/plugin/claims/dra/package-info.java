/** Edge to the kubelet: its protocols of Dynamic Resource Allocation, on two sockets. */
@NullMarked
package io.gpushare.plugin.claims.dra;

import org.jspecify.annotations.NullMarked;
