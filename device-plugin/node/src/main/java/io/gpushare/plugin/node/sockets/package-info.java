/** gRPC over Unix domain sockets, as the kubelet speaks it. It knows no service. */
@NullMarked
package io.gpushare.plugin.node.sockets;

import org.jspecify.annotations.NullMarked;
