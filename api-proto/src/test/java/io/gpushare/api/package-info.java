/** Holds the protocols to the kubelet's numbers: bytes laid out by hand, names and numbers as the kubelet has them. */
@NullMarked
package io.gpushare.api;

import org.jspecify.annotations.NullMarked;
