/** Edge to the kubelet: its protocols of Dynamic Resource Allocation, on two sockets. */
@NullMarked
package io.gpushare.plugin.dra;

import org.jspecify.annotations.NullMarked;
