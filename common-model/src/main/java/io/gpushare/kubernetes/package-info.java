/**
 * The Kubernetes API as both programs speak it: the client, the pods and nodes reduced to what is used, the calls that
 * are made. The one room that knows the client library's types; what it hands out are values.
 */
@NullMarked
package io.gpushare.kubernetes;

import org.jspecify.annotations.NullMarked;
